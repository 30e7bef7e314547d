// What a subscription knows of its deliveries once they are over.
import type { DeliveryResult } from './attempt.ts'
import type { SubscriptionResult } from './recorder.ts'
import { laneOf, type Retry, type Subscription } from './subscription.ts'

/** A recorded delivery is no longer open; a retry that ended is no longer scheduled. */
export function settle(subscription: Subscription, { delivery, outcome }: SubscriptionResult) {
  const { cursor, scheduled } = delivery
  laneOf(subscription, cursor)?.open.delete(cursor)
  subscription.stray.delete(cursor)
  if (scheduled) subscription.retrying.delete(cursor)
  if (scheduled && outcome.kind !== 'retry' && outcome.kind !== 'postponed')
    subscription.retriesWaiting = Math.max(0, subscription.retriesWaiting - 1)
}

/** Whether anything of it is in flight or not recorded. */
export const isBusy = ({ inFlight, live, ranges, retries, retrying, stray }: Subscription) =>
  inFlight > 0 ||
  stray.size > 0 ||
  live.open.size > 0 ||
  ranges.some(({ open }) => open.size > 0) ||
  // Those that were not started are free for the next worker.
  retrying.size > retries.length

/** A retry that ends without being sent. */
export const unsent = (
  subscription: Subscription,
  { cursor, attempts }: Pick<Retry, 'cursor' | 'attempts'>,
  outcome: DeliveryResult['outcome'],
): SubscriptionResult => ({
  subscription,
  delivery: { cursor, attempts, scheduled: true },
  outcome,
  startedAt: new Date(),
  reply: null,
})
