// Recording what ended, over a database that fails, answers late, or takes a statement and is lost before its answer.
import { afterEach, expect, test } from 'bun:test'
import type { Arguments, Database } from '../../src/db/database.ts'
import type { DeliveryResult } from '../../src/delivery/attempt.ts'
import {
  type FailureCount,
  openRecorder,
  type Recorder,
  type SubscriptionResult,
} from '../../src/delivery/recorder.ts'
import type { Subscription } from '../../src/delivery/subscription.ts'
import { until } from '../support/until.ts'
import { subscription } from './subscription.ts'

type Call = { name: string; args: Arguments; cursors: number[] }
type Answer = (call: Call) => unknown

let recorder: Recorder
let calls: Call[] = []
let recorded: number[] = []
let faults: unknown[] = []
let counted: FailureCount[] = []
let answers: Answer[] = []
let share: number | undefined

/** Every count is written. */
const written: Answer = ({ args }) =>
  (args.counted_nos as number[] | undefined)?.map((no, place) => ({
    id: `subscription ${no}`,
    consecutive_failures: (args.counts as number[])[place],
    paused: false,
  }))

/** Statements get these answers in turn, then the usual one. */
function open(given: Answer[] = [], current = (one: Subscription) => one) {
  calls = []
  recorded = []
  faults = []
  counted = []
  share = undefined
  answers = given
  const database = {
    async rows(name: string, args: Arguments) {
      const call = { name, args, cursors: [...(args.cursors as number[])] }
      calls.push(call)
      return (await (answers.shift() ?? written)(call)) ?? []
    },
  } as unknown as Database
  recorder = openRecorder({
    database,
    worker: 'w',
    processorShare: () => share,
    current,
    onRecorded: results => recorded.push(...results.map(({ delivery }) => delivery.cursor)),
    onCounted: count => counted.push(count),
    onFailure: error => faults.push(error),
  })
}

afterEach(() => recorder.stop())

const reply = {
  status: 200,
  errorClass: null,
  retryAfterMs: null,
  excerpt: 'ok',
  headers: null,
  durationMs: 1.6,
}

const result = (
  one: Subscription,
  cursor: number,
  outcome: DeliveryResult['outcome'] = { kind: 'delivered' },
  members: Partial<SubscriptionResult['delivery']> = {},
): SubscriptionResult => ({
  subscription: one,
  delivery: { cursor, attempts: 0, scheduled: false, ...members },
  outcome,
  startedAt: new Date(),
  reply: { ...reply },
})

const names = () => calls.map(({ name }) => name)
const fails = (code?: string) => () => {
  throw Object.assign(new Error('the database is away'), { code })
}

test('what was delivered at the first try takes the short statement, anything else the long one', async () => {
  open()
  const one = subscription(1)
  recorder.add(result(one, 1))
  recorder.add(result(one, 2))
  await until(() => recorded.length === 2)
  recorder.add(result(one, 3))
  recorder.add(result(one, 4, { kind: 'retry', delayMs: 700 }))
  await until(() => recorded.length === 4)
  recorder.add(result(one, 5, undefined, { attempts: 2, scheduled: true }))
  await until(() => recorded.length === 5)
  expect(names()).toEqual(['recordDelivered', 'recordAttempts', 'recordAttempts'])
  expect(calls[0]).toMatchObject({
    cursors: [1, 2],
    args: { nos: [1, 1], fences: [1, 1], statuses: [200, 200], duration_ms: [2, 2] },
  })
  expect(calls[1]?.args).toMatchObject({
    outcomes: ['delivered', 'retry'],
    attempts: [1, 1],
    retry_ms: [null, 700],
    counted_nos: [],
  })
  expect(calls[2]?.args).toMatchObject({ attempts: [3] })
})

test('what the owner changed meanwhile is recorded at once all the same, without a fault', async () => {
  open([fails('40001')])
  recorder.add(result(subscription(1), 1, { kind: 'failed' }))
  await until(() => recorded.length === 1)
  expect([names(), faults]).toEqual([['recordAttempts', 'recordAttempts'], []])
})

test('a count is told with the batch that changed it, once', async () => {
  open()
  const one = subscription(1, { failures: 4, countChanged: true })
  recorder.add(result(one, 1, { kind: 'failed' }))
  await until(() => recorded.length === 1)
  expect(calls[0]?.args).toMatchObject({ counted_nos: [1], counts: [4] })
  recorder.add(result(one, 2))
  await until(() => recorded.length === 2)
  expect(names()).toEqual(['recordAttempts', 'recordDelivered'])
})

