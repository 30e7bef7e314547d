// Finds the next event of each subscription: at the head in a cache of what the sequencer gave cursors to last, further back
// in pages from the database.
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { type Batch, type LogEvent, logEventsOf } from '../feed/log_event.ts'
import type { Delivery, Subscription } from './subscription.ts'

type LogReaderOptions = {
  database: Database
  /** A page or retries have come for it. */
  onRead(subscription: Subscription): void
  onFailure(error: unknown): void
}

// Of the newest events, kept once for all subscriptions.
const cacheBytesMax = 4 * 1_024 * 1_024
// Of what was read for one subscription alone: they share it.
const heldBytesMax = 4 * 1_024 * 1_024
const pageBytesMin = 64 * 1_024
const pageBytesMax = 1_024 * 1_024
const pageEventsMax = 1_000
const retriesMax = 64
// More at once only wait for each other in the database.
const readingMax = 2
const failureDelayMs = 250

/** The events of consecutive batches: all with a cursor above `after`, up to `to`. */
class LogCache {
  #events: LogEvent[] = []
  #bytes = 0
  after = 0
  to = 0

  /** Drops what it has where the batch does not follow it: the answer of a batch before may have been lost. */
  add({ after, to, events }: Batch) {
    if (after !== this.to) this.clear(after)
    this.#events.push(...events)
    for (const event of events) this.#bytes += event.body.length
    this.to = to
    let dropped = 0
    while (this.#bytes > cacheBytesMax) {
      const oldest = this.#events[dropped]
      if (oldest === undefined) break
      this.#bytes -= oldest.body.length
      this.after = oldest.cursor
      dropped += 1
    }
    if (dropped > 0) this.#events.splice(0, dropped)
  }

  clear(head: number) {
    this.#events = []
    this.#bytes = 0
    this.after = head
    this.to = head
  }

  /** The first event of these types above a cursor; undefined: there is none up to `to`. */
  next(cursor: number, types: ReadonlySet<string>): LogEvent | undefined {
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#events[middle]?.cursor ?? 0) > cursor) high = middle
      else low = middle + 1
    }
    for (let at = low; at < this.#events.length; at += 1) {
      const event = this.#events[at]
      if (event && types.has(event.type)) return event
    }
    return undefined
  }
}

export class LogReader {
  readonly cache = new LogCache()
  readonly #options: LogReaderOptions
  readonly #wanted = new Set<Subscription>()
  readonly #underWay = new Set<Subscription>()
  #reading = 0
  /** Those that hold what was read for them alone, or are about to. */
  readonly #holding = new Set<Subscription>()
  /** Rises with each erasure: what was asked for before may hold an event that is gone. */
  #erasures = 0
  #isBatchSuspect = false

  constructor(options: LogReaderOptions) {
    this.#options = options
  }

  /** Takes what got cursors. Where it may lack an event, or hold one that is gone, pages are read instead. */
  take(batch: Batch, wantedTypes: readonly string[]) {
    const sent = new Set(batch.types)
    const isWhole = wantedTypes.every(type => sent.has(type)) && !this.#isBatchSuspect
    this.#isBatchSuspect = false
    if (isWhole) this.cache.add(batch)
    else this.cache.clear(batch.to)
  }

  /** Moves the subscription to its next event; undefined: it has none now, or a page of it is being read. */
  next(subscription: Subscription, head: number): LogEvent | undefined {
    const { page } = subscription
    if (page) {
      const event = page.events.shift()
      subscription.readTo = Math.max(subscription.readTo, event?.cursor ?? page.end)
      if (event) return event
      this.#dropPage(subscription)
    }
    const { cache } = this
    if (subscription.isCaughtUp && cache.after <= subscription.readTo) {
      const event = cache.next(subscription.readTo, subscription.types)
      subscription.readTo = event?.cursor ?? Math.max(subscription.readTo, cache.to)
      if (event) return event
    }
    if (!subscription.isCaughtUp || subscription.readTo < head) this.want(subscription)
    return undefined
  }

