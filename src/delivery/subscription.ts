// What the leader knows of one subscription while it delivers to it. It begins as the row says, and is dropped as soon as
// the row has another version.
import type { LogEvent } from '../feed/log_event.ts'
import { finalFailuresMax } from '../model/delivery_rules.ts'
import type { DeliveryOutcome } from '../sending/outcome.ts'
import type { SealedSecrets } from '../sending/signature.ts'

/** Where to send, and what signs. */
export type Target = SealedSecrets & {
  url: string
  /** Unix time in milliseconds until which the old secret signs as well; null: there is none. */
  oldSecretUntil: number | null
}

/** An event on its way to a subscription. */
export type Delivery = LogEvent & {
  body: string
  /** Attempts before this one. */
  attempts: number
  /** It stands in hook_outstanding. */
  isRetry: boolean
}

/** Events that were read for one subscription, the next one first. */
export type Page = {
  events: LogEvent[]
  /** There is no other event of its types up to this cursor. */
  end: number
}

/** No event is started while so many have ended above the position. */
export const aheadMax = 10_000
/** Nor while so many wait for another attempt. */
export const waitingMax = 10_000

export class Subscription {
  readonly target: Target
  readonly types: ReadonlySet<string>
  readonly version: number
  readonly replayedVersion: number

  /** Every event of its types up to it was started, or passed over because it had ended before. */
  readTo: number
  /** Whether the pages since its row was read have reached the head: from there on the cache has what is new. */
  isCaughtUp = false
  page: Page | undefined
  /** Deliveries whose next attempt is due, the one that waits longest first. */
  readonly retries: Delivery[] = []
  /** Some may be due that were not read yet. */
  hasDue = false
  /** Nothing more is started: the row has changed, or a fault of ours keeps it from being sent to until this time. */
  leavingUntil: number | undefined

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
  /** Something has ended since then. */
  hasProgress = false

  /** New events that are in flight or not recorded, in the order of their cursors; with how many were started before each. */
  readonly #open = new Map<number, number>()
  /** Retries that are in flight or not recorded. */
  readonly #retrying = new Set<number>()
  #started = 0
  #failuresInRow: number

  constructor(row: {
    target: Target
    types: readonly string[]
    version: number
    replayedVersion: number
    cursor: number
    failuresInRow: number
    waiting: number
  }) {
    this.target = row.target
    this.types = new Set(row.types)
    this.version = row.version
    this.replayedVersion = row.replayedVersion
    this.readTo = row.cursor
    this.storedCursor = row.cursor
    this.waiting = row.waiting
    this.#failuresInRow = row.failuresInRow
  }

  get id() {
    return this.target.id
  }

  /** Everything up to it has ended and is recorded, once these are. */
  positionAfter(recorded: ReadonlySet<number>): number {
    for (const cursor of this.#open.keys()) if (!recorded.has(cursor)) return cursor - 1
    return this.readTo
  }

  get isIdle() {
    return this.inFlight === 0 && this.unrecorded === 0
  }

  /** The record decides about the pause: until it is back, nothing is started after the tenth final failure in a row. */
  get isHeld(): boolean {
    return this.isLeaving || (this.#failuresInRow >= finalFailuresMax && this.unrecorded > 0)
  }

  get takesNewEvents(): boolean {
    const [oldest = this.#started] = this.#open.values()
    return this.waiting < waitingMax && this.#started - oldest < aheadMax
  }

  get isLeaving() {
    return this.leavingUntil !== undefined
  }

  /** It was left, and its time has come. */
  get isOver() {
    return (this.leavingUntil ?? Number.POSITIVE_INFINITY) <= performance.now()
  }

  get retryingCount() {
    return this.#retrying.size
  }

  isRetrying(cursor: number): boolean {
    return this.#retrying.has(cursor)
  }

  addRetry(delivery: Delivery) {
    this.#retrying.add(delivery.cursor)
    this.retries.push(delivery)
  }

  /** They are read again when they are needed. */
  dropRetries() {
    for (const { cursor } of this.retries.splice(0)) {
      this.#retrying.delete(cursor)
      this.hasDue = true
    }
  }

  begin({ cursor, isRetry }: Delivery) {
    this.inFlight += 1
    this.lastWasRetry = isRetry
    if (isRetry) this.retriesInFlight += 1
    else {
      this.#open.set(cursor, this.#started)
      this.#started += 1
    }
  }

  end({ isRetry }: Delivery) {
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

  settle({ cursor, isRetry }: Delivery, outcome: DeliveryOutcome) {
    this.unrecorded -= 1
    this.hasProgress = true
    this.#open.delete(cursor)
    this.#retrying.delete(cursor)
    const isWaiting = outcome.kind === 'retry'
    if (isWaiting && !isRetry) this.waiting += 1
    if (isRetry && !isWaiting) this.waiting = Math.max(0, this.waiting - 1)
  }
}
