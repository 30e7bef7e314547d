// Records outcomes in batches: those that arrive while a statement runs form the next batch. After a failure it first asks
// which attempts are recorded, because the statement may have committed.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { errorCodeOf, oldSnapshot } from '../lib/error_code.ts'
import { type Mutex, openMutex } from '../lib/mutex.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import type { ProcessorShare } from '../lib/processor_share.ts'
import { isPausedBy } from '../model/delivery_rules.ts'
import type { DeliveryResult } from './attempt.ts'
import { settleCount } from './failures.ts'
import { isCountedAnew, type Subscription } from './subscription.ts'

/** What came of a delivery of one of these subscriptions. */
export type SubscriptionResult = DeliveryResult & { subscription: Subscription }

/** A subscription whose count of failures was recorded, and whether that paused it. */
export type FailureCount = { id: string; consecutive_failures: number; paused: boolean }

export type Recorder = {
  add(result: SubscriptionResult): void
  /** The last statement failed. */
  isFailing(): boolean
  /** How many wait to be recorded. */
  waiting(): number
  /** Does something while nothing is being recorded. */
  recordingMutex: Mutex
  /** Resolves when all is recorded, or 2 s later with the statement that runs then. */
  stop(): Promise<void>
}

export type RecorderOptions = {
  database: Database
  worker: string
  /** Of the thread that records. */
  processorShare: ProcessorShare
  /** The subscription under its current fence; it may have been released and taken again. */
  current(subscription: Subscription): Subscription
  onRecorded(results: readonly SubscriptionResult[]): void
  onCounted(count: FailureCount): void
  onFailure(error: unknown): void
}

// Between two batches: what ends meanwhile shares a statement and a commit.
const pauseMs = 12
// While only a few end, or processors are scarce, they wait longer for each other.
const pauseMaxMs = 50
const fewMax = 16
const idleMs = 1_000
const batchMax = 5_000
// Where the database is away. What is not recorded then is sent again.
const stopMaxMs = 2_000
// SQLSTATE classes of values that the database does not take: only excerpts and headers come from outside.
const refusedValue = /^2[23]/
const uniqueViolation = '23505'

type Columns = ReturnType<typeof columnsOf>

function columnsOf(
  results: readonly SubscriptionResult[],
  current: RecorderOptions['current'],
  withTexts: boolean,
) {
  const fences = results.map(({ subscription }) => current(subscription).fence)
  return {
    nos: results.map(({ subscription }) => subscription.no),
    cursors: results.map(({ delivery }) => delivery.cursor),
    fences,
    started_at: results.map(({ startedAt }) => startedAt),
    duration_ms: results.map(({ reply }) => Math.round(reply?.durationMs ?? 0)),
    statuses: results.map(({ reply }) => reply?.status ?? null),
    excerpts: results.map(({ reply }) => (withTexts ? (reply?.excerpt ?? null) : null)),
  }
}

const isPlain = ({ delivery, outcome }: SubscriptionResult) =>
  outcome.kind === 'delivered' && delivery.attempts === 0 && !delivery.scheduled

/** All of record_attempts. */
function fullColumns(
  worker: string,
  results: readonly SubscriptionResult[],
  columns: Columns,
  withTexts: boolean,
  counted: readonly Subscription[],
) {
  return {
    ...columns,
    attempts: results.map(({ delivery }) => delivery.attempts + 1),
    outcomes: results.map(({ outcome }) => outcome.kind),
    error_classes: results.map(({ reply }) => reply?.errorClass ?? null),
    headers: results.map(({ reply }) => (withTexts ? (reply?.headers ?? null) : null)),
    retry_ms: results.map(({ outcome }) =>
      'delayMs' in outcome ? Math.round(outcome.delayMs) : null,
    ),
    counted_nos: counted.map(({ no }) => no),
    counts: counted.map(({ failures }) => failures),
    worker,
  }
}

/** A count is recorded with an attempt of its subscription, or not at all. */
function settleCounts(
  { current, onCounted }: RecorderOptions,
  counts: ReadonlyMap<Subscription, number>,
  recordedNos: ReadonlySet<number>,
) {
  for (const [subscription, count] of counts) {
    if (!recordedNos.has(subscription.no)) continue
    const now = current(subscription)
    settleCount(now, count, isCountedAnew(subscription, now))
    onCounted({
      id: subscription.target.id,
      consecutive_failures: count,
      paused: isPausedBy(count),
    })
  }
}

