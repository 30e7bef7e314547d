// What was opened is closed, whatever goes wrong on the way.
import { expect, test } from 'bun:test'
import { openCleanup } from '../../src/lib/cleanup.ts'

test('a step that throws keeps no other from being closed, and its error is known', async () => {
  const cleanup = openCleanup()
  const closed: string[] = []
  const fail = (name: string) => () => {
    closed.push(name)
    throw new Error(name)
  }
  cleanup.add(() => closed.push('first'))
  cleanup.add(fail('second'))
  cleanup.add(async () => fail('third')())
  cleanup.add(() => closed.push('last'))
  await expect(cleanup.close()).rejects.toThrow('third')
  expect(closed).toEqual(['last', 'third', 'second', 'first'])
})
