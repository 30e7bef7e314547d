// What the owner does about deliveries: look into them, send a test, send again, deliver what was missed, dismiss it.
import type { Database } from '../db/database.ts'

/** pending: scheduled; lists have those in hook_retries alone. skipped: in a range that was passed over. */
export const deliveryStates = ['failed', 'pending', 'skipped', 'delivered'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Below 0 it is a test event's. */
export const cursorForm = /^-?[1-9]\d{0,15}$/

export type DeliveryKey = { cursor: number; state: DeliveryState }

/** These deliveries, newest event first. */
export const listDeliveriesByKey = (
  database: Database,
  subscription_id: string,
  chosen: readonly DeliveryKey[],
) =>
  database.list('listDeliveries', {
    subscription_id,
    cursors: chosen.map(({ cursor }) => cursor),
    states: chosen.map(({ state }) => state),
  })

/** One page, newest event first; `before` is the cursor of the last delivery seen. */
export async function listDeliveries(
  database: Database,
  page: { subscription_id: string; state: DeliveryState; before: number | null; limit: number },
) {
  const { limit, ...args } = page
  const rows = await database.list('listDeliveryCursors', { ...args, row_limit: limit })
  const chosen = rows.map(({ cursor }) => ({ cursor, state: page.state }))
  return await listDeliveriesByKey(database, page.subscription_id, chosen)
}

/** Null: the subscription is unknown, or does not get this event. */
export async function getDelivery(database: Database, subscription_id: string, cursor: number) {
  const [delivery] = await database.list('getDelivery', { subscription_id, cursor })
  return delivery ?? null
}

/** Null: no test event was sent, as far as they are retained. */
export async function getNewestTest(database: Database, subscription_id: string) {
  const [newest] = await database.list('getNewestTest', { subscription_id })
  return newest ? await getDelivery(database, subscription_id, newest.cursor) : null
}

/** In the order in which they were made. */
export const listAttempts = (database: Database, subscription_id: string, cursor: number) =>
  database.list('listAttempts', { subscription_id, cursor })

/** What a delivery is sent with as of now; `secret` and `old_secret` are encrypted. */
export type DeliveryRequest = {
  target_url: string
  secret: string
  old_secret: string | null
  old_secret_leads: boolean
  event_id: string
  body: string
}

/** Null: the event is gone, or none of the subscription's. */
export async function getDeliveryRequest(
  database: Database,
  subscription_id: string,
  cursor: number,
): Promise<DeliveryRequest | null> {
  const [request] = await database.list('getDeliveryRequest', { subscription_id, cursor })
  if (!request || request.event_id === null || request.body === null) return null
  return { ...request, event_id: request.event_id, body: request.body }
}

/** The cursor of the delivery; null: the subscription is paused, deleted, or does not list the type. */
export async function sendTestEvent(
  database: Database,
  subscription_id: string,
  event_type: string | null = null,
): Promise<number | null> {
  const [delivery] = await database.rows('insertTestDelivery', { subscription_id, event_type })
  return delivery?.cursor ?? null
}

/** False: it is being sent, its event is gone, or the subscription is paused or does not get it. */
export async function redeliver(
  database: Database,
  subscription_id: string,
  cursor: number,
): Promise<boolean> {
  return (await redeliverAll(database, subscription_id, [cursor])) > 0
}

/** Makes deliveries due at once; returns how many. They are stored, see getRedelivery. */
export async function redeliverAll(
  database: Database,
  subscription_id: string,
  cursors: readonly number[],
): Promise<number> {
  const [sent] = await database.rows('updateDeliveriesRedelivered', { subscription_id, cursors })
  return sent?.deliveries ?? 0
}

/** Progress of the last redelivery, of one event or several; null: none within a day. */
export async function getRedelivery(database: Database, subscription_id: string) {
  const [sent] = await database.list('getRedelivery', { subscription_id })
  return sent ?? null
}

/** Puts failures and missed events on their way; returns how many. Null: no active subscription has this id. */
export async function deliverMissed(
  database: Database,
  subscription_id: string,
): Promise<number | null> {
  const [missed] = await database.rows('updateDeliveriesMissed', { subscription_id })
  return missed?.deliveries ?? null
}

/** Forgets failures and missed events; returns how many. Null: no subscription has this id. */
export async function dismissMissed(
  database: Database,
  subscription_id: string,
): Promise<number | null> {
  const [found] = await dismissUpTo(database, subscription_id, null)
  return found?.deliveries ?? null
}

/** `deliveries` is null, and nothing is forgotten, where there are more than that. None: no subscription has this id. */
export const dismissUpTo = (
  database: Database,
  subscription_id: string,
  deliveries_max: number | null,
) => database.rows('deleteHookFailures', { subscription_id, deliveries_max })
