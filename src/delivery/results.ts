// What follows in memory from the end of a delivery.
import type { Ended } from './attempt.ts'
import type { AttemptResult } from './recorder.ts'
import { finalFailuresMax, laneOf, type Retry, type Subscription } from './subscription.ts'

/** Counts final failures in the order in which deliveries end; and retries, before they are recorded. */
export function count(subscription: Subscription, { delivery, outcome }: Ended) {
  const kind = outcome.outcome
  subscription.lastFailed = kind !== 'delivered'
  if (!delivery.retried && 'delayMs' in outcome) subscription.retriesWaiting += 1
  if (subscription.paused) return
  if (kind === 'failed') subscription.failures += 1
  else if (kind === 'delivered' && subscription.failures > 0) subscription.failures = 0
  else return
  subscription.countChanged = true
  subscription.paused = subscription.failures >= finalFailuresMax
}

/** What is recorded is open no more, and a retry that ended waits no more. */
export function settle(subscription: Subscription, { delivery, outcome }: AttemptResult) {
  const { cursor, retried } = delivery
  laneOf(subscription, cursor)?.open.delete(cursor)
  if (retried) subscription.retrying.delete(cursor)
  if (retried && outcome.outcome !== 'retry' && outcome.outcome !== 'free')
    subscription.retriesWaiting = Math.max(0, subscription.retriesWaiting - 1)
}

/** Whether anything of it is in flight or not recorded. */
export const isBusy = ({ inFlight, live, ranges, retries, retrying }: Subscription) =>
  inFlight > 0 ||
  live.open.size > 0 ||
  ranges.some(({ open }) => open.size > 0) ||
  // Those that were not started are free for the next worker.
  retrying.size > retries.length

/** A retry that ends without being sent. */
export const unsent = (
  subscription: Subscription,
  { cursor, attempts }: Pick<Retry, 'cursor' | 'attempts'>,
  outcome: Ended['outcome'],
): AttemptResult => ({
  subscription,
  delivery: { cursor, attempts, retried: true },
  outcome,
  startedAt: new Date(),
  reply: null,
})
