// Deliveries of one subscription by a filter: a page of them, how many there are in each state, all of them sent again.
import type { Database } from '../db/database.ts'
import type { EventType } from '../model/event_type.ts'
import {
  type DeliveryState,
  deliveryStates,
  listDeliveriesByKey,
  redeliverAll,
} from './deliveries.ts'
import { readPlainInteger } from './parameters.ts'

export type DeliveryFilter = {
  /** Null: every type. */
  types: readonly EventType[] | null
  /** A pattern of a status or of an error class, of the last attempt. */
  reason: string | null
  /** When the event got its cursor. */
  since: Date | null
  until: Date | null
  /** Empty: no search. */
  searched: string
}

// Records that one page scans per state; the next page continues there.
const scanMax = 1_000
// Without a filter nearly all of what is looked at is shown, and nothing is counted.
const plainScanMax = 400

const isPlain = ({ types, reason, since, until, searched }: DeliveryFilter): boolean =>
  types === null && reason === null && since === null && until === null && searched === ''

/** Deliveries sent again per action, at most. */
export const redeliveredMax = 10_000
// Events found by a search, at most. Hundreds of one person are rare.
const foundMax = 1_000
/** No index has the ids of events: one is looked for among so many of the newest. */
export const idsMax = 20_000

/** Cursors of what a text is about, in no order; see sql/functions/events/search.sql. A number is also a cursor by itself. */
export async function findCursors(
  database: Database,
  searched: string,
  row_limit = foundMax,
): Promise<number[]> {
  const rows = await database.list('listFoundCursors', { searched, log_max: idsMax, row_limit })
  const itself = readPlainInteger(searched.trim())
  const found = new Set(rows.map(({ cursor }) => cursor))
  if (itself !== undefined) found.add(itself)
  return [...found]
}

type Scan = {
  subscription_id: string
  state: DeliveryState | null
  before: number | null
  scan_max: number
  row_limit: number
}

type Found = { deliveries: number; cursors: number[]; cut_at: number | null }

async function scan(
  database: Database,
  { types, reason, since, until, searched }: DeliveryFilter,
  wanted: Scan,
): Promise<Map<DeliveryState, Found>> {
  const rows = await database.list('listMatchingDeliveries', {
    ...wanted,
    event_types: types,
    reason,
    since,
    until,
    cursors: searched === '' ? null : await findCursors(database, searched),
  })
  return new Map(rows.map(row => [row.state as DeliveryState, row as unknown as Found]))
}

export type DeliveryCount = { deliveries: number; isCut: boolean }

export type DeliveryPage = {
  rows: Awaited<ReturnType<typeof listDeliveriesByKey>>
  counts: Map<DeliveryState, DeliveryCount>
  /** From where the next page goes on; null: this was all. */
  next: number | null
}

/** The newest of some states; below where a look ended before it had enough, another state could have more. */
function newestOf(found: ReadonlyMap<DeliveryState, Found>, limit: number) {
  const parts = [...found]
  const floors = parts.flatMap(([, { cut_at, cursors }]) =>
    cut_at !== null && cursors.length < limit ? [cut_at] : [],
  )
  const floor = Math.max(Number.NEGATIVE_INFINITY, ...floors)
  const places = parts
    .flatMap(([state, { cursors }]) => cursors.map(cursor => ({ cursor, state })))
    .filter(({ cursor }) => cursor > floor)
    .toSorted((one, other) => other.cursor - one.cursor)
  const shown = places.slice(0, limit)
  const isMore = places.length > limit || parts.some(([, { cursors }]) => cursors.length === limit)
  if (isMore && shown.length === limit) return { shown, next: shown.at(-1)?.cursor ?? null }
  // It goes on with the cursor at which the look ended: that one was seen in part.
  return { shown, next: floor === Number.NEGATIVE_INFINITY ? null : floor + 1 }
}

/** Newest event first; `before` is what the page before gave as its next. Null: every state. */
export async function findDeliveries(
  database: Database,
  subscription_id: string,
  filter: DeliveryFilter,
  { state, before, limit }: { state: DeliveryState | null; before: number | null; limit: number },
): Promise<DeliveryPage> {
  const scan_max = isPlain(filter) ? Math.max(plainScanMax, 2 * limit) : scanMax
  const wanted = { subscription_id, state: null, before, scan_max, row_limit: limit }
  const found = await scan(database, filter, wanted)
  const chosen = deliveryStates.flatMap(one => {
    const part = found.get(one)
    return part && (state === null || state === one) ? [[one, part] as const] : []
  })
  const { shown, next } = newestOf(new Map(chosen), limit)
  const counts = new Map(
    [...found].map(([one, { deliveries, cut_at }]) => [
      one,
      { deliveries, isCut: cut_at !== null },
    ]),
  )
  return { rows: await listDeliveriesByKey(database, subscription_id, shown), counts, next }
}

/** Sends what matches again, the newest first, at most so many; how many are on their way. */
export async function redeliverFound(
  database: Database,
  subscription_id: string,
  filter: DeliveryFilter,
  state: DeliveryState | null,
): Promise<number> {
  const wanted = {
    subscription_id,
    state,
    before: null,
    scan_max: redeliveredMax,
    row_limit: redeliveredMax,
  }
  const found = await scan(database, filter, wanted)
  const cursors = [...found.values()]
    .flatMap(part => part.cursors)
    .toSorted((one, other) => other - one)
    .slice(0, redeliveredMax)
  return cursors.length === 0 ? 0 : await redeliverAll(database, subscription_id, cursors)
}
