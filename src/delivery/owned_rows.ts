// Maps rows of claim_subscriptions to subscriptions.
import type { RowOf } from '../db/queries.ts'
import {
  isCountedAnew,
  type Lane,
  openLane,
  type Subscription,
  type Target,
} from './subscription.ts'

/** A row of claim_subscriptions; a null id means that the known values still apply. */
export type OwnedRow = RowOf<'claimSubscriptions'>
type Range = { to: number; from: number; claimed_to: number }

export const targetOf = (row: OwnedRow): Target => ({
  id: row.id ?? '',
  url: row.target_url ?? '',
  secret: row.secret ?? '',
  old_secret: row.old_secret,
  old_secret_leads: row.old_secret_leads === true,
})

const rangesOf = ({ ranges }: OwnedRow): Range[] => JSON.parse(ranges ?? '[]')

const laneOfRange = ({ to, from, claimed_to }: Range) => openLane(from, to, claimed_to)

export const openSubscription = (row: OwnedRow): Subscription => ({
  no: row.no ?? 0,
  fence: row.fence ?? 0,
  countedFrom: row.counted_from ?? 0,
  target: targetOf(row),
  types: new Set(JSON.parse(row.event_types ?? '[]')),
  live: openLane(row.cursor ?? 0, null, row.claimed_to ?? 0),
  ranges: rangesOf(row).map(laneOfRange),
  retries: [],
  retrying: new Set(),
  retriesWaiting: row.retries ?? 0,
  failures: row.consecutive_failures ?? 0,
  storedFailures: row.consecutive_failures ?? 0,
  countChanged: false,
  paused: false,
  leaving: false,
  inFlight: 0,
  rangesInFlight: new Set(),
  stray: new Set(),
  sentInTurn: 0,
  slow: false,
  silent: false,
  averageMs: 0,
  failedInRow: 0,
  lastTakenAt: 0,
})

/** A cursor that is under way is in one of these lanes now, or in none. */
function keepUnderWay(lanes: readonly Lane[], cursor: number): boolean {
  const lane = lanes.find(({ after, until }) => cursor > after && cursor <= (until ?? cursor))
  lane?.leftOut.add(cursor)
  lane?.open.add(cursor)
  return lane !== undefined
}

/**
 * The row of the new fence may be older than the last count that was recorded. But where another worker counted, or the
 * owner switched it on again, the database is right, and of what is not recorded a success alone counts.
 */
function carryCount(from: Subscription, to: Subscription) {
  const isReset = from.countChanged && from.failures === 0
  if (isCountedAnew(from, to) && !isReset) return
  to.failures = from.failures
  to.countChanged = from.countChanged
  to.paused = from.paused
}

/** Requests in flight continue under the new fence and are not sent twice. */
export function carryOver(from: Subscription, to: Subscription) {
  from.leaving = true
  from.next = to
  to.rangesInFlight = new Set(from.rangesInFlight)
  to.inFlight = from.inFlight
  to.slow = from.slow
  to.silent = from.silent
  to.averageMs = from.averageMs
  const lanes = [to.live, ...to.ranges]
  const open = [from.live, ...from.ranges].map(lane => lane.open)
  for (const cursor of [from.stray, ...open].flatMap(cursors => [...cursors]))
    if (!keepUnderWay(lanes, cursor)) to.stray.add(cursor)
  // Those that wait to be sent are free under the new fence.
  const unsent = new Set(from.retries.map(({ cursor }) => cursor))
  for (const cursor of from.retrying) if (!unsent.has(cursor)) to.retrying.add(cursor)
  carryCount(from, to)
}
