// Whose request is next when one holder sends many at once.
import { expect, test } from 'bun:test'
import { openTurns } from '../../src/db/turns.ts'
import { until } from '../support/until.ts'

/** Work that ends when the test says so, and the order in which it began. */
function openWork(runningMax: number) {
  const turns = openTurns(runningMax, 60_000)
  const begun: string[] = []
  const running: (() => void)[] = []
  const take = (holder: string) =>
    turns.take(holder, () => {
      begun.push(holder)
      return new Promise<void>(resolve => running.push(resolve))
    })
  const endOldest = async () => {
    const before = begun.length
    running.shift()?.()
    await until(() => begun.length > before)
  }
  return { turns, take, begun, endOldest }
}

test('as many run as may, and the rest wait', () => {
  const { take, begun } = openWork(2)
  for (const holder of ['a', 'b', 'c']) void take(holder)
  expect(begun).toEqual(['a', 'b'])
})

test('the holder of which fewest run is next, however many another one waits with', async () => {
  const { take, begun, endOldest } = openWork(3)
  for (const holder of ['a', 'a', 'a', 'a', 'a', 'a', 'b']) void take(holder)
  await endOldest()
  expect(begun).toEqual(['a', 'a', 'a', 'b'])
  await endOldest()
  expect(begun).toEqual(['a', 'a', 'a', 'b', 'a'])
})

test('holders with as many take turns', async () => {
  const { take, begun, endOldest } = openWork(1)
  for (const holder of ['a', 'a', 'a', 'b', 'b', 'c']) void take(holder)
  for (let ended = 0; ended < 5; ended += 1) await endOldest()
  expect(begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
})

test('work that fails gives its turn back, and the failure is its own', async () => {
  const { turns } = openWork(1)
  const failing = turns.take('a', () => Promise.reject(new Error('lost')))
  const next = turns.take('b', async () => 'done')
  await expect(failing).rejects.toThrow('lost')
  expect(await next).toBe('done')
  expect(await turns.take('a', async () => 'again')).toBe('again')
})

test('work that waited for too long is not begun, and keeps no turn', async () => {
  const turns = openTurns(1, 500)
  const slow = [1, 2].map(() => turns.take('a', () => Bun.sleep(300)))
  const begun: string[] = []
  const late = turns
    .take('a', async () => begun.push('late'))
    .catch((error: Error) => error.message)
  await Promise.all(slow)
  expect(await late).toBe('no turn within 500 ms')
  expect(begun).toEqual([])
  expect(await turns.take('b', async () => 'done')).toBe('done')
})

test('work that does not end gives its turn back', async () => {
  const turns = openTurns(1, 500)
  const hanging = turns
    .take('a', () => new Promise(() => {}))
    .catch((error: Error) => error.message)
  await Bun.sleep(100)
  expect(await turns.take('b', async () => 'done')).toBe('done')
  expect(await hanging).toBe('no answer within 500 ms')
})
