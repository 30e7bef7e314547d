// Counts final failures in a row, and stops sending at the tenth. record_attempts.sql pauses the subscription with the count.

import { isPausedBy } from '../model/delivery_rules.ts'
import type { DeliveryResult } from './attempt.ts'
import type { Subscription } from './subscription.ts'

/**
 * In the order in which deliveries end; counts retries, too, before they are recorded. A test event says nothing of what the
 * subscription gets, and counts neither way. Changes the subscription.
 */
export function countFailures(subscription: Subscription, { delivery, outcome }: DeliveryResult) {
  const { kind } = outcome
  if (delivery.cursor >= 0)
    subscription.failedInRow = kind === 'delivered' ? 0 : subscription.failedInRow + 1
  if (!delivery.scheduled && 'delayMs' in outcome) subscription.retriesWaiting += 1
  if (subscription.paused || delivery.cursor < 0) return
  if (kind === 'failed') subscription.failures += 1
  else if (kind === 'delivered' && subscription.failures > 0) subscription.failures = 0
  else return
  subscription.countChanged = true
  subscription.paused = isPausedBy(subscription.failures)
}

/**
 * A count was recorded, and the answer lost. What failed since is added to what the database has now: that is what was
 * read with the new fence, where it is counted anew since. Changes the subscription.
 */
export function settleCount(subscription: Subscription, recorded: number, isAnew: boolean) {
  const stored = isAnew ? subscription.storedFailures : recorded
  const since = subscription.failures - recorded
  if (since >= 0) subscription.failures = stored + since
  subscription.countChanged = subscription.failures !== stored
  subscription.paused = isPausedBy(subscription.failures)
}
