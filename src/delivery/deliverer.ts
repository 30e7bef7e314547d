// Delivers while this process leads: follows the feed, sends, has recorded what ended. All that it knows belongs to one term,
// the time under one fence; the next term begins with what the database says.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import type { RowOf } from '../db/queries.ts'
import type { FeedFollower } from '../feed/follower.ts'
import { type AttemptDeps, makeAttempt } from './attempt.ts'
import { Dispatch } from './dispatch.ts'
import { LogReader } from './log_reader.ts'
import { Recorder, type Result } from './recorder.ts'
import { type Delivery, Subscription } from './subscription.ts'

export type DelivererOptions = AttemptDeps & {
  database: Database
  /** Requests in flight to one subscription. */
  concurrency: number
  /** Whether this process may send: its lease is not over, by its own clock. */
  isLeading(): boolean
  /** A batch was refused: another process leads. */
  onReplaced(): void
  /** A subscription reached ten final failures in a row. */
  onPaused(subscriptionId: string): void
}

export type Deliverer = FeedFollower & {
  /** This process leads from now on, under this fence. */
  begin(fence: number): void
  /** It leads no longer. */
  end(): void
  /** Called once a second: how the subscriptions stand, and whether an attempt is due by now or within a second. */
  look(state: { versions: string; hasDue: boolean }): void
  /** Subscriptions changed. */
  refresh(): void
  /** Events were erased: what is in memory may be one of them. */
  forgetEvents(): void
  /** Starts nothing more, lets attempts end for a while, records. */
  stop(): Promise<void>
}

// While so many have ended and are not recorded nothing more is sent: a kill doubles them.
const unrecordedMax = 512
// How long attempts may go on at a stop, and how long recording them may take.
const drainMs = 2_000
const recordMs = 2_000
const drainLookMs = 10
const dueLookMs = 100
// A fault of ours, most likely a secret that no key of this process opens: nothing mends it before the next start.
const faultMs = 60_000

class Term {
  readonly subscriptions = new Map<string, Subscription>()
  readonly reader: LogReader
  readonly dispatch: Dispatch
  readonly recorder: Recorder
  head = 0
  isOver = false
  /** The sender is closed: a request that fails now failed because this process stops. */
  isCut = false
  readonly #options: DelivererOptions
  #byType = new Map<string, Subscription[]>()
  #versions = ''
  #refreshing: Promise<void> | undefined
  #isRefreshWanted = false
  /** Looks for retries that are due, by their moment. */
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>()

  constructor(options: DelivererOptions, fence: number) {
    this.#options = options
    const { database } = options
    const onFailure = (error: unknown) => options.log.fault('deliveries', error)
    this.reader = new LogReader({
      database,
      onRead: subscription => this.#wake(subscription),
      onFailure,
    })
    this.recorder = new Recorder({
      database,
      fence,
      subscriptions: () => this.subscriptions.values(),
      onRecorded: (results, changed) => this.#onRecorded(results, changed),
      onPaused: ({ id }) => options.onPaused(id),
      onReplaced: options.onReplaced,
      onFailure,
    })
    this.dispatch = new Dispatch({
      reader: this.reader,
      concurrency: options.concurrency,
      head: () => this.head,
      isBlocked: () =>
        this.isOver ||
        !options.isLeading() ||
        this.recorder.isFailing() ||
        this.recorder.waiting > unrecordedMax,
      send: (subscription, delivery) => void this.#send(subscription, delivery),
    })
  }

