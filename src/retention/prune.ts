// Drops what the feed need not keep any more, on a schedule, and makes its next partitions ahead.
import { setTimeout as pause } from 'node:timers/promises'
import { Cron } from 'croner'
import type { Sql } from '../db/connect.ts'
import { openDatabase } from '../db/database.ts'
import type { Queries } from '../db/queries.ts'
import { errorCodeOf } from '../error_code.ts'
import type { Log } from '../log.ts'

// Ahead of time by a whole partition, so once a minute is often enough for 160,000 events per second.
const partitionSchedule = '30 * * * * *'
const attemptsMax = 20
const attemptDelayMs = 250
const secondsPerDay = 86_400
const deliveriesPerBatch = 10_000

export type PruneOptions = { sql: Sql; queries: Queries; keepDays: number }

const lockNotAvailable = '55P03'

/** One attempt. Throws SQLSTATE 55P03 when readers did not let go in time. */
export async function pruneOnce({ sql, queries, keepDays }: PruneOptions, at: Date | null = null) {
  const keep_seconds = Math.round(keepDays * secondsPerDay)
  const [pruned] = await openDatabase(sql, queries).rows('pruneEvents', { keep_seconds, at })
  return pruned
}

/** Deliveries that ended go with the age of their events; a batch at a time, so that nobody waits long. */
export async function pruneDeliveries(
  { sql, queries, keepDays }: PruneOptions,
  at: Date | null = null,
): Promise<void> {
  const database = openDatabase(sql, queries)
  const keep_seconds = Math.round(keepDays * secondsPerDay)
  for (let pruned = -1; pruned !== 0; ) {
    const args = { keep_seconds, at, row_limit: deliveriesPerBatch }
    const [batch] = await database.rows('pruneDeliveries', args)
    pruned = batch?.pruned ?? 0
  }
}

export async function prune(options: PruneOptions, log: Log): Promise<void> {
  await pruneDeliveries(options)
  await openDatabase(options.sql, options.queries).rows('pruneOwnerNotices', {})
  for (let attempt = 1; ; attempt += 1) {
    try {
      const pruned = await pruneOnce(options)
      if (pruned?.partitions_dropped) log.pruned(pruned.partitions_dropped, pruned.horizon ?? 0)
      return
    } catch (error) {
      if (errorCodeOf(error) !== lockNotAvailable || attempt === attemptsMax) throw error
      await pause(attemptDelayMs)
    }
  }
}

/** Runs until stopped; a failed run is logged and the next one tries again. */
export function schedulePruning(options: PruneOptions & { schedule: string; log: Log }) {
  const { log, schedule, ...pruning } = options
  const database = openDatabase(options.sql, options.queries)
  const partitions = new Cron(
    partitionSchedule,
    { protect: true, catch: error => log.fault('partitions', error) },
    async () => {
      await database.rows('prepareEventsPartitions', {})
    },
  )
  const pruner =
    options.keepDays < 0
      ? undefined
      : new Cron(schedule, { protect: true, catch: error => log.fault('pruning', error) }, () =>
          prune(pruning, log),
        )
  return {
    stop() {
      partitions.stop()
      pruner?.stop()
    },
  }
}
