// Delivers while this process leads: follows the feed, sends, has recorded what ended. All that it knows belongs to one term,
// the time under one fence; the next term begins with what the database says.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { Batch, FeedFollower } from '../feed/log_event.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import type { Log } from '../observability/log.ts'
import { judge } from '../sending/outcome.ts'
import type { Sender } from '../sending/sender.ts'
import { type Signer, traceOf, traceparentOf } from '../sending/signature.ts'
import { Dispatch } from './dispatch.ts'
import { LogReader } from './log_reader.ts'
import { type Ended, Recorder, type Result } from './recorder.ts'
import { type Delivery, type HookRow, Subscription } from './subscription.ts'

type DelivererOptions = {
  database: Database
  sender: Sender
  sign: Signer
  log: Log
  /** Milliseconds before the second attempt, the third, and so on. */
  delaysMs: readonly number[]
  /** Requests in flight to one subscription. */
  concurrency: number
  /** Whether this process may send: its lease is not over, by its own clock. */
  isLeading(): boolean
  /** A batch was refused: another process leads. */
  onReplaced(): void
  /** A subscription reached ten final failures in a row. */
  onPaused(subscriptionId: string): void
}

type Look = { versions: string; due: readonly string[] }

// How long attempts may go on at a stop, and how long recording them may take.
const drainMs = 2_000
const recordMs = 2_000
const drainLookMs = 10
// A fault of ours, most likely a secret that no key of this process opens: nothing mends it before the next start.
const faultMs = 60_000

// What has changed is notified, and seen by the look of each second.
const refreshMs = 60_000

/** Signs, sends, judges and logs. Throws where no key opens the secret; every failure of the receiver is an outcome. */
async function makeAttempt(
  { sender, sign, log, delaysMs }: DelivererOptions,
  row: HookRow,
  { id, cursor, body, attempts, occurredMs }: Delivery,
): Promise<Ended> {
  const startedAt = new Date()
  const trace = traceOf(id)
  const headers = sign(row, id, body)
  headers.traceparent = traceparentOf(trace)
  headers['X-Service-Cursor'] = String(cursor)
  const reply = await sender.send({ url: row.target_url, group: row.id, headers, body })
  const outcome = judge(reply, attempts + 1, delaysMs)
  const isReceived = outcome.kind === 'delivered'
  log.event('attempt', {
    subscription_id: row.id,
    cursor,
    event_id: id,
    attempt: attempts + 1,
    outcome: outcome.kind,
    status: reply.status ?? undefined,
    error_class: reply.errorClass ?? undefined,
    duration_ms: reply.durationMs,
    receipt_ms: isReceived ? Math.max(0, Date.now() - occurredMs) : undefined,
    ...trace,
  })
  return { startedAt, outcome, reply }
}

type TermOptions = DelivererOptions & {
  fence: number
  identity: string
  /** The sender is closed: a request that fails now failed because this process stops. */
  isCut(): boolean
}

class Term {
  readonly subscriptions = new Map<string, Subscription>()
  readonly reader: LogReader
  readonly dispatch: Dispatch
  readonly recorder: Recorder
  head = 0
  isOver = false
  readonly #options: TermOptions
  /** Reads the subscriptions, and again when it is woken. */
  readonly #refreshing: ReturnType<typeof startPollLoop>
  #byType = new Map<string, Subscription[]>()
  #versions = ''

