// What the owner does about deliveries: look into them, send a test, send again, let a paused subscription
// receive again and have what it missed.
import type { Database } from '../db/database.ts'
import { makeSigningSecret, sealSecret } from '../model/signing_secret.ts'

export const listHookStates = (database: Database) => database.list('listHookStates', {})

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

/** False: there is no such subscription, or it is not paused. */
export async function reactivateHook(database: Database, id: string): Promise<boolean> {
  return (await database.rows('updateHookReactivated', { id })).length > 0
}

// One statement's worth; a pause of weeks may have skipped millions.
const missedPerBatch = 5_000

/** Puts all that an active subscription missed on its way, as far as the feed retains it; returns how many. */
export async function deliverMissed(database: Database, subscription_id: string): Promise<number> {
  const args = { subscription_id, row_limit: missedPerBatch }
  let total = 0
  for (;;) {
    const moved = await database.rows('updateDeliveriesMissed', args)
    if (moved.length === 0) return total
    total += moved.length
  }
}

const overlapSeconds = 24 * 60 * 60

/**
 * Gives a subscription a new signing secret and returns it: the only time it is shown. Both sign for 24 hours,
 * the old one in the header that holds one signature. Null: there is no such subscription.
 */
export async function rotateSecret(
  database: Database,
  id: string,
  keys: readonly Uint8Array[],
): Promise<string | null> {
  const secret = makeSigningSecret()
  const args = { id, secret: sealSecret(secret, keys, id), overlap_seconds: overlapSeconds }
  const [rotated] = await database.rows('updateHookSecret', args)
  return rotated ? secret : null
}

/** Lets the new secret lead before the overlap ends. False: the old one did not lead any more. */
export async function switchSecret(database: Database, id: string): Promise<boolean> {
  return (await database.rows('updateHookSecretSwitched', { id })).length > 0
}
