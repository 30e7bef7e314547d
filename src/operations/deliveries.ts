// What the owner does about deliveries: look into them, send a test, send again, have what was missed delivered.
import type { Database } from '../db/database.ts'

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'skipped'

/** One page, newest first; `before` is the id of the last delivery seen. */
export const listDeliveries = (
  database: Database,
  page: { subscription_id: string; state: DeliveryState; before: number | null; limit: number },
) => {
  const { limit, ...args } = page
  return database.list('listDeliveries', { ...args, row_limit: limit })
}

export const listAttempts = (database: Database, delivery_id: number) =>
  database.list('listAttempts', { delivery_id })

/** The id of the delivery; null: the subscription is paused, deleted, or does not list the type. */
export async function sendTestEvent(
  database: Database,
  subscription_id: string,
  event_type: string | null = null,
): Promise<number | null> {
  const [delivery] = await database.rows('insertTestDelivery', { subscription_id, event_type })
  return delivery?.id ?? null
}

/** False: there is no such delivery, it is being sent, its subscription is paused, or its event is gone. */
export async function redeliver(database: Database, id: number): Promise<boolean> {
  return (await database.rows('updateDeliveryRedelivered', { id })).length > 0
}

// One statement's worth; a pause of weeks may have skipped millions.
const missedPerBatch = 5_000

/** Puts all that an active subscription missed on its way, as far as the feed retains it; returns how many. */
export async function deliverMissed(database: Database, subscription_id: string): Promise<number> {
  const args = { subscription_id, row_limit: missedPerBatch }
  let total = 0
  for (;;) {
    const moved = await database.rows('updateDeliveriesMissed', args)
    if (moved.length === 0) break
    total += moved.length
  }
  await database.rows('updateHookCaughtUp', { id: subscription_id })
  return total
}