test('what was owned under another fence meanwhile is recorded under the present one', async () => {
  const before = subscription(1, { fence: 3 })
  const now = subscription(1, { fence: 4, failures: 2, countChanged: true })
  open([], () => now)
  recorder.add(result(before, 1, { kind: 'failed' }))
  await until(() => recorded.length === 1)
  expect(calls[0]?.args).toMatchObject({ fences: [4], counts: [2] })
  expect(now.countChanged).toBe(false)
})

test('while the database is away what ended is kept, in order, and it says that it fails', async () => {
  open([fails(), fails()])
  const one = subscription(1)
  recorder.add(result(one, 1))
  await until(() => recorder.isFailing())
  recorder.add(result(one, 2))
  expect(recorder.waiting()).toBe(2)
  await until(() => recorded.length === 2)
  expect(recorded).toEqual([1, 2])
  await until(() => !recorder.isFailing())
  expect(faults).toHaveLength(2)
})

test('an answer that was lost: what is recorded already is not recorded again', async () => {
  open([fails(), () => [{ no: 1, cursor: 1 }]])
  const [one, other] = [subscription(1), subscription(2)]
  recorder.add(result(one, 1))
  recorder.add(result(other, 1))
  await until(() => recorded.length === 2)
  expect(names()).toEqual(['recordDelivered', 'listRecordedAttempts', 'recordDelivered'])
  expect(calls[2]).toMatchObject({ cursors: [1], args: { nos: [2] } })
  expect(calls[1]?.args.started_at).toEqual(calls[0]?.args.started_at)
  // Certain again: the next batch asks nothing.
  recorder.add(result(one, 2))
  await until(() => recorded.length === 3)
  expect(names().slice(3)).toEqual(['recordDelivered'])
})

test('lost twice it asks again, and the count that was recorded is not recorded again', async () => {
  open([fails(), fails(), () => [{ no: 1, cursor: 1 }]])
  const one = subscription(1, { failures: 10, countChanged: true, paused: true })
  recorder.add(result(one, 1, { kind: 'failed' }))
  await until(() => recorded.length === 1)
  expect(names()).toEqual(['recordAttempts', 'listRecordedAttempts', 'listRecordedAttempts'])
  expect(counted).toEqual([{ id: one.target.id, consecutive_failures: 10, paused: true }])
  recorder.add(result(one, 2, { kind: 'retry', delayMs: 700 }))
  await until(() => recorded.length === 2)
  expect(calls[3]).toMatchObject({ cursors: [2], args: { counted_nos: [] } })
})

test('a count whose answer was lost: what failed since is added to it', async () => {
  open([fails(), () => [{ no: 1, cursor: 1 }]])
  const one = subscription(1, { failures: 3, countChanged: true })
  recorder.add(result(one, 1, { kind: 'failed' }))
  await until(() => faults.length === 1)
  one.failures = 5
  recorder.add(result(one, 2, { kind: 'failed' }))
  await until(() => recorded.length === 2)
  expect(calls.at(-1)).toMatchObject({ cursors: [2], args: { counted_nos: [1], counts: [5] } })
})

test('a count that was answered is not settled by an answer that is lost later', async () => {
  open([written, fails(), () => [{ no: 1, cursor: 2 }]])
  const one = subscription(1, { failures: 4, countChanged: true })
  recorder.add(result(one, 1, { kind: 'failed' }))
  await until(() => recorded.length === 1)
  recorder.add(result(one, 2))
  await until(() => recorded.length === 2)
  expect(names()).toEqual(['recordAttempts', 'recordDelivered', 'listRecordedAttempts'])
  expect(counted).toHaveLength(1)
})

test('a count that was not written goes with the next attempt', async () => {
  open([() => []])
  const one = subscription(1, { failures: 4, countChanged: true })
  recorder.add(result(one, 1, { kind: 'failed' }))
  await until(() => recorded.length === 1)
  recorder.add(result(one, 2))
  await until(() => recorded.length === 2)
  expect(calls[1]?.args).toMatchObject({ counted_nos: [1], counts: [4] })
  expect(counted).toMatchObject([{ consecutive_failures: 4 }])
})

test('a tenth failure whose answer was lost does not count against what the owner began anew', async () => {
  const before = subscription(1, { fence: 3, failures: 10, countChanged: true, paused: true })
  const now = subscription(1, {
    ...{ fence: 4, countedFrom: 4, failures: 11, countChanged: true, paused: true },
  })
  open([fails(), () => [{ no: 1, cursor: 1 }]], () => (faults.length > 0 ? now : before))
  recorder.add(result(before, 1, { kind: 'failed' }))
  await until(() => recorded.length === 1)
  expect(now).toMatchObject({ failures: 1, countChanged: true, paused: false })
})