  nextRetry(subscription: Subscription): Delivery | undefined {
    const retry = subscription.retries.shift()
    if (!retry && subscription.hasDue) this.want(subscription)
    return retry
  }

  /** Has a page of events and retries that are due read for it, what it lacks of both. */
  want(subscription: Subscription) {
    if (this.#underWay.has(subscription)) return
    this.#wanted.add(subscription)
    void this.#readWanted()
  }

  /** Events were erased: what is in memory may be one of them. */
  forget() {
    this.#erasures += 1
    this.#isBatchSuspect = true
    this.cache.clear(this.cache.to)
    for (const subscription of this.#holding) this.#drop(subscription)
  }

  remove(subscription: Subscription) {
    this.#wanted.delete(subscription)
    this.#drop(subscription)
  }

  #dropPage(subscription: Subscription) {
    subscription.page = undefined
    // One that is being read for may hold something before its answer is complete.
    const isHolding = subscription.retries.length > 0 || this.#underWay.has(subscription)
    if (!isHolding) this.#holding.delete(subscription)
  }

  #drop(subscription: Subscription) {
    subscription.dropRetries()
    this.#dropPage(subscription)
  }

  /** One page a turn: a subscription that is far behind holds up no other. */
  async #readWanted() {
    if (this.#reading >= readingMax) return
    this.#reading += 1
    for (const subscription of this.#wanted) {
      this.#wanted.delete(subscription)
      this.#underWay.add(subscription)
      try {
        await this.#read(subscription)
      } catch (error) {
        this.#options.onFailure(error)
        await pause(failureDelayMs)
      }
      this.#underWay.delete(subscription)
      if (!subscription.page && subscription.retries.length === 0)
        this.#holding.delete(subscription)
      this.#options.onRead(subscription)
    }
    this.#reading -= 1
  }

  async #read(subscription: Subscription) {
    if (subscription.isLeaving) return
    this.#holding.add(subscription)
    const share = Math.round(heldBytesMax / this.#holding.size)
    const bytes_max = Math.min(pageBytesMax, Math.max(pageBytesMin, share))
    if (subscription.hasDue && subscription.retries.length === 0)
      await this.#readRetries(subscription, bytes_max)
    if (subscription.page === undefined && subscription.takesNewEvents)
      await this.#readPage(subscription, bytes_max)
  }

  async #readRetries(subscription: Subscription, bytes_max: number) {
    const erasures = this.#erasures
    // Of these a row may come as it was before it is recorded, and be answered after.
    const retrying = new Set(subscription.retrying)
    const row_limit = retrying.size + retriesMax
    subscription.hasDue = false
    const rows = await this.#options.database.rows('claimDueDeliveries', {
      subscription_id: subscription.id,
      event_types: [...subscription.types],
      row_limit,
      bytes_max,
    })
    if (erasures !== this.#erasures || subscription.isLeaving) return
    for (const { attempts, ...row } of rows) {
      const [event] = logEventsOf([row])
      if (event === undefined) subscription.waiting -= 1
      else if (!retrying.has(row.cursor) && !subscription.isUnderWay(row.cursor))
        subscription.addRetry({ ...event, attempts, isRetry: true })
    }
    // There may be more.
    if (subscription.retries.length > 0) subscription.hasDue = true
  }

  async #readPage(subscription: Subscription, bytes_max: number) {
    const erasures = this.#erasures
    const after = subscription.readTo
    const rows = await this.#options.database.rows('listDeliveryPage', {
      subscription_id: subscription.id,
      after,
      event_types: [...subscription.types],
      replayed_version: subscription.row.replayed_version,
      row_limit: pageEventsMax,
      bytes_max,
    })
    // Meanwhile it may have gone on with the cache.
    const isStale = erasures !== this.#erasures || subscription.readTo !== after
    if (isStale || subscription.isLeaving) return
    const events = logEventsOf(rows)
    const last = rows.find(({ is_last }) => is_last)
    subscription.page = { events, end: last?.cursor ?? after }
    if (last?.at_head) subscription.isCaughtUp = true
  }
}
