// What the owner looks at: whether all is well, how webhooks fare, what the feed holds.
import type { Database } from '../db/database.ts'
import { type EventType, eventTypes } from '../model/event_type.ts'

// "10000+" says as much as the number would, and counting on costs.
export const countMax = 10_000
export const chartHours = 24
const hourMs = 3_600_000

async function overviewOf(database: Database, count_max: number) {
  const [overview] = await database.list('getOverview', { count_max })
  if (!overview) throw new Error('the feed has no row')
  return overview
}

export const getOverview = (database: Database) => overviewOf(database, countMax)

/** Where the feed stands, without counting what waits. */
export const getFeed = async (database: Database): Promise<{ head: number; horizon: number }> =>
  await overviewOf(database, 0)

export type AttemptHour = { hour: Date; accepted: number; failed: number }

type Counted = { accepted: number; failed: number }

const none: Counted = { accepted: 0, failed: 0 }
const stepMs = 5 * 60_000
// An attempt is recorded within a minute of its start: what is older than this does not change, so it is counted
// once and remembered. A day of 1,000,000 attempts takes most of a second to count.
const settledMs = 2 * 60_000
const settledSteps = new WeakMap<Database, Map<number, Counted>>()

/** Attempts by the five minutes from `first` up to now; of those remembered nothing is asked. */
async function countSteps(database: Database, first: number, at: number) {
  const steps = Array.from(
    { length: Math.ceil((at - first) / stepMs) },
    (_, n) => first + n * stepMs,
  )
  const settled = settledSteps.get(database) ?? new Map<number, Counted>()
  const since = steps.find(step => !settled.has(step)) ?? at
  const rows = await database.list('countRecentAttempts', { since: new Date(since) })
  const counted = new Map<number, Counted>(rows.map(row => [Date.parse(row.at), row]))
  const found = new Map(
    steps.map(step => [step, settled.get(step) ?? counted.get(step) ?? none] as const),
  )
  const kept = [...found].filter(([step]) => step + stepMs + settledMs < at)
  settledSteps.set(database, new Map(kept))
  return found
}

/** The hours up to now, oldest first, those without attempts too. */
export async function listAttemptHours(database: Database, at: Date): Promise<AttemptHour[]> {
  const first = Math.floor(at.getTime() / hourMs) * hourMs - (chartHours - 1) * hourMs
  const steps = [...(await countSteps(database, first, at.getTime() + 1))]
  return Array.from({ length: chartHours }, (_, index) => {
    const hour = first + index * hourMs
    const counts = steps.filter(([step]) => step >= hour && step < hour + hourMs)
    const sum = (kind: keyof Counted) => counts.reduce((total, [, one]) => total + one[kind], 0)
    return { hour: new Date(hour), accepted: sum('accepted'), failed: sum('failed') }
  })
}

/** All, with whether they need the owner. */
export const listHookNames = (database: Database) => database.list('listHookNames', {})

export type HookName = Awaited<ReturnType<typeof listHookNames>>[number]

/** All, without counting what waits: a hundred of them would count long. */
export const listHookReports = (database: Database) =>
  database.list('listHookReports', { id: null, count_max: 0 })

export type HookReport = Awaited<ReturnType<typeof listHookReports>>[number]

export async function getHookReport(database: Database, id: string): Promise<HookReport | null> {
  const [report] = await database.list('listHookReports', { id, count_max: countMax })
  return report ?? null
}

export async function getDelivery(database: Database, id: number) {
  const [delivery] = await database.list('getDelivery', { id })
  return delivery ?? null
}

/** Newest first; `before` is the cursor of the last event seen. */
export const listNewestEvents = (
  database: Database,
  { type, before, limit }: { type: EventType | null; before: number | null; limit: number },
) =>
  database.list('listNewestEvents', {
    event_types: type === null ? eventTypes : [type],
    before,
    row_limit: limit,
  })

export async function getEvent(database: Database, cursor: number) {
  const [event] = await database.list('getEvent', { cursor })
  return event ?? null
}
