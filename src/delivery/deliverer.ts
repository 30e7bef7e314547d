// Delivers to the subscriptions that this process owns: follows the feed, sends, records outcomes, saves positions. It keeps
// no transaction open while it waits for an answer.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { FeedFollower } from '../feed/follower.ts'
import { openMutex } from '../lib/mutex.ts'
import { type AttemptDeps, type Delivery, type DeliveryResult, makeAttempt } from './attempt.ts'
import { type DispatchOptions, openDispatch } from './dispatch.ts'
import { countFailures } from './failures.ts'
import { openFeedHead } from './feed_head.ts'
import { openInFlight } from './in_flight.ts'
import { roomFor } from './limits.ts'
import { openLogCache } from './log_cache.ts'
import { type Ownership, startOwnership } from './ownership.ts'
import { startPositions } from './positions.ts'
import { openReader, type Reader } from './reader.ts'
import {
  type FailureCount,
  openRecorder,
  type Recorder,
  type SubscriptionResult,
} from './recorder.ts'
import { startRetries } from './retries.ts'
import { isBusy, settle, unsent } from './settle.ts'
import { laneOf, newestOf, type Retry, type Subscription } from './subscription.ts'

export type Deliverer = FeedFollower & {
  /** Subscriptions or retries changed. */
  refresh(): void
  /** Events were erased: what is in memory may be one of them. */
  forgetEvents(): void
  /** A session of this process holds this lock, which shows other processes that it is alive; null: no session does. */
  setLockKey(key: number | null): void
  /** Stops sending, lets attempts end for a while, gives all subscriptions back. */
  stop(): Promise<void>
}

export type DelivererOptions = AttemptDeps &
  Pick<DispatchOptions, 'processorShare'> & {
    database: Database
    leaseMs: number
    /** How long attempts may go on after stop(). */
    drainMs: number
    /** Called for each subscription whose failure count was recorded. */
    onCounted(count: FailureCount): void
  }

// What has ended and cannot be recorded is kept, and nothing more is sent then.
const unrecordedMax = 20_000

/** The parts of a deliverer and the callbacks between them. */
class Parts {
  readonly worker = randomUUID()
  readonly owned = new Map<number, Subscription>()
  readonly cache = openLogCache()
  stopping = false
  // The sender is closed: a request that fails now failed because this process stops.
  cut = false
  readonly #options: DelivererOptions
  readonly #queue = (subscription: Subscription) => this.dispatch.queue(subscription)
  readonly #run = () => this.dispatch.run()
  readonly #current = (subscription: Subscription) =>
    this.owned.get(subscription.no) ?? newestOf(subscription)
  readonly #onFailure = (error: unknown) => this.#options.log.fault('deliveries', error)

  readonly feed = openFeedHead({
    cache: this.cache,
    owned: this.owned,
    queue: this.#queue,
    run: this.#run,
  })
  readonly inFlight = openInFlight({
    sort: (...sorted) => this.dispatch.sort(...sorted),
    queue: this.#queue,
    run: this.#run,
  })
  readonly dispatch = openDispatch({
    cache: this.cache,
    processorShare: () => this.#options.processorShare(),
    head: this.feed.head,
    start: (subscription, delivery) => void this.#send(subscription, delivery),
    read: (subscription, lane, after) => this.reader.want(subscription, lane, after),
    isBlocked: () =>
      this.stopping ||
      this.ownership.hasLapsed() ||
      this.recorder.isFailing() ||
      this.recorder.waiting() > unrecordedMax,
  })
  readonly recorder: Recorder
  readonly reader: Reader
  readonly ownership: Ownership
  readonly positions: ReturnType<typeof startPositions>
  readonly retries: ReturnType<typeof startRetries>

