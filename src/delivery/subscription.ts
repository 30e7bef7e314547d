// A subscription that this process owns: target, position, requests in flight.

/** Where deliveries go and how they are signed. */
export type Target = {
  id: string
  url: string
  /** Encrypted, as stored. */
  secret: string
  old_secret: string | null
  old_secret_leads: boolean
}

/**
 * A part of the log that is delivered in the order of cursors: new events, or a range that is caught up with. All up to
 * `after` was taken or is of other types; `open` has what was taken and is not recorded yet.
 */
export type Lane = {
  after: number
  /** How many events were taken. */
  taken: number
  /** Where the page begins that was asked for last. */
  askedFrom: number
  /** Its last cursor; null: it follows the head. */
  until: number | null
  /** Everything up to the head was taken. */
  atHead: boolean
  open: Set<number>
  /** Above `after`, and not to be sent: it ended, or is under way since before this lane was made. */
  leftOut: Set<number>
  /** Highest cursor that the database allows to be sent. */
  claimedTo: number
  /** Highest cursor that may have been sent, by this worker or the one before. */
  sentTo: number
  /** The position as it was saved last. */
  saved: number
}

/** A delivery that waits for a moment and is due. */
export type Retry = {
  cursor: number
  attempts: number
  id: string
  occurredMs: number | null
  body: string | null
  test: boolean
}

export type Subscription = {
  no: number
  fence: number
  /** The fence under which the count of failures began where the database has it. */
  countedFrom: number
  target: Target
  types: ReadonlySet<string>
  live: Lane
  ranges: Lane[]
  /** Due and not started. */
  retries: Retry[]
  /** Retries that are due and taken, started or not. */
  retrying: Set<number>
  /** About how many wait in the database. */
  retriesWaiting: number
  /** Final failures in a row, in the order in which they ended. */
  failures: number
  /** The same as the database had them when it was taken. */
  storedFailures: number
  countChanged: boolean
  /** Ten final failures in a row: nothing more is sent. */
  paused: boolean
  /** Another process is to have it, or has it. */
  leaving: boolean
  inFlight: number
  /** Of these, the cursors of ranges. */
  rangesInFlight: Set<number>
  /** In flight or not recorded since an earlier fence, and in no lane of this one. */
  stray: Set<number>
  /** The same under the fence that followed: what is still in flight ends there. */
  next?: Subscription
  /** Requests sent in this turn. */
  sentInTurn: number
  /** Its receiver takes long to answer. */
  slow: boolean
  /** Its receiver has not answered for seconds, and perhaps never will. */
  silent: boolean
  averageMs: number
  /** Attempts that failed since one was delivered. */
  failedInRow: number
  lastTakenAt: number
}

const slowAboveMs = 50
const promptBelowMs = 25
/** Of the average, the weight of what was before. */
const inertia = 0.9

export const openLane = (after: number, until: number | null, claimedTo: number): Lane => ({
  after,
  taken: 0,
  askedFrom: 0,
  until,
  atHead: false,
  open: new Set(),
  leftOut: new Set(),
  claimedTo,
  sentTo: claimedTo,
  saved: after,
})

/** Every event up to it has ended and is recorded. */
export function positionOf({ open, after, until, atHead }: Lane, head: number): number {
  let lowest = atHead ? Math.max(head, after) : after
  if (until !== null) lowest = Math.min(lowest, until)
  for (const cursor of open) if (cursor <= lowest) lowest = cursor - 1
  return lowest
}

export const isOver = ({ after, until, open }: Lane) =>
  until !== null && after >= until && open.size === 0

/** The same subscription under its newest fence here, be it owned or not. */
export function newestOf(subscription: Subscription): Subscription {
  let newest = subscription
  while (newest.next) newest = newest.next
  return newest
}

/** Whether the count of failures began anew, between an older fence of a subscription and this one. */
export const isCountedAnew = (before: Subscription, { countedFrom }: Subscription) =>
  countedFrom > before.fence

/** The lane that a cursor was taken from. */
export const laneOf = ({ live, ranges }: Subscription, cursor: number): Lane | undefined =>
  live.open.has(cursor) ? live : ranges.find(({ open }) => open.has(cursor))

/** How long attempts take, of one receiver or of all prompt ones. */
export const averageOf = (before: number, durationMs: number) =>
  before * inertia + durationMs * (1 - inertia)

/**
 * Whether a receiver counts as slow. Against what prompt ones take: when the machine is busy all take long, and none of
 * them is the reason.
 */
export function isSlow({ slow, averageMs }: Subscription, promptMs: number): boolean {
  if (averageMs > Math.max(slowAboveMs, 4 * promptMs)) return true
  return slow && averageMs > Math.max(promptBelowMs, 2 * promptMs)
}

/** An attempt that takes longer than this makes its receiver slow before it ends. */
export const overdueAfterMs = (promptMs: number) =>
  Math.min(1_000, Math.max(slowAboveMs, 8 * promptMs))
