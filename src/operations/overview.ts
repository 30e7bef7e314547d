// Whether all is well, for the owner.
import type { Database } from '../db/database.ts'
import { countMax } from './deliveries.ts'

export async function getOverview(database: Database, count_max = countMax) {
  const [overview] = await database.rows('getOverview', { count_max })
  if (!overview) throw new Error('the feed has no row')
  return overview
}

/** Of what subscriptions got or were to get in 24 hours, how many there are, and how many have not arrived by now. */
export async function getArrivals(database: Database, count_max = countMax) {
  const [arrivals] = await database.rows('getArrivals', { count_max })
  return arrivals ?? { events: 0, missing: 0 }
}

const hourMs = 3_600_000
const outcomes = ['delivered', 'retried', 'failed'] as const
type AttemptHour = { at: Date } & Record<(typeof outcomes)[number], number>

/** Attempts to deliver in the last 24 hours, the oldest hour first. */
export async function listAttemptHours(database: Database, id: string): Promise<AttemptHour[]> {
  const rows = await database.rows('listAttemptHours', { subscription_id: id })
  const thisHour = Math.floor(Date.now() / hourMs)
  const hours = Array.from({ length: 24 }, (_, index): AttemptHour => {
    return { at: new Date((thisHour - 23 + index) * hourMs), delivered: 0, retried: 0, failed: 0 }
  })
  for (const row of rows) {
    const hour = hours[Math.floor(Date.parse(row.hour) / hourMs) - thisHour + 23]
    const outcome = outcomes.find(one => one === row.outcome)
    if (hour && outcome) hour[outcome] += row.attempts
  }
  return hours
}

export type Overview = Awaited<ReturnType<typeof getOverview>>

// A process that takes over needs 6 to 7 s.
const leaderlessSeconds = 30

/** Whether events have waited for so long without a process that gives them cursors and delivers them. */
export const isWorkerMissing = ({ at, has_leader, unsequenced_since }: Overview): boolean =>
  !has_leader &&
  unsequenced_since !== null &&
  Date.parse(at) - Date.parse(unsequenced_since) > leaderlessSeconds * 1_000
