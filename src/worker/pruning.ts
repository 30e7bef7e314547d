// Deletes what the feed need not keep any more, on a schedule, and reports a feed that stands still.
import { setTimeout as pause } from 'node:timers/promises'
import { Cron } from 'croner'
import type { Database } from '../db/database.ts'
import type { RowOf } from '../db/queries.ts'
import type { Log } from '../observability/log.ts'

const minutely = '30 * * * * *'
const batchMax = 1_000
// Readers and the sequencer come in between.
const batchPauseMs = 20
const secondsPerDay = 86_400
// Five thousand years: longer ago is no time of PostgreSQL's.
const endlessSeconds = 5_000 * 365 * secondsPerDay

type PruneOptions = {
  database: Database
  /** Below 0: without end. */
  keepDays: number
}

const keepSeconds = ({ keepDays }: PruneOptions) =>
  keepDays < 0 ? endlessSeconds : Math.round(keepDays * secondsPerDay)

type Batch = RowOf<'pruneEvents'>

/** One run: expired events, those of one day at most. */
export async function pruneEvents(options: PruneOptions, at: Date | null = null) {
  let events = 0
  let until: string | null = null
  for (;;) {
    const [batch]: Batch[] = await options.database.rows('pruneEvents', {
      keep_seconds: keepSeconds(options),
      at,
      until,
      row_limit: batchMax,
    })
    events += batch?.deleted ?? 0
    if (!batch?.deleted) return { events, horizon: batch?.horizon ?? 0 }
    until = batch.expired_before
    await pause(batchPauseMs)
  }
}

/** Attempts to deliver events that have expired, and what is left of deleted subscriptions. */
async function pruneDeliveries({ database }: PruneOptions) {
  for (;;) {
    const [batch] = await database.rows('pruneDeliveries', { row_limit: batchMax })
    if ((batch?.pruned ?? 0) < batchMax) return
    await pause(batchPauseMs)
  }
}

/** One run of the schedule. Throws what failed; deliveries, which follow the horizon, are pruned in any case. */
export async function prune(options: PruneOptions, log: Log): Promise<void> {
  await options.database.rows('pruneOwnerNotices', {})
  try {
    if (options.keepDays < 0) return
    const { events, horizon } = await pruneEvents(options)
    if (events > 0) log.event('pruned', { events, horizon })
  } finally {
    await pruneDeliveries(options)
  }
}

type ScheduleOptions = PruneOptions & { schedule: string; log: Log; isLeading(): boolean }

/** Runs until stopped; a failed run is logged and the next one tries again. */
export function schedulePruning({ schedule, log, isLeading, ...options }: ScheduleOptions) {
  const every = (pattern: string, where: string, work: () => Promise<void>) =>
    new Cron(pattern, { protect: true, catch: error => log.fault(where, error) }, async () => {
      if (isLeading()) await work()
    })
  const crons = [
    every(schedule, 'pruning', () => prune(options, log)),
    every(minutely, 'feed_check', async () => {
      const [feed] = await options.database.rows('getFeedCheck', {})
      if (feed?.stuck) log.event('feed_stuck', {})
    }),
  ]
  return {
    stop() {
      for (const cron of crons) cron.stop()
    },
  }
}
