// What the leader knows of one subscription while it delivers to it. It begins as the row says, and is dropped as soon as
// the row has another version.
import type { RowOf } from '../db/queries.ts'
import type { LogEvent } from '../feed/log_event.ts'
import { finalFailuresMax } from '../model/delivery_rules.ts'
import type { DeliveryOutcome } from '../sending/outcome.ts'

export type HookRow = RowOf<'listActiveHooks'>

/** What is recorded of a delivery. */
export type Sent = {
  cursor: number
  /** Attempts before this one. */
  attempts: number
  /** It stands in hook_outstanding. */
  isRetry: boolean
}

/** An event on its way to a subscription. */
export type Delivery = Sent & LogEvent

/** Events that were read for one subscription, the next one first. */
export type Page = {
  events: LogEvent[]
  /** There is no other event of its types up to this cursor. */
  end: number
}

/** No event is started while so many have ended above the position. */
const aheadMax = 10_000
/** Nor while so many wait for another attempt. */
const waitingMax = 10_000

export class Subscription {
  readonly row: HookRow
  readonly types: ReadonlySet<string>

  /** Every event of its types up to it was started, or passed over because it had ended before. */
  readTo: number
  /** Whether the pages since its row was read have reached the head: from there on the cache has what is new. */
  isCaughtUp = false
  page: Page | undefined
  /** Deliveries whose next attempt is due, the one that waits longest first. */
  readonly retries: Delivery[] = []
  /** Some may be due that were not read yet: the leader's look of each second says so. */
  hasDue = false
  /** Nothing more is started: the row has changed, or a fault of ours keeps it from being sent to until this time. */
  #leavingUntil: number | undefined
  /** Its row is locked, such as by hand: nothing more is started until what has ended can be recorded. */
  isLocked = false

  inFlight = 0
  retriesInFlight = 0
  /** Attempts that have ended and are not recorded. */
  unrecorded = 0
  /** Whether the last delivery that was started was a retry. */
  lastWasRetry = false
  /** Rows of hook_outstanding that wait for another attempt. */
  waiting: number
  /** The position as it is stored, and when it was stored last. */
  storedCursor: number
  storedAt = performance.now()
  /** Something has ended since then, or was passed over because it had ended before. */
  hasProgress = true

  /** New events that are in flight or not recorded, in the order of their cursors; with how many were started before each. */
  readonly #open = new Map<number, number>()
  /** Retries that were read, are in flight or not recorded. */
  readonly retrying = new Set<number>()
  #started = 0
  #failuresInRow: number

  constructor(row: HookRow) {
    this.row = row
    this.types = new Set(row.event_types)
    this.readTo = row.cursor
    this.storedCursor = row.cursor
    this.waiting = row.waiting
    this.#failuresInRow = row.consecutive_failures
  }

  get id() {
    return this.row.id
  }

  /** Everything up to it has ended and is recorded, once these are. */
  positionAfter(recorded: ReadonlySet<number>): number {
    for (const cursor of this.#open.keys()) if (!recorded.has(cursor)) return cursor - 1
    return this.readTo
  }

  /** The record decides about the pause: until it is back, nothing is started after the tenth final failure in a row. */
  get isHeld(): boolean {
    const isAtMax = this.#failuresInRow >= finalFailuresMax && this.unrecorded > 0
    return this.isLeaving || this.isLocked || isAtMax
  }

  get takesNewEvents(): boolean {
    const [oldest = this.#started] = this.#open.values()
    return this.waiting < waitingMax && this.#started - oldest < aheadMax
  }

  /** Starts nothing more; it begins again as its row says, so long from now, once all is recorded. */
  leave(waitMs: number) {
    this.#leavingUntil = Math.min(this.#leavingUntil ?? Infinity, performance.now() + waitMs)
  }

  get isLeaving() {
    return this.#leavingUntil !== undefined
  }

  /** It was left, and may begin again. */
  get isOver() {
    const isIdle = this.inFlight === 0 && this.unrecorded === 0
    return isIdle && (this.#leavingUntil ?? Infinity) <= performance.now()
  }

  /** Whether it must not be started now: the owner may send one again while it is in flight. */
  isUnderWay(cursor: number): boolean {
    return this.retrying.has(cursor) || this.#open.has(cursor)
  }

  addRetry(delivery: Delivery) {
    this.retrying.add(delivery.cursor)
    this.retries.push(delivery)
  }

  /** They are read again when they are needed. */
  dropRetries() {
    for (const { cursor } of this.retries.splice(0)) {
      this.retrying.delete(cursor)
      this.hasDue = true
    }
  }

  begin({ cursor, isRetry }: Sent) {
    this.inFlight += 1
    this.lastWasRetry = isRetry
    if (isRetry) this.retriesInFlight += 1
    else {
      this.#open.set(cursor, this.#started)
      this.#started += 1
    }
  }

  end({ isRetry }: Sent) {
    this.inFlight -= 1
    if (isRetry) this.retriesInFlight -= 1
  }

  /** In the order in which attempts end. */
  count(outcome: DeliveryOutcome) {
    this.unrecorded += 1
    if (outcome.kind === 'delivered') this.#failuresInRow = 0
    if (outcome.kind === 'failed') this.#failuresInRow += 1
  }

  /** The position was stored. */
  store(cursor: number) {
    this.storedCursor = cursor
    this.storedAt = performance.now()
    this.hasProgress = false
  }

  settle({ cursor, isRetry }: Sent, outcome: DeliveryOutcome) {
    this.unrecorded -= 1
    this.hasProgress = true
    this.#open.delete(cursor)
    this.retrying.delete(cursor)
    const isWaiting = outcome.kind === 'retry'
    if (isWaiting && !isRetry) this.waiting += 1
    if (isRetry && !isWaiting) this.waiting = Math.max(0, this.waiting - 1)
  }
}