/** Writes batches; after a failure what was carried out all the same is left out. */
function openBatchWriter(options: RecorderOptions) {
  const { database, worker, current, onCounted } = options
  // The statement before failed, and may have been carried out.
  let uncertain = false
  // The counts that went with it.
  let sentCounts = new Map<Subscription, number>()
  let withTexts = true

  async function leaveOutRecorded(
    batch: readonly SubscriptionResult[],
  ): Promise<SubscriptionResult[]> {
    const { nos, cursors, started_at } = columnsOf(batch, current, false)
    const rows = await database.rows('listRecordedAttempts', { nos, cursors, started_at })
    const recorded = new Set(rows.map(({ no, cursor }) => `${no} ${cursor}`))
    settleCounts(options, sentCounts, new Set(rows.map(({ no }) => no)))
    sentCounts.clear()
    return batch.filter(({ subscription, delivery }) => {
      return !recorded.has(`${subscription.no} ${delivery.cursor}`)
    })
  }

  /** A count is written with a new attempt of its subscription, and waits for one. */
  async function write(unrecorded: readonly SubscriptionResult[]) {
    const counted = [
      ...new Set(unrecorded.map(({ subscription }) => current(subscription))),
    ].filter(({ countChanged }) => countChanged)
    const columns = columnsOf(unrecorded, current, withTexts)
    if (counted.length === 0 && unrecorded.every(isPlain)) {
      await database.rows('recordDelivered', columns)
      return
    }
    sentCounts = new Map(counted.map(subscription => [subscription, subscription.failures]))
    for (const subscription of counted) subscription.countChanged = false
    const full = fullColumns(worker, unrecorded, columns, withTexts, counted)
    const send = () => database.rows('recordAttempts', full)
    try {
      // The owner changed one of them meanwhile; nothing was recorded.
      const rows = await send().catch(error => {
        if (errorCodeOf(error) !== oldSnapshot) throw error
        return send()
      })
      for (const row of rows) onCounted({ ...row, paused: row.paused === true })
      const written = new Set(rows.map(({ id }) => id))
      for (const subscription of counted)
        if (!written.has(subscription.target.id)) subscription.countChanged = true
    } catch (error) {
      for (const subscription of counted) subscription.countChanged = true
      throw error
    }
  }

  async function record(batch: readonly SubscriptionResult[]) {
    try {
      const unrecorded = uncertain ? await leaveOutRecorded(batch) : batch
      if (unrecorded.length > 0) await write(unrecorded)
      uncertain = false
      sentCounts.clear()
      withTexts = true
    } catch (error) {
      const code = errorCodeOf(error)
      uncertain = true
      if (code !== uniqueViolation && refusedValue.test(code)) withTexts = false
      throw error
    }
  }

  return record
}

export function openRecorder(options: RecorderOptions): Recorder {
  const { onRecorded, onFailure, processorShare } = options
  const record = openBatchWriter(options)
  const recordingMutex = openMutex()
  let waiting: SubscriptionResult[] = []
  let stopped = false
  let givenUp = false

  const pauseAfter = (recorded: number) =>
    recorded <= fewMax ? pauseMaxMs : Math.min(pauseMaxMs, pauseMs / (processorShare() ?? 1))

  const loop = startPollLoop({
    async step() {
      if (waiting.length === 0) return idleMs
      const batch = waiting.slice(0, batchMax)
      waiting = waiting.slice(batch.length)
      try {
        await recordingMutex(async () => {
          await record(batch)
          onRecorded(batch)
        })
      } catch (error) {
        waiting = [...batch, ...waiting]
        throw error
      }
      if (!stopped) await pause(pauseAfter(batch.length))
      return waiting.length > 0 ? 0 : idleMs
    },
    isOver: () => waiting.length === 0 || givenUp,
    onFailure,
  })

  return {
    add(result) {
      waiting.push(result)
      loop.wake()
    },
    isFailing: loop.isFailing,
    recordingMutex,
    waiting: () => waiting.length,
    async stop() {
      stopped = true
      const limit = setTimeout(() => {
        givenUp = true
        loop.wake()
      }, stopMaxMs)
      await loop.stop()
      clearTimeout(limit)
    },
  }
}