  constructor(given: TermOptions) {
    this.#options = given
    const options = {
      ...given,
      subscriptions: this.subscriptions,
      onFailure: (error: unknown) => given.log.fault('deliveries', error),
    }
    this.reader = new LogReader({
      ...options,
      onRead: subscription => this.#wake([subscription]),
    })
    this.recorder = new Recorder({
      ...options,
      onRecorded: (results, changed) => this.#onRecorded(results, changed),
    })
    this.#refreshing = startPollLoop({
      step: () => this.#readSubscriptions(),
      onFailure: options.onFailure,
    })
    this.dispatch = new Dispatch({
      reader: this.reader,
      concurrency: options.concurrency,
      head: () => this.head,
      isBlocked: () => this.isOver || !options.isLeading() || this.recorder.isBehind,
      send: (subscription, delivery) => void this.#send(subscription, delivery),
    })
  }

  wantedTypes = () => [...this.#byType.keys()]

  onSequenced(batch: Batch) {
    this.head = Math.max(this.head, batch.to)
    this.reader.take(batch, this.wantedTypes())
    for (const type of new Set(batch.events.map(event => event.type)))
      for (const subscription of this.#byType.get(type) ?? []) this.dispatch.add(subscription)
    this.dispatch.run()
  }

  onHead(head: number) {
    if (head <= this.head) return
    this.head = head
    this.#wake(this.subscriptions.values())
  }

  look({ versions, due }: Look) {
    if (versions !== this.#versions) this.refresh()
    this.#versions = versions
    for (const id of due) {
      const subscription = this.subscriptions.get(id)
      if (subscription) subscription.hasDue = true
    }
    if (this.#leavers().length > 0) this.refresh()
    // What was held up by a lease in doubt may go on.
    this.#wake(this.subscriptions.values())
  }

  /** Reads the subscriptions again. Once more where it is asked for meanwhile: what was read may be older than the change. */
  refresh = () => this.#refreshing.wake()

  close() {
    this.isOver = true
    void this.#refreshing.stop()
    for (const subscription of this.subscriptions.values()) this.reader.remove(subscription)
  }

  async #readSubscriptions(): Promise<number> {
    // Nothing of these is started or recorded any more, so that their rows are as new as what is known.
    const leavers = this.#leavers()
    const rows = await this.#options.database.rows('listActiveHooks', {})
    for (const { id } of leavers) this.subscriptions.delete(id)
    const found = new Map(rows.map(row => [row.id, row]))
    for (const known of this.subscriptions.values()) {
      const row = found.get(known.id)
      if (row?.version === known.row.version) known.waiting = row.waiting
      else this.#leave(known, 0)
      if (known.isOver) this.refresh()
    }
    for (const row of rows)
      if (!this.subscriptions.has(row.id)) this.subscriptions.set(row.id, new Subscription(row))
    const all = [...this.subscriptions.values()]
    const types = new Set(all.flatMap(one => [...one.types]))
    this.#byType = new Map([...types].map(type => [type, all.filter(one => one.types.has(type))]))
    this.#wake(all)
    return refreshMs
  }

  /** Those that may begin again as their rows say. */
  #leavers = () => [...this.subscriptions.values()].filter(({ isOver }) => isOver)

  #leave(subscription: Subscription, waitMs: number) {
    subscription.leave(waitMs)
    this.dispatch.remove(subscription)
    this.reader.remove(subscription)
  }

  #wake(subscriptions: Iterable<Subscription>) {
    for (const subscription of subscriptions) this.dispatch.add(subscription)
    this.dispatch.run()
  }

  async #send(subscription: Subscription, delivery: Delivery) {
    // Without the body: what is not recorded yet may be much.
    const { cursor, attempts, isRetry } = delivery
    try {
      const ended = await makeAttempt(this.#options, subscription.row, delivery)
      if (!this.#options.isCut() || ended.reply.status !== null) {
        subscription.count(ended.outcome)
        this.recorder.add({ subscription, delivery: { cursor, attempts, isRetry }, ...ended })
      }
    } catch (error) {
      this.#options.log.fault('delivery', error, { subscription_id: subscription.id, cursor })
      this.#leave(subscription, faultMs)
    }
    this.dispatch.end(subscription, delivery)
    this.dispatch.run()
  }

  #onRecorded(results: readonly Result[], changed: readonly Subscription[]) {
    for (const subscription of changed) this.#leave(subscription, 0)
    if (changed.length > 0 || results.some(({ subscription }) => subscription.isOver))
      this.refresh()
    this.#wake(results.map(({ subscription }) => subscription))
  }

  /** Lets requests in flight end, for so long at most; then nothing is left but to record. */
  async drain(milliseconds: number) {
    const until = performance.now() + milliseconds
    while (this.dispatch.inFlight > 0 && performance.now() < until) await pause(drainLookMs)
  }
}

/** Never fails: what goes wrong is logged and tried again. */
export function startDeliverer(options: DelivererOptions) {
  let term: Term | undefined
  let isStopped = false
  let isCut = false

  /** What is in flight is recorded under the fence under which it was sent: if that is over, as attempts alone. */
  async function finish(ended: Term) {
    ended.close()
    await ended.drain(Number.POSITIVE_INFINITY)
    await ended.recorder.stop(recordMs)
  }

  function end() {
    if (term) void finish(term)
    term = undefined
  }

  const follower: FeedFollower = {
    wantedTypes: () => term?.wantedTypes() ?? [],
    onSequenced: batch => term?.onSequenced(batch),
    onHead: head => term?.onHead(head),
  }
  return {
    ...follower,
    /** This process leads from now on, under this fence and in this database. */
    begin(fence: number, identity: string) {
      end()
      if (!isStopped) term = new Term({ ...options, fence, identity, isCut: () => isCut })
    },
    /** It leads no longer. */
    end,
    /** Called once a second: how the subscriptions stand, and those with an attempt that is due. */
    look: (state: Look) => term?.look(state),
    /** Subscriptions changed. */
    refresh: () => term?.refresh(),
    /** Events were erased: what is in memory may be one of them. */
    forgetEvents: () => term?.reader.forget(),
    /** Starts nothing more, lets attempts end for a while, records. */
    async stop() {
      const last = term
      term = undefined
      isStopped = true
      last?.close()
      await last?.drain(drainMs)
      isCut = true
      options.sender.close()
      if (last) await finish(last)
    },
  }
}
