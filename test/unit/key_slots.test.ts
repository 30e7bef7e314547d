// What one key may have running at the same time, and what the rest of its requests wait for.
import { afterEach, expect, test } from 'bun:test'
import { openKeySlots, slotsOf } from '../../src/api/http/key_slots.ts'
import type { ApiError } from '../../src/errors.ts'
import { until } from '../support/until.ts'

const permitted = Promise.resolve()

// What is left running would fail, after its time, whichever test runs then.
const left: (() => void)[] = []
afterEach(() => {
  for (const end of left.splice(0)) end()
})

/** Work that ends when the test says so, or is over, and the order in which it began. */
function openWork(slotsMax: number, timeoutMs = 60_000) {
  const slots = openKeySlots(slotsMax, timeoutMs)
  const begun: string[] = []
  const running: (() => void)[] = []
  let over = false
  left.push(() => {
    over = true
    for (const end of running.splice(0)) end()
  })
  const use = (keyId: string, name: string, permit = permitted, askedAt?: number) => {
    const work = () => {
      begun.push(name)
      return over ? Promise.resolve() : new Promise<void>(resolve => running.push(resolve))
    }
    return slots.use(keyId, permit, work, askedAt)
  }
  return { slots, use, begun, endOldest: () => running.shift()?.() }
}

test('as much of a key runs as it has slots, and the rest in the order in which it came', async () => {
  const { use, begun, endOldest } = openWork(2)
  for (const name of ['1', '2', '3', '4']) void use('a', name)
  await until(() => begun.length === 2)
  endOldest()
  await until(() => begun.length === 3)
  endOldest()
  await until(() => begun.length === 4)
  expect(begun).toEqual(['1', '2', '3', '4'])
})

test('another key does not wait for them', async () => {
  const { use, begun } = openWork(1)
  for (const name of ['1', '2', '3']) void use('a', name)
  void use('b', 'other')
  await until(() => begun.includes('other'))
  expect(begun).toEqual(['1', 'other'])
})

test('what fails gives its slot back, and the failure is its own', async () => {
  const { slots } = openWork(1)
  const failing = slots.use('a', permitted, () => Promise.reject(new Error('lost')))
  const next = slots.use('a', permitted, async () => 'done')
  await expect(failing).rejects.toThrow('lost')
  expect(await next).toBe('done')
})

test('what is refused does not wait, and takes no slot', async () => {
  const { use, begun, endOldest } = openWork(1)
  void use('a', 'running')
  const refused = use('a', 'refused', Promise.reject(new Error('over the limit')))
  await expect(refused).rejects.toThrow('over the limit')
  void use('a', 'next')
  endOldest()
  await until(() => begun.length === 2)
  expect(begun).toEqual(['running', 'next'])
})

test('what waited for too long is not begun, and told so before its request is given up', async () => {
  const { slots, use, begun, endOldest } = openWork(1, 500)
  const running = use('a', 'running').catch(() => 'given up')
  const late = use('a', 'late').catch((error: ApiError) => error)
  const asked = performance.now() - 400
  const later = use('a', 'asked before', permitted, asked).catch(() => 'refused')
  expect(await Promise.race([running, late, later])).toBe('refused')
  expect(await Promise.race([running, late])).toMatchObject({ code: 'internal_error', status: 503 })
  endOldest()
  expect(await slots.use('a', permitted, async () => begun.join())).toBe('running')
})

test('what does not end gives its slot back', async () => {
  const slots = openKeySlots(1, 500)
  const hanging = slots
    .use('a', permitted, () => new Promise(() => {}))
    .catch((error: Error) => error.message)
  expect(await hanging).toBe('no answer within 500 ms')
  expect(await slots.use('a', permitted, async () => 'done')).toBe('done')
})

test('a connection is left, where there are several', () => {
  expect([1, 2, 4, 100].map(slotsOf)).toEqual([1, 1, 3, 99])
})

test('it is crowded while a key has taken all of its slots', async () => {
  const { slots, use, begun, endOldest } = openWork(2)
  void use('a', '1')
  void use('b', '2')
  expect(slots.isCrowded()).toBe(false)
  void use('a', '3')
  void use('a', '4')
  expect(slots.isCrowded()).toBe(true)
  await until(() => begun.length === 3)
  endOldest()
  await until(() => begun.length === 4)
  expect(slots.isCrowded()).toBe(true)
  endOldest()
  endOldest()
  await until(() => !slots.isCrowded())
})