  constructor(options: DelivererOptions) {
    this.#options = options
    const { database, leaseMs, onCounted } = options
    const { worker, owned, cache, feed } = this
    const shared = { database, worker, owned, head: feed.head, onFailure: this.#onFailure }
    const positionsMutex = openMutex()
    this.recorder = openRecorder({
      ...shared,
      processorShare: options.processorShare,
      current: this.#current,
      onCounted,
      onRecorded: results => this.#onRecorded(results),
    })
    this.reader = openReader({
      ...shared,
      positionsMutex,
      cache,
      onHead: feed.onHead,
      onRead: subscription => this.queueSubscription(subscription),
      onClaimed: (claimed, stillOwned) => this.#onClaimed(claimed, stillOwned),
    })
    this.ownership = startOwnership({
      ...shared,
      leaseMs,
      recordingMutex: this.recorder.recordingMutex,
      positionsMutex,
      isBusy,
      onOwned: (subscription, before) => this.#onOwned(subscription, before),
      onChanged: subscription => this.queueSubscription(subscription),
      onLost: subscription => this.#forget(subscription),
    })
    this.positions = startPositions({
      ...shared,
      positionsMutex,
      onLost: this.ownership.refresh,
    })
    this.retries = startRetries({
      ...shared,
      capacity: subscription => (this.stopping ? 0 : roomFor(subscription, options.processorShare)),
      onDue: (subscription, retry) => this.#onDue(subscription, retry),
      onRead: this.#run,
    })
  }

  #onRecorded(results: readonly SubscriptionResult[]) {
    for (const result of results) {
      const now = this.#current(result.subscription)
      settle(now, result)
      const { cursor } = result.delivery
      if (now !== result.subscription) laneOf(result.subscription, cursor)?.open.delete(cursor)
      this.dispatch.queue(now)
    }
    this.dispatch.run()
  }

  async #send(subscription: Subscription, delivery: Delivery) {
    this.inFlight.begin(subscription, delivery)
    this.#end(subscription, await makeAttempt(this.#options, subscription.target, delivery))
  }

  #end(subscription: Subscription, ended: DeliveryResult) {
    const now = this.#current(subscription)
    this.inFlight.end(now, ended.delivery.cursor, this.owned.get(now.no) === now)
    this.dispatch.end(now, ended.delivery.cursor)
    if (now !== subscription) subscription.inFlight -= 1
    // Nothing is recorded of it, so the next worker sends it again; a retry is free under the next fence.
    if (this.cut && !ended.reply?.status) return
    countFailures(now, ended)
    if (ended.reply) this.inFlight.noteReply(now, ended.reply)
    this.recorder.add({ ...ended, subscription: now })
    this.dispatch.run()
  }

  #onClaimed(claimed: readonly Subscription[], stillOwned: ReadonlySet<number>) {
    const lost = claimed.filter(({ no }) => !stillOwned.has(no))
    for (const subscription of lost) subscription.leaving = true
    if (lost.length > 0) this.ownership.refresh()
  }

  #onOwned(subscription: Subscription, before: Subscription | undefined) {
    this.inFlight.add(subscription, before)
    if (before) this.#forget(before)
    this.feed.add(subscription)
    this.queueSubscription(subscription)
  }

  #forget(subscription: Subscription) {
    this.feed.remove(subscription)
    this.inFlight.remove(subscription)
    this.dispatch.forget(subscription)
  }

  #onDue(subscription: Subscription, retry: Retry) {
    subscription.retrying.add(retry.cursor)
    if (retry.body === null)
      return this.recorder.add(unsent(subscription, retry, { kind: 'erased' }))
    subscription.retries.push(retry)
    this.dispatch.queue(subscription)
  }

  /** It may have something to send. */
  queueSubscription(subscription: Subscription) {
    if (subscription.retriesWaiting > 0) this.retries.wake()
    this.dispatch.queue(subscription)
    this.dispatch.run()
  }

  /** Taken and not started: they are free again, without those that were erased. */
  giveRetriesBack() {
    for (const subscription of this.owned.values())
      for (const retry of subscription.retries.splice(0))
        this.recorder.add(unsent(subscription, retry, { kind: 'postponed', delayMs: 0 }))
  }
}

/** Never fails: what goes wrong is logged and tried again. Runs until stop(). */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const { database, log, sender, drainMs } = options
  const parts = new Parts(options)
  const { worker, feed, cache, inFlight, recorder, reader, ownership, positions, retries } = parts

  async function drain() {
    parts.cut = await inFlight.drain(drainMs)
    sender.close()
    await inFlight.drain(Number.POSITIVE_INFINITY)
  }

  return {
    wantedTypes: feed.wantedTypes,
    onSequenced: feed.onSequenced,
    onHead: feed.onHead,
    refresh() {
      ownership.refresh()
      retries.wakeForAll()
    },
    forgetEvents() {
      cache.clear()
      parts.giveRetriesBack()
    },
    setLockKey: ownership.setLockKey,
    async stop() {
      parts.stopping = true
      inFlight.stopTimer()
      // What is claimed after it was given back would seem to have been sent.
      await reader.stop()
      ownership.leave()
      await retries.stop()
      await drain()
      await recorder.stop()
      await ownership.stop()
      await positions.stop()
      const all = { worker, nos: null, leaving: true, lease_ms: 0, lock_key: null }
      await database.rows('updateHooksReleased', all).catch(error => log.fault('deliveries', error))
    },
  }
}
