// What the owner sees and does of deliveries: how subscriptions fare, what failed and why, send again, dismiss.
import type { Database } from '../db/database.ts'
import type { ArgumentsOf } from '../db/queries.ts'

/** waiting: for its next attempt. What waits for its turn in the feed has no row, and is in none of these lists. */
export const deliveryStates = ['failed', 'waiting', 'delivered'] as const
export type DeliveryState = (typeof deliveryStates)[number]

// "10000+" is worth as much as the number, and counting on costs.
export const countMax = 10_000

/** Of every subscription: how far it is, what waits and has failed, its last attempt. Newest first. */
export const listHookReports = (database: Database, count_max = countMax) =>
  database.rows('listHookReports', { id: null, count_max })

export type HookReport = Awaited<ReturnType<typeof listHookReports>>[number]

/** Null: there is no such subscription. */
export async function getHookReport(database: Database, id: string): Promise<HookReport | null> {
  const [report] = await database.rows('listHookReports', { id, count_max: countMax })
  return report ?? null
}

/** One page of those in a state, newest event first. */
export const listDeliveries = (database: Database, page: ArgumentsOf<'listDeliveries'>) =>
  database.rows('listDeliveries', page)

export type ListedDelivery = Awaited<ReturnType<typeof listDeliveries>>[number]

/** In the order in which they were made. */
export const listAttempts = (database: Database, subscriptionId: string, cursor: number) =>
  database.rows('listAttempts', { subscription_id: subscriptionId, cursor })

/** How far one event came at each subscription that lists its type or received it. */
export const listEventDeliveries = (database: Database, cursor: number) =>
  database.rows('listEventDeliveries', { cursor })

/** Deliveries sent again by one action, at most. */
const redeliveredMax = 1_000

/** Why a delivery is not sent again. */
export const redeliverRefusals = {
  gone: 'The feed no longer holds the event: it was erased, or has expired.',
  unlisted: 'The subscription does not list the type of this event.',
  waiting: 'Its next attempt is due already.',
  not_sent:
    'It has not been sent: its turn is still to come, or it is from before the subscription.',
} as const

type Redelivered = { cursor: number; state: 'sent' | keyof typeof redeliverRefusals }

/**
 * Sends again a delivery that has ended, with five attempts; null: what has failed, the oldest first, as many as one action takes.
 * None: nothing has failed, or there is no such subscription.
 */
export async function redeliver(
  database: Database,
  id: string,
  cursor: number | null,
): Promise<Redelivered[]> {
  const rows = await database.rows('updateHookRedelivered', {
    subscription_id: id,
    cursors: cursor === null ? null : [cursor],
    row_limit: redeliveredMax,
  })
  return rows as Redelivered[]
}

/** Forgets what has failed and what expired before it was delivered; how many had failed. Null: no such subscription. */
export async function dismissFailures(database: Database, id: string): Promise<number | null> {
  const [found] = await database.rows('deleteHookFailures', { id })
  return found?.dismissed ?? null
}
