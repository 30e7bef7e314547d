// What is loaded when it is first asked for.
import { expect, test } from 'bun:test'
import { lazy } from '../../src/lib/lazy.ts'

test('it is loaded once, with the first call, however many come at the same time', async () => {
  let loads = 0
  const double = lazy(async () => {
    loads += 1
    return (value: number) => 2 * value
  })
  expect(loads).toBe(0)
  expect(await Promise.all([double(1), double(2)])).toEqual([2, 4])
  expect(await double(3)).toBe(6)
  expect(loads).toBe(1)
})

test('what could not be loaded is tried again', async () => {
  let loads = 0
  const answer = lazy(async () => {
    loads += 1
    if (loads === 1) throw new Error('too many open files')
    return () => 'here'
  })
  await expect(answer()).rejects.toThrow('too many open files')
  expect(await answer()).toBe('here')
})