  wantedTypes = () => [...this.#byType.keys()]

  onSequenced(batch: Parameters<FeedFollower['onSequenced']>[0]) {
    this.head = Math.max(this.head, batch.to)
    const sent = new Set(batch.types)
    if (this.wantedTypes().every(type => sent.has(type))) this.reader.cache.add(batch)
    else this.reader.cache.clear(batch.to)
    for (const type of new Set(batch.events.map(event => event.type)))
      for (const subscription of this.#byType.get(type) ?? [])
        if (!subscription.isLeaving) this.dispatch.add(subscription)
    this.dispatch.run()
  }

  onHead(head: number) {
    if (head <= this.head) return
    this.head = head
    for (const subscription of this.subscriptions.values())
      if (!subscription.isLeaving) this.dispatch.add(subscription)
    this.dispatch.run()
  }

  look({ versions, hasDue }: { versions: string; hasDue: boolean }) {
    if (versions !== this.#versions) this.refresh()
    this.#versions = versions
    if (hasDue) void this.#findDue()
    // What was held up by a fault or a lease in doubt may go on.
    for (const subscription of this.subscriptions.values()) {
      if (!subscription.isLeaving) this.dispatch.add(subscription)
      else if (subscription.isOver && subscription.isIdle) this.refresh()
    }
    this.dispatch.run()
  }

  /** Reads the subscriptions again. Once more where it is asked for meanwhile: what was read may be older than the change. */
  refresh() {
    this.#isRefreshWanted = true
    this.#refreshing ??= this.#refresh()
      .catch(error => {
        this.#versions = ''
        this.#options.log.fault('deliveries', error)
      })
      .finally(() => {
        this.#refreshing = undefined
      })
  }

  close() {
    this.isOver = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    for (const subscription of this.subscriptions.values()) this.reader.remove(subscription)
  }

  async #refresh() {
    while (this.#isRefreshWanted && !this.isOver) {
      this.#isRefreshWanted = false
      // Of one that is busy while the rows are read, the row may be older than what is recorded meanwhile.
      const idle = new Set([...this.subscriptions.values()].filter(({ isIdle }) => isIdle))
      const rows = await this.#options.database.rows('listActiveHooks', {})
      const versions = new Map(rows.map(({ id, version }) => [id, version]))
      for (const known of this.subscriptions.values())
        if (versions.get(known.id) !== known.version) this.#leave(known, 0)
      for (const known of this.subscriptions.values())
        if (idle.has(known) && known.isOver) this.subscriptions.delete(known.id)
        else if (known.isIdle && known.isOver) this.#isRefreshWanted = true
      for (const row of rows) if (!this.subscriptions.has(row.id) && !this.isOver) this.#add(row)
      this.#index()
    }
    this.dispatch.run()
  }

  #add(row: RowOf<'listActiveHooks'>) {
    const { id, target_url: url, secret, old_secret, old_secret_until, old_secret_leads } = row
    const oldSecretUntil = old_secret_until === null ? null : Date.parse(old_secret_until)
    const subscription = new Subscription({
      target: { id, url, secret, old_secret, old_secret_leads, oldSecretUntil },
      types: row.event_types,
      version: row.version,
      replayedVersion: row.replayed_version,
      cursor: row.cursor,
      failuresInRow: row.consecutive_failures,
      waiting: row.waiting,
    })
    this.subscriptions.set(id, subscription)
    this.dispatch.add(subscription)
  }

  #index() {
    this.#byType = new Map()
    for (const subscription of this.subscriptions.values())
      for (const type of subscription.types)
        this.#byType.set(type, [...(this.#byType.get(type) ?? []), subscription])
  }

  /** Starts nothing more of it; once all is recorded, and so long from now, it begins again as its row says. */
  #leave(subscription: Subscription, waitMs: number) {
    if (subscription.isLeaving) return
    subscription.leavingUntil = performance.now() + waitMs
    this.dispatch.remove(subscription)
    this.reader.remove(subscription)
  }

  #wake(subscription: Subscription) {
    if (!subscription.isLeaving) this.dispatch.add(subscription)
    this.dispatch.run()
  }

  async #send(subscription: Subscription, delivery: Delivery) {
    try {
      const ended = await makeAttempt(this.#options, subscription.target, delivery)
      this.dispatch.end(subscription, delivery)
      if (!this.isCut || ended.reply.status !== null) {
        subscription.count(ended.outcome)
        this.recorder.add({ subscription, delivery, ...ended })
      }
    } catch (error) {
      this.dispatch.end(subscription, delivery)
      const about = { subscription_id: subscription.id, cursor: delivery.cursor }
      this.#options.log.fault('delivery', error, about)
      this.#leave(subscription, faultMs)
    }
    this.dispatch.run()
  }

  #onRecorded(results: readonly Result[], changed: readonly Subscription[]) {
    for (const subscription of changed) this.#leave(subscription, 0)
    for (const { subscription, outcome } of results) {
      if (outcome.kind === 'retry') this.#findDueAfter(outcome.delayMs)
      if (!subscription.isLeaving) this.dispatch.add(subscription)
    }
    const isAnyOver = results.some(({ subscription }) => subscription.isIdle && subscription.isOver)
    if (isAnyOver || changed.length > 0) this.refresh()
    this.dispatch.run()
  }

  async #findDue() {
    if (this.isOver) return
    try {
      for (const { id } of await this.#options.database.rows('listDueHooks', {})) {
        const subscription = this.subscriptions.get(id)
        if (!subscription || subscription.isLeaving) continue
        subscription.hasDue = true
        this.dispatch.add(subscription)
      }
    } catch (error) {
      this.#options.log.fault('deliveries', error)
    }
    this.dispatch.run()
  }

  /** Of many retries at about the same time one look is enough. */
  #findDueAfter(milliseconds: number) {
    const at = Math.ceil((performance.now() + milliseconds) / dueLookMs) * dueLookMs
    if (this.#timers.has(at)) return
    const look = () => {
      this.#timers.delete(at)
      void this.#findDue()
    }
    this.#timers.set(at, setTimeout(look, at - performance.now()))
  }

  /** Lets requests in flight end, for so long at most; then nothing is left but to record. */
  async drain(milliseconds: number) {
    const until = performance.now() + milliseconds
    while (this.dispatch.inFlight > 0 && performance.now() < until) await pause(drainLookMs)
  }
}

/** Never fails: what goes wrong is logged and tried again. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  let term: Term | undefined

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

  return {
    wantedTypes: () => term?.wantedTypes() ?? [],
    onSequenced: batch => term?.onSequenced(batch),
    onHead: head => term?.onHead(head),
    begin(fence) {
      end()
      term = new Term(options, fence)
    },
    end,
    look: state => term?.look(state),
    refresh: () => term?.refresh(),
    forgetEvents: () => term?.reader.forget(),
    async stop() {
      const last = term
      term = undefined
      last?.close()
      await last?.drain(drainMs)
      if (last) last.isCut = true
      options.sender.close()
      if (last) await finish(last)
    },
  }
}
