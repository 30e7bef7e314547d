// Whether all is well, for the owner.
import type { Database } from '../db/database.ts'
import { onItsWayMs } from '../model/hook_health.ts'
import { countMax } from './deliveries.ts'

export async function getOverview(database: Database, count_max = countMax) {
  const [overview] = await database.rows('getOverview', { count_max })
  if (!overview) throw new Error('the feed has no row')
  return overview
}

/** Of what subscriptions got or were to get in 24 hours, how many there are, and how many have not arrived by now. */
export async function getArrivals(database: Database, count_max = countMax) {
  const [arrivals] = await database.rows('getArrivals', { count_max, on_its_way_ms: onItsWayMs })
  return arrivals ?? { events: 0, missing: 0 }
}

/** Attempts to deliver in the last 24 hours, the oldest hour first. */
export const listAttemptHours = (database: Database, id: string) =>
  database.rows('listAttemptHours', { subscription_id: id })

export type Overview = Awaited<ReturnType<typeof getOverview>>

// A process that takes over needs 6 to 7 s.
const leaderlessSeconds = 30

/** Whether events have waited for so long without a process that gives them cursors and delivers them. */
export const isWorkerMissing = ({ at, has_leader, unsequenced_since }: Overview): boolean =>
  !has_leader &&
  unsequenced_since !== null &&
  Date.parse(at) - Date.parse(unsequenced_since) > leaderlessSeconds * 1_000
