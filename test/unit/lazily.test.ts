// What is loaded when it is first asked for.
import { expect, test } from 'bun:test'
import { lazy } from '../../src/lib/lazy.ts'

test('it is loaded with the first call, once, and again where that failed', async () => {
  let loads = 0
  const double = lazy(async () => {
    loads += 1
    if (loads === 1) throw new Error('too many open files')
    return (value: number) => 2 * value
  })
  expect(loads).toBe(0)
  await expect(double(1)).rejects.toThrow('too many open files')
  expect(await Promise.all([double(1), double(2)])).toEqual([2, 4])
  expect([await double(3), loads]).toEqual([6, 2])
})
