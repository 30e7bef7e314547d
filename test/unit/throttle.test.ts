// Failed authentications: 20 in any minute per client, counted with a clock that the tests hold.
import { beforeEach, expect, test } from 'bun:test'
import {
  authenticationFailuresMax,
  openThrottle,
  type Throttle,
} from '../../src/api/http/throttle.ts'

let now = 0
let throttle: Throttle

beforeEach(() => {
  now = 1_000_000
  throttle = openThrottle(() => now)
})

const fail = (client: string, times: number) => {
  for (let time = 0; time < times; time += 1) throttle.recordTry(client)
}

test('twenty failures a minute are granted, and the twenty-first must wait', () => {
  expect(authenticationFailuresMax).toBe(20)
  fail('a', 19)
  expect(throttle.waitSeconds('a')).toBe(0)
  fail('a', 1)
  expect(throttle.waitSeconds('a')).toBe(60)
})

test('one client never waits for another', () => {
  fail('a', 20)
  expect(throttle.waitSeconds('b')).toBe(0)
})

test('the window slides: each failure is forgotten after its own minute', () => {
  fail('a', 10)
  now += 30_000
  fail('a', 10)
  expect(throttle.waitSeconds('a')).toBe(30)
  now += 30_000
  expect(throttle.waitSeconds('a')).toBe(0)
  fail('a', 9)
  expect(throttle.waitSeconds('a')).toBe(0)
  fail('a', 1)
  expect(throttle.waitSeconds('a')).toBe(30)
})

test('never more than twenty failures fall into any 60 seconds', () => {
  const granted: number[] = []
  for (let step = 0; step < 2_000; step += 1) {
    now += 137
    if (throttle.waitSeconds('a') > 0) continue
    throttle.recordTry('a')
    granted.push(now)
  }
  expect(granted.length).toBeGreaterThan(60)
  for (const [index, first] of granted.entries()) {
    const last = granted[index + authenticationFailuresMax]
    if (last !== undefined) expect(last - first).toBeGreaterThanOrEqual(60_000)
  }
})

test('the wait is whole seconds, rounded up and at least one, and suffices', () => {
  fail('a', 20)
  now += 59_999.5
  expect(throttle.waitSeconds('a')).toBe(1)
  now += 0.5
  expect(throttle.waitSeconds('a')).toBe(0)
  fail('a', 20)
  now += 100
  expect(throttle.waitSeconds('a')).toBe(60)
  now += 60_000
  expect(throttle.waitSeconds('a')).toBe(0)
})

test('asking does not count as failing', () => {
  for (let time = 0; time < 50; time += 1) throttle.waitSeconds('a')
  expect(throttle.waitSeconds('a')).toBe(0)
})

test('the memory is bounded: a flood of 10,000 clients pushes the oldest out', () => {
  fail('first', 20)
  for (let client = 0; client < 9_999; client += 1) throttle.recordTry(`flood ${client}`)
  expect(throttle.waitSeconds('first')).toBe(60)
  throttle.recordTry('one more')
  expect(throttle.waitSeconds('first')).toBe(0)
})

test('a client that goes on failing is not the oldest', () => {
  fail('first', 19)
  for (let client = 0; client < 9_999; client += 1) throttle.recordTry(`flood ${client}`)
  fail('first', 1)
  throttle.recordTry('one more')
  expect(throttle.waitSeconds('first')).toBe(60)
})

test('a failure that is taken back counts no more', () => {
  fail('a', 20)
  throttle.takeBack('a')
  expect([throttle.count('a'), throttle.waitSeconds('a')]).toEqual([19, 0])
  throttle.takeBack('b')
  expect(throttle.count('b')).toBe(0)
})
