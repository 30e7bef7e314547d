// Spec 6, delivery rules 2 to 4: what is delivered, what is tried again and when, what is final.
import { describe, expect, test } from 'bun:test'
import { judge } from '../../src/sending/outcome.ts'
import type { ErrorClass } from '../../src/sending/sender.ts'

const delaysMs = [10_000, 60_000, 300_000, 1_800_000]
const middle = () => 0.5

const answer = (status: number, retryAfterMs: number | null = null) => ({
  status,
  errorClass: status >= 200 && status < 300 ? null : ('status' as const),
  retryAfterMs,
})

const without = (errorClass: ErrorClass) => ({ status: null, errorClass, retryAfterMs: null })

test.each([200, 201, 202, 204, 299])('%d is delivered, at the last attempt too', status => {
  for (const attempt of [1, 5])
    expect(judge(answer(status), attempt, delaysMs)).toEqual({ kind: 'delivered' })
})

test.each([429, 500, 501, 502, 503, 504, 599])('%d is tried again', status => {
  expect(judge(answer(status), 1, delaysMs, middle)).toEqual({ kind: 'retry', delayMs: 10_000 })
})

test.each(['dns', 'connect', 'tls', 'timeout'] as const)('%s is tried again', errorClass => {
  expect(judge(without(errorClass), 2, delaysMs, middle)).toEqual({
    kind: 'retry',
    delayMs: 60_000,
  })
})

test.each([101, 199, 300, 301, 302, 307, 308, 400, 401, 404, 408, 410, 413, 425, 499, 600, 999])(
  '%d is final at once',
  status => {
    expect(judge(answer(status, 1_000), 1, delaysMs)).toEqual({ kind: 'failed' })
  },
)

test('a blocked target is final at once', () => {
  expect(judge(without('blocked'), 1, delaysMs)).toEqual({ kind: 'failed' })
})

test('there are five attempts, with four waits between them', () => {
  const outcomes = [1, 2, 3, 4, 5].map(attempt => judge(answer(500), attempt, delaysMs, middle))
  expect(outcomes).toEqual([
    ...delaysMs.map(delayMs => ({ kind: 'retry' as const, delayMs })),
    { kind: 'failed' },
  ])
  expect(judge(answer(500), 6, delaysMs)).toEqual({ kind: 'failed' })
  expect(judge(answer(500), 1, [])).toEqual({ kind: 'failed' })
})

describe('the wait', () => {
  const waitOf = (random: number, retryAfterMs: number | null = null, attempt = 1) => {
    const judged = judge(answer(503, retryAfterMs), attempt, delaysMs, () => random)
    return judged.kind === 'retry' ? judged.delayMs : undefined
  }

  test('is spread by a fifth to both sides', () => {
    expect([waitOf(0), waitOf(0.5), waitOf(1)]).toEqual([8_000, 10_000, 12_000])
  })

  test('is really spread when no caller says how', () => {
    const waits = Array.from({ length: 200 }, () => {
      const judged = judge(answer(503), 4, delaysMs)
      return judged.kind === 'retry' ? judged.delayMs : 0
    })
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_440_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(2_160_000)
    expect(new Set(waits).size).toBeGreaterThan(100)
  })

  test('is as long as Retry-After asks, and never shorter than ours', () => {
    expect(waitOf(0.5, 30_000)).toBe(30_000)
    expect(waitOf(0.5, 2_000)).toBe(10_000)
    expect(waitOf(1, 11_000)).toBe(12_000)
    expect(waitOf(0.5, 0)).toBe(10_000)
  })

  test('is an hour at most for Retry-After', () => {
    expect(waitOf(0.5, 86_400_000)).toBe(3_600_000)
    expect(waitOf(0.5, 86_400_000, 4)).toBe(3_600_000)
  })

  test('is whole milliseconds', () => {
    expect(Number.isInteger(waitOf(0.123456789))).toBe(true)
  })
})
