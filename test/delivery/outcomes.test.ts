// What becomes of a delivery, by what the receiver does: against a real HTTPS receiver in another process.
import { beforeAll, describe, expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { type AttemptRow, type Hook, shortDelays, useHooks } from '../support/delivery/delivery.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks

const totalMs = 1_500

hooks.useWorker({ sending: { connectMs: 1_000, totalMs } })

type Expected = {
  state: 'delivered' | 'failed'
  /** What each attempt came to: a status, an error class, or both. */
  attempts: [status: number | null, errorClass: string | null][]
  /** Least milliseconds between the attempts; the delays of the settings where nothing is said. */
  waits?: number[]
}

const times = (count: number, status: number | null, errorClass: string | null) =>
  Array.from({ length: count }, (): [number | null, string | null] => [status, errorClass])

const delivered = (status = 200): Expected => ({ state: 'delivered', attempts: [[status, null]] })
const finalAt = (status: number): Expected => ({
  state: 'failed',
  attempts: [[status, 'status']],
})
const exhausted = (status: number | null, errorClass: string): Expected => ({
  state: 'failed',
  attempts: times(5, status, errorClass),
})

const cases: Record<string, [path: string, expected: Expected]> = {
  '200': ['/ok/200', delivered()],
  '204': ['/no-content', delivered(204)],
  'any 2xx': ['/status/299', delivered(299)],
  'a 200 with an endless body': ['/endless', delivered()],
  'a 200 with a gzip bomb': ['/gzip-bomb', delivered()],
  'early hints before 200': ['/hints', delivered()],
  '500, then 200': [
    '/flaky/1',
    { state: 'delivered', attempts: [...times(1, 500, 'status'), [200, null]] },
  ],
  'four times 500, then 200': [
    '/flaky/4',
    { state: 'delivered', attempts: [...times(4, 500, 'status'), [200, null]] },
  ],
  '500 for ever': ['/status/500', exhausted(500, 'status')],
  '503 for ever': ['/status/503', exhausted(503, 'status')],
  '429 for ever': ['/status/429', exhausted(429, 'status')],
  '429 with Retry-After in seconds': [
    '/retry-after?seconds=2',
    { state: 'delivered', attempts: [...times(1, 429, 'status'), [200, null]], waits: [2_000] },
  ],
  // A date has no fractions of a second: it may name up to one less.
  '429 with Retry-After as a date': [
    '/retry-after/date?date=3',
    { state: 'delivered', attempts: [...times(1, 429, 'status'), [200, null]], waits: [1_900] },
  ],
  '503 with Retry-After': [
    '/retry-after/503?seconds=1&status=503',
    { state: 'delivered', attempts: [...times(1, 503, 'status'), [200, null]], waits: [1_000] },
  ],
  '301': ['/redirect/301', finalAt(301)],
  '308': ['/redirect/308', finalAt(308)],
  '400': ['/status/400', finalAt(400)],
  '404': ['/status/404', finalAt(404)],
  '410': ['/status/410', finalAt(410)],
  'a connection reset': ['/reset', exhausted(null, 'connect')],
  'no answer': ['/tarpit', exhausted(null, 'timeout')],
  'slow headers': ['/slow-headers', exhausted(null, 'timeout')],
  'a slow body': ['/slow-body', exhausted(null, 'timeout')],
  'endless headers': ['/endless-headers', exhausted(null, 'connect')],
  'another protocol': ['/upgrade', exhausted(null, 'connect')],
}

/** The time between one attempt's end and the next one's start. */
const waitsOf = (attempts: AttemptRow[]) =>
  attempts
    .slice(1)
    .map(
      (attempt, index) =>
        attempt.started - (attempts[index]?.started ?? 0) - (attempts[index]?.duration_ms ?? 0),
    )

// One event for all of them.
const subscribed = new Map<string, Hook>()

beforeAll(async () => {
  const targets = [
    ...Object.values(cases).map(([path]) => receiver.url(path)),
    ...Object.values(unreachable).map(([target]) => target()),
  ]
  for (const target of targets) subscribed.set(target, await hooks.subscribe(target))
  await hooks.emit(1)
})

async function deliverTo(target: string, { state, attempts, waits }: Expected) {
  const hook = subscribed.get(target) as Hook
  const [row] = await hooks.ended(hook, 1, 25_000)
  const made = await hooks.attempts(hook)
  expect(made.map(({ status, error_class }) => [status, error_class])).toEqual(attempts)
  expect(row).toMatchObject({ state, attempts: attempts.length })
  const least = waits ?? shortDelays.map(seconds => seconds * 1_000 * 0.8)
  waitsOf(made).forEach((wait, index) => {
    // 5 ms: the clocks of two processes, rounded.
    expect(wait).toBeGreaterThanOrEqual((least[index] ?? 0) - 5)
    // Noticed by a poll, on a busy machine.
    expect(wait).toBeLessThan((least[index] ?? 0) * 1.5 + 10_000)
  })
  return made
}

describe.concurrent('the receiver answers', () => {
  test.each(Object.entries(cases))('%s', async (_, [path, expected]) => {
    const made = await deliverTo(receiver.url(path), expected)
    for (const { duration_ms } of made) expect(duration_ms).toBeLessThan(totalMs + 1_000)
    // One request per attempt: nothing is sent twice, nothing is followed.
    const pathname = new URL(receiver.url(path)).pathname
    const seen = (await receiver.requests()).filter(
      request => new URL(request.path, receiver.origin).pathname === pathname,
    )
    expect(seen).toHaveLength(made.length)
    expect((await receiver.requests('/ok/redirected')).length).toBe(0)
  })
})

// Where the receiver listens is known once it runs.
const unreachable: Record<string, [target: () => string, expected: Expected]> = {
  'its certificate is for another name': [
    () => `${receiver.otherNameOrigin}/ok`,
    exhausted(null, 'tls'),
  ],
  'its certificate is signed by no known authority': [
    () => `${receiver.untrustedOrigin}/ok`,
    exhausted(null, 'tls'),
  ],
  'its certificate has expired': [() => `${receiver.expiredOrigin}/ok`, exhausted(null, 'tls')],
  'nothing listens': [() => 'https://127.0.0.1:9/closed', exhausted(null, 'connect')],
  'its name does not resolve': [() => 'https://nowhere.invalid/x', exhausted(null, 'dns')],
  'it takes connections and says nothing': [
    () => `${receiver.silentOrigin}/x`,
    exhausted(null, 'timeout'),
  ],
  'its address is forbidden: final at once': [
    () => 'https://10.0.0.1/x',
    { state: 'failed', attempts: [[null, 'blocked']] },
  ],
}

describe.concurrent('the receiver cannot be reached', () => {
  test.each(Object.entries(unreachable))('%s', async (_, [target, expected]) => {
    await deliverTo(target(), expected)
  })
})