test('a count whose answer was lost goes on where the owner changed something else', async () => {
  const before = subscription(1, { fence: 3, failures: 4, countChanged: true })
  const now = subscription(1, { fence: 4, failures: 5, countChanged: true })
  open([fails(), () => [{ no: 1, cursor: 1 }]], () => (faults.length > 0 ? now : before))
  recorder.add(result(before, 1, { kind: 'failed' }))
  await until(() => recorded.length === 1)
  expect(now).toMatchObject({ failures: 5, countChanged: true })
})

test('an excerpt that the database refuses is left out', async () => {
  open([fails('22021')])
  recorder.add(result(subscription(1), 1))
  await until(() => recorded.length === 1)
  const statements = calls.filter(({ name }) => name === 'recordDelivered')
  expect(statements.map(({ args }) => args.excerpts)).toEqual([['ok'], [null]])
  recorder.add(result(subscription(1), 2))
  await until(() => recorded.length === 2)
  expect(calls.at(-1)?.args.excerpts).toEqual(['ok'])
})

test('a unique violation is no reason to leave excerpts out: it asks', async () => {
  open([fails('23505'), () => [{ no: 1, cursor: 1 }]])
  recorder.add(result(subscription(1), 1))
  recorder.add(result(subscription(1), 2))
  await until(() => recorded.length === 2)
  expect(calls.at(-1)).toMatchObject({ cursors: [2], args: { excerpts: ['ok'] } })
})

test.each([
  [undefined, 12],
  [0.25, 40],
])('with a share of %p of a processor, batches are %p ms apart or more', async (processors, ms) => {
  const at: number[] = []
  const note = () => void at.push(performance.now())
  open([note, note])
  share = processors
  const one = subscription(1)
  for (let cursor = 1; cursor <= 5_001; cursor += 1) recorder.add(result(one, cursor))
  await until(() => at.length === 2)
  // A timer may be early by less than a millisecond.
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(ms - 1)
})

test('a batch has a bound; the rest follows', async () => {
  open()
  const one = subscription(1)
  for (let cursor = 1; cursor <= 6_000; cursor += 1) recorder.add(result(one, cursor))
  await until(() => recorded.length === 6_000)
  expect(calls.map(({ cursors }) => cursors.length)).toEqual([5_000, 1_000])
})

test('what gathers while one statement is on its way makes the next one', async () => {
  const first = Promise.withResolvers<unknown>()
  open([() => first.promise])
  const one = subscription(1)
  recorder.add(result(one, 1))
  await until(() => calls.length === 1)
  for (const cursor of [2, 3, 4]) recorder.add(result(one, cursor))
  expect(recorder.waiting()).toBe(3)
  first.resolve([])
  await until(() => recorded.length === 4)
  expect(calls.map(({ cursors }) => cursors)).toEqual([[1], [2, 3, 4]])
})

test('nothing is recorded while something is done alone, and that waits for what is being recorded', async () => {
  const first = Promise.withResolvers<unknown>()
  open([() => first.promise])
  const one = subscription(1)
  recorder.add(result(one, 1))
  await until(() => calls.length === 1)
  const work = Promise.withResolvers<void>()
  let seen: number[] | undefined
  const working = recorder.recordingMutex(() => {
    seen = [...recorded]
    return work.promise
  })
  recorder.add(result(one, 2))
  first.resolve([])
  await until(() => seen)
  expect(seen).toEqual([1])
  // Long enough for the next batch, were it not held back.
  await Bun.sleep(100)
  expect(calls).toHaveLength(1)
  work.resolve()
  await working
  await until(() => recorded.length === 2)
})

test('a stop waits until all is recorded', async () => {
  open([fails()])
  const one = subscription(1)
  recorder.add(result(one, 1))
  recorder.add(result(one, 2))
  await recorder.stop()
  expect(recorded).toEqual([1, 2])
})

test('a stop does not wait for a database that stays away', async () => {
  open(Array.from({ length: 100 }, () => fails()))
  recorder.add(result(subscription(1), 1))
  const startedAt = performance.now()
  await recorder.stop()
  expect(performance.now() - startedAt).toBeLessThan(4_000)
  expect([recorded, faults.length > 0]).toEqual([[], true])
})
