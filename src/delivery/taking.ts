// Takes over subscriptions: skips deliveries that ended, and continues those in flight.
import type { Database } from '../db/database.ts'
import type { Mutex } from '../lib/mutex.ts'
import { retriesWaitingMax } from './dispatch.ts'
import { carryOver, type OwnedRow, openSubscription, targetOf } from './owned_rows.ts'
import type { Subscription } from './subscription.ts'

export type OwnershipOptions = {
  database: Database
  worker: string
  leaseMs: number
  /** By their numbers. */
  owned: Map<number, Subscription>
  head(): number
  /** It is owned now; before, under another fence, it may have been already. */
  onOwned(subscription: Subscription, before: Subscription | undefined): void
  /** Its address or its secret may be others. */
  onChanged(subscription: Subscription): void
  /** It is owned no longer. */
  onLost(subscription: Subscription): void
  /** Whether anything of it is in flight or not recorded. */
  isBusy(subscription: Subscription): boolean
  /** Does something while nothing is being recorded. */
  recordingMutex: Mutex
  /** Does something while no other position is written, and nothing is claimed. */
  positionsMutex: Mutex
  onFailure(error: unknown): void
}

/** Leaves out of the lanes of subscriptions what ended above them. */
function openEndedFilter({ database }: OwnershipOptions) {
  return async function leaveOutEnded(subscriptions: readonly Subscription[]) {
    const lanes = subscriptions.flatMap(({ no, live, ranges }) =>
      [live, ...ranges].map(lane => ({ no, lane })),
    )
    if (lanes.length === 0) return
    const rows = await database.rows('listEndedDeliveries', {
      nos: lanes.map(({ no }) => no),
      cursors: lanes.map(({ lane }) => lane.after),
      up_to: lanes.map(({ lane }) => lane.until ?? Number.MAX_SAFE_INTEGER),
    })
    const lanesOf = Map.groupBy(lanes, ({ no }) => no)
    for (const { no, cursor } of rows)
      for (const { lane } of lanesOf.get(no ?? 0) ?? [])
        if (cursor !== null && cursor > lane.after && cursor <= (lane.until ?? cursor))
          lane.leftOut.add(cursor)
  }
}

/** Lost, perhaps with requests in flight: each may be owned again before they end. */
export type LostSubscriptions = Map<number, Subscription>

/** What the database says is owned becomes so here. */
export function openTakeOver(options: OwnershipOptions, lost: LostSubscriptions) {
  const { owned, onOwned, onChanged, isBusy, recordingMutex } = options
  const leaveOutEnded = openEndedFilter(options)

  /**
   * Runs while nothing is recorded: a delivery recorded between question and answer would be sent again. The old lane must
   * take nothing more, or the new one would skip it.
   */
  async function own(rows: readonly OwnedRow[]) {
    if (rows.length === 0) return
    for (const { no } of rows) {
      const before = owned.get(no ?? 0)
      if (before) before.leaving = true
    }
    await recordingMutex(async () => {
      const taken = rows.map(openSubscription)
      await leaveOutEnded(taken)
      for (const subscription of taken) {
        const before = owned.get(subscription.no) ?? lost.get(subscription.no)
        if (before) carryOver(before, subscription)
        owned.set(subscription.no, subscription)
        lost.delete(subscription.no)
        onOwned(subscription, before)
      }
    })
  }

  /** Its ranges are the same: what begins one raises the fence. */
  function follow(row: OwnedRow) {
    const subscription = owned.get(row.no ?? 0)
    if (!subscription) return
    subscription.leaving = row.surplus === true
    const counted = row.retries ?? 0
    // With so many nothing new is sent, so none has failed that is not counted; and where all is asked for anew, all are.
    const isExact = row.id !== null && subscription.retriesWaiting >= retriesWaitingMax
    if (counted > 0)
      subscription.retriesWaiting = isExact
        ? counted
        : Math.max(subscription.retriesWaiting, counted)
    else if (subscription.retrying.size === 0 && !isBusy(subscription))
      subscription.retriesWaiting = 0
    if (row.id === null) return
    subscription.target = targetOf(row)
    onChanged(subscription)
  }

  return { own, follow }
}
