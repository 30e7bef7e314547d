// Records what ended, in batches: what ends while a statement runs forms the next batch. One batch at a time, and one that
// failed goes again as it was: the database counts what it has already once.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { RowOf } from '../db/queries.ts'
import { errorCodeOf } from '../lib/error_code.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import type { DeliveryOutcome } from '../sending/outcome.ts'
import type { Reply } from '../sending/sender.ts'
import type { Sent, Subscription } from './subscription.ts'

export type Ended = { startedAt: Date; outcome: DeliveryOutcome; reply: Reply }

export type Result = Ended & { subscription: Subscription; delivery: Sent }

type RecorderOptions = {
  database: Database
  /** Of the lease under which all was sent, and of the database that gave it. */
  fence: number
  identity: string
  subscriptions: ReadonlyMap<string, Subscription>
  /** These results are recorded; the rows of these subscriptions have other versions than they are known with. */
  onRecorded(results: readonly Result[], changed: readonly Subscription[]): void
  /** The tenth final failure in a row was recorded. */
  onPaused(subscriptionId: string): void
  /** Another process leads: only attempts are recorded from now on. */
  onReplaced(): void
  onFailure(error: unknown): void
}

type Position = { subscription: Subscription; cursor: number }
type Row = RowOf<'recordAttempts'>

// What ends meanwhile shares a statement and a commit.
const pauseMs = 10
const batchMax = 1_000
const positionMs = 1_000
// While attempts end: each position is a version of the row, and all stay for as long as a snapshot is held.
const busyPositionMs = 10_000
// Of a subscription without events: its position follows the head.
const quietPositionMs = 60_000
// Until a row that was locked is tried again.
const lockedMs = 1_000
// While so many have ended and are not recorded nothing more is sent: a kill doubles them.
const unrecordedMax = 512
// SQLSTATE class of values that the database does not take: only excerpts and headers come from outside.
const refusedValue = /^22/

const outcomes = { delivered: 'd', failed: 'f', retry: 'r' } as const

const attemptOf = ({ subscription, delivery, startedAt, outcome, reply }: Result) => ({
  subscription_id: subscription.id,
  cursor: delivery.cursor,
  started_at: startedAt,
  version: subscription.row.version,
  duration_ms: reply.durationMs,
  attempt: delivery.attempts + 1,
  status: reply.status,
  outcome: outcomes[outcome.kind],
  error_class: reply.errorClass,
  excerpt: reply.excerpt,
  headers: reply.headers,
  retry_ms: outcome.kind === 'retry' ? outcome.delayMs : null,
})

export class Recorder {
  readonly #options: RecorderOptions
  #waiting: Result[] = []
  /** Of subscriptions whose rows are locked. */
  #locked: Result[] = []
  #lockedUntil = 0
  readonly #loop: ReturnType<typeof startPollLoop>
  #isReplaced = false
  #isStopped = false

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#loop = startPollLoop({
      step: () => this.#step(),
      isOver: () => this.#waiting.length + this.#locked.length === 0,
      onFailure: error => options.onFailure(error),
    })
  }

  add(result: Result) {
    if (result.subscription.isLocked) this.#locked.push(result)
    else if (this.#waiting.push(result) === 1) this.#loop.wake()
  }

  /** Too much cannot be recorded now for more to be sent. */
  get isBehind() {
    return this.#loop.isFailing() || this.#waiting.length > unrecordedMax
  }

  /** Resolves when all is recorded, positions included, or after this time. */
  async stop(milliseconds: number): Promise<void> {
    this.#isStopped = true
    const recorded = this.#loop
      .stop()
      .then(() => this.#step())
      .catch(error => this.#options.onFailure(error))
    await Promise.race([recorded, pause(milliseconds)])
  }

  async #step(): Promise<number> {
    if (!this.#isStopped && this.#waiting.length > 0) await pause(pauseMs)
    if (performance.now() >= this.#lockedUntil) this.#waiting.unshift(...this.#locked.splice(0))
    const batch = this.#waiting.slice(0, batchMax)
    const positions = this.#isReplaced ? [] : this.#duePositions(batch)
    if (batch.length === 0 && positions.length === 0) return positionMs
    const rows = await this.#record(batch, positions)
    this.#waiting.splice(0, batch.length)
    const held = new Set(rows.flatMap(row => (row.held ? [row.subscription_id] : [])))
    const recorded: Result[] = []
    const locked: Result[] = []
    for (const result of batch) {
      result.subscription.isLocked = held.has(result.subscription.id)
      if (result.subscription.isLocked) locked.push(result)
      else recorded.push(result)
    }
    if (locked.length > 0) this.#lockedUntil = performance.now() + lockedMs
    this.#locked.unshift(...locked)
    if (rows.length === 0 && !this.#isReplaced) {
      this.#isReplaced = true
      this.#options.onReplaced()
    }
    this.#settle(recorded, positions, rows)
    return this.#waiting.length > 0 ? 0 : positionMs
  }

  #settle(recorded: Result[], positions: Position[], rows: Row[]) {
    const written = new Map(rows.flatMap(row => (row.held ? [] : [[row.subscription_id, row]])))
    for (const { subscription, cursor } of positions)
      if (written.get(subscription.id)?.version === subscription.row.version)
        subscription.store(cursor)
    for (const { subscription, delivery, outcome } of recorded)
      subscription.settle(delivery, outcome)
    const changed = [...this.#options.subscriptions.values()].filter(
      ({ row: { id, version } }) => (written.get(id)?.version ?? version) !== version,
    )
    for (const subscription of changed)
      if (written.get(subscription.id)?.paused) this.#options.onPaused(subscription.id)
    this.#options.onRecorded(recorded, changed)
  }

  /** With what this batch records. Those that fail are locked for their count anyway, and may be paused by it. */
  #duePositions(batch: readonly Result[]): Position[] {
    const now = performance.now()
    const results = Map.groupBy(batch, ({ subscription }) => subscription)
    return [...this.#options.subscriptions.values()].flatMap(subscription => {
      const ended = results.get(subscription) ?? []
      if (subscription.isLocked && ended.length === 0) return []
      const hasProgress = subscription.hasProgress || ended.length > 0
      const progressMs = batch.length > 0 ? busyPositionMs : positionMs
      const waitMs = hasProgress ? progressMs : quietPositionMs
      const isFailing = ended.some(({ outcome }) => outcome.kind === 'failed')
      if (!this.#isStopped && !isFailing && now - subscription.storedAt < waitMs) return []
      const cursor = subscription.positionAfter(new Set(ended.map(one => one.delivery.cursor)))
      return cursor > subscription.storedCursor ? [{ subscription, cursor }] : []
    })
  }

  async #record(batch: readonly Result[], positions: readonly Position[]): Promise<Row[]> {
    const { database, fence, identity } = this.#options
    const attempts = batch.map(attemptOf)
    const args = {
      fence,
      identity,
      attempts,
      positions: Object.fromEntries(
        positions.map(({ subscription: { id, row }, cursor }) => [
          id,
          { cursor, version: row.version },
        ]),
      ),
    }
    try {
      return await database.rows('recordAttempts', args)
    } catch (error) {
      if (!refusedValue.test(errorCodeOf(error) ?? '')) throw error
      const plain = attempts.map(attempt => ({ ...attempt, excerpt: null, headers: null }))
      return await database.rows('recordAttempts', { ...args, attempts: plain })
    }
  }
}
