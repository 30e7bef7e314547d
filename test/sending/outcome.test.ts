// Spec 6, delivery rules 2 to 4: what is delivered, what is tried again and when, what is final.
import { expect, test } from 'bun:test'
import { judge } from '../../src/sending/outcome.ts'
import type { ErrorClass } from '../../src/sending/sender.ts'

const delaysMs = [10_000, 60_000, 300_000, 1_800_000]

const answer = (status: number, retryAfterMs: number | null = null) => ({
  status,
  errorClass: status >= 200 && status < 300 ? null : ('status' as const),
  retryAfterMs,
})
const without = (errorClass: ErrorClass) => ({ status: null, errorClass, retryAfterMs: null })

/** What becomes of a result at an attempt, with a wait from the middle of its spread. */
const judged = (given: ReturnType<typeof answer> | ReturnType<typeof without>, attempt = 1) => {
  const outcome = judge(given, attempt, delaysMs, () => 0.5)
  return outcome.kind === 'retry' ? outcome.delayMs : outcome.kind
}

test.each([
  ...[200, 201, 202, 204, 299].map(status => [answer(status), 'delivered', 'delivered']),
  ...[429, 500, 501, 502, 503, 504, 599].map(status => [answer(status), 10_000, 'failed']),
  ...(['dns', 'connect', 'tls', 'timeout'] as const).map(one => [without(one), 10_000, 'failed']),
  ...[101, 199, 300, 301, 302, 307, 308, 400, 401, 404, 408, 410, 413, 425, 499, 600, 999].map(
    status => [answer(status, 1_000), 'failed', 'failed'],
  ),
  [without('blocked'), 'failed', 'failed'],
] as [ReturnType<typeof answer>, unknown, unknown][])(
  '%j: %p, at the fifth attempt %p',
  (given, first, last) => {
    expect([judged(given), judged(given, 5)]).toEqual([first, last] as never)
  },
)

test('there are five attempts, with four waits between them', () => {
  expect([1, 2, 3, 4, 5, 6].map(attempt => judged(answer(500), attempt))).toEqual([
    ...delaysMs,
    ...['failed', 'failed'],
  ] as never)
  expect(judge(answer(500), 1, [])).toEqual({ kind: 'failed' })
})

const waitOf = (random: number, retryAfterMs: number | null = null) => {
  const judged = judge(answer(503, retryAfterMs), 1, delaysMs, () => random)
  return judged.kind === 'retry' ? judged.delayMs : undefined
}

test.each([
  ['is spread by a fifth to both sides', [waitOf(0), waitOf(1)], [8_000, 12_000]],
  ['is as long as Retry-After asks', [waitOf(0.5, 30_000)], [30_000]],
  [
    'is never shorter than ours',
    [waitOf(0.5, 2_000), waitOf(1, 11_000), waitOf(0.5, 0)],
    [10_000, 12_000, 10_000],
  ],
  ['is whole milliseconds', [Number.isInteger(waitOf(0.123456789))], [true]],
])('the wait %s', (_what, found, expected) => {
  expect(found).toEqual(expected as never)
})
