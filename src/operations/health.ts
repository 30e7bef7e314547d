// How deliveries fare: counts over time, how long they take, why they fail. Counted beforehand (sql/migrations/0009_hook_health), so
// that a page costs the same whatever was sent.
import type { Database } from '../db/database.ts'

/** As in duration_bucket, in milliseconds; what takes longer than the last is in a bucket of its own. */
export const durationBounds = [
  5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_500, 5_000, 10_000,
] as const
// A timeout ends every attempt.
const durationMaxMs = 15_000

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** How far back, and how much time one bar of the chart stands for. */
export const periods = {
  '1h': { unit: 'm', stepMs: 2 * minuteMs, steps: 30 },
  '24h': { unit: 'h', stepMs: hourMs, steps: 24 },
  '7d': { unit: 'h', stepMs: 6 * hourMs, steps: 28 },
  '30d': { unit: 'h', stepMs: dayMs, steps: 30 },
} as const

export type Period = keyof typeof periods
export const isPeriod = (text: string | null): text is Period =>
  text !== null && Object.hasOwn(periods, text)

export type Step = { at: Date; delivered: number; retried: number; failed: number }
export type FailureReason = { reason: string; attempts: number; first_at: string; last_at: string }

export type Health = {
  /** Deliveries that arrived, and those given up; attempts that were tried again. */
  delivered: number
  failed: number
  retried: number
  /** Share of deliveries that arrived, of those that ended; null: none did. */
  rate: number | null
  p50_ms: number | null
  p95_ms: number | null
  /** Oldest first, without gaps. */
  steps: Step[]
  /** The most frequent first. */
  reasons: FailureReason[]
}

type Row = Awaited<ReturnType<typeof listRows>>[number]

const listRows = (database: Database, id: string | null, since: Date, period: Period) => {
  const { unit, stepMs } = periods[period]
  return database.list('listHookHealth', { id, since, unit, step_seconds: stepMs / 1_000 })
}

/** The duration that a share of all attempts stayed below, in ms, interpolated within a bucket; null: no attempts. */
export function durationQuantile(
  buckets: ReadonlyMap<number, number>,
  share: number,
): number | null {
  const all = [...buckets.values()].reduce((sum, count) => sum + count, 0)
  if (all === 0) return null
  let left = all * share
  for (const [bucket, count] of [...buckets].sort(([one], [other]) => one - other)) {
    if (left <= count) {
      const lower = durationBounds[bucket - 1] ?? 0
      const upper = durationBounds[bucket] ?? durationMaxMs
      return Math.round(lower + ((upper - lower) * left) / count)
    }
    left -= count
  }
  return null
}

const kinds = { d: 'delivered', r: 'retried', f: 'failed' } as const

const listOf = (text: string | null) => (text === null || text === '' ? [] : text.split(' '))

/** Durations of several subscriptions are one distribution. */
function bucketsOf(rows: readonly Row[]): Map<number, number> {
  const buckets = new Map<number, number>()
  for (const pair of rows.flatMap(row => listOf(row.buckets))) {
    const [bucket = 0, count = 0] = pair.split(':').map(Number)
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + count)
  }
  return buckets
}

function stepsOf(rows: readonly Row[], since: Date, period: Period): Step[] {
  const { stepMs, steps: count } = periods[period]
  const steps = Array.from({ length: count }, (_, index) => ({
    at: new Date(since.getTime() + index * stepMs),
    delivered: 0,
    retried: 0,
    failed: 0,
  }))
  for (const counted of rows.flatMap(row => listOf(row.steps))) {
    const [number, attempts] = counted.split(/[a-z]/)
    const outcome = counted.charAt(number?.length ?? 0) as keyof typeof kinds
    const step = steps[Number(number)]
    if (step) step[kinds[outcome]] += Number(attempts)
  }
  return steps
}

type Reason = [reason: string, attempts: number, first_at: string, last_at: string]

const reasonsOf = (rows: readonly Row[]): FailureReason[] =>
  rows
    .flatMap(row => (row.reasons ?? []) as unknown as Reason[])
    .map(([reason, attempts, first_at, last_at]) => ({ reason, attempts, first_at, last_at }))
    .toSorted((one, other) => other.attempts - one.attempts)

function healthOf(rows: readonly Row[], since: Date, period: Period): Health {
  const steps = stepsOf(rows, since, period)
  const buckets = bucketsOf(rows)
  const sum = (kind: 'delivered' | 'retried' | 'failed') =>
    steps.reduce((total, step) => total + step[kind], 0)
  const [delivered, failed] = [sum('delivered'), sum('failed')]
  return {
    delivered,
    failed,
    retried: sum('retried'),
    rate: delivered + failed === 0 ? null : delivered / (delivered + failed),
    p50_ms: durationQuantile(buckets, 0.5),
    p95_ms: durationQuantile(buckets, 0.95),
    steps,
    reasons: reasonsOf(rows),
  }
}

/** When the first step begins; the last one is under way. */
function startOfPeriod(period: Period, at: Date): Date {
  const { stepMs, steps } = periods[period]
  return new Date(Math.floor(at.getTime() / stepMs) * stepMs - (steps - 1) * stepMs)
}

/** Health of one subscription over a period that ends with the step of `at`. */
export async function getHealth(
  database: Database,
  id: string,
  period: Period,
  at = new Date(),
): Promise<Health> {
  const since = startOfPeriod(period, at)
  return healthOf(await listRows(database, id, since, period), since, period)
}

/** Of every subscription that had an attempt within a day, and of all of them together. */
export async function listHealth(
  database: Database,
  at = new Date(),
): Promise<{ all: Health; byHook: ReadonlyMap<string, Health> }> {
  const since = startOfPeriod('24h', at)
  const rows = await listRows(database, null, since, '24h')
  return {
    all: healthOf(rows, since, '24h'),
    byHook: new Map(rows.map(row => [row.subscription_id, healthOf([row], since, '24h')])),
  }
}
