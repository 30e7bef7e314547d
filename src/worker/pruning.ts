// Drops what the feed need not keep any more, on a schedule, and makes the feed's next partitions ahead.
import { setTimeout as pause } from 'node:timers/promises'
import { Cron } from 'croner'
import type { Database } from '../db/database.ts'
import { reportWaitingEvents } from '../feed/inconsistent_feed.ts'
import { errorCodeOf, lockNotAvailable } from '../lib/error_code.ts'
import type { Log } from '../observability/log.ts'

// Ahead of time by a whole partition, so once a minute is often enough for 160,000 events per second.
const partitionSchedule = '30 * * * * *'
// A run waits for half a minute in all; each try holds writers up for as long as the lock timeout of its function.
const lockTriesMax = 8
const firstDelayMs = 250
const secondsPerDay = 86_400
// Five thousand years: longer ago is no time of PostgreSQL's.
const endlessSeconds = 5_000 * 365 * secondsPerDay

export type PruneOptions = {
  database: Database
  /** Below 0: without end. */
  keepDays: number
}

const startedAt = performance.now()

/** For how long this process has watched the time, by a clock that does not jump. */
const uptimeSeconds = () => Math.floor((performance.now() - startedAt) / 1_000)

const keepSeconds = ({ keepDays }: PruneOptions) =>
  keepDays < 0 ? endlessSeconds : Math.round(keepDays * secondsPerDay)

/** One attempt. Throws SQLSTATE 55P03 when readers did not let go in time. */
export async function pruneOnce(
  options: PruneOptions,
  at: Date | null = null,
  uptime_seconds = uptimeSeconds(),
) {
  const args = { keep_seconds: keepSeconds(options), at, uptime_seconds }
  const [pruned] = await options.database.rows('pruneEvents', args)
  return pruned
}

/** What the feed no longer points to goes from the log; how many partitions. Throws SQLSTATE 55P03 as well. */
export async function pruneLog(options: PruneOptions, at: Date | null = null): Promise<number> {
  const args = { keep_seconds: keepSeconds(options), at }
  const [pruned] = await options.database.rows('pruneLog', args)
  return pruned?.partitions_dropped ?? 0
}

/** A day of attempts that expired goes; whether it was one. Throws SQLSTATE 55P03 as well. */
export async function pruneAttempts(
  options: PruneOptions,
  at: Date | null = null,
): Promise<boolean> {
  const args = { keep_seconds: keepSeconds(options), at }
  const [pruned] = await options.database.rows('pruneAttempts', args)
  return pruned?.pruned === 1
}

/** Tries again while readers hold what is to go. */
async function patiently<Value>(work: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (errorCodeOf(error) !== lockNotAvailable || attempt === lockTriesMax) throw error
      await pause(firstDelayMs * 2 ** (attempt - 1))
    }
  }
}

async function pruneFeed(options: PruneOptions, log: Log): Promise<void> {
  const pruned = await patiently(() => pruneOnce(options))
  if (pruned?.partitions_dropped) log.pruned(pruned.partitions_dropped, pruned.horizon ?? 0)
  if (pruned?.partitions_left) log.pruningHeldBack(pruned.partitions_left)
  await patiently(() => pruneLog(options))
}

/** One run of the schedule. Throws what failed, and leaves what comes after it to the next run. */
export async function prune(options: PruneOptions, log: Log): Promise<void> {
  await options.database.rows('pruneOwnerNotices', {})
  await patiently(() => pruneAttempts(options))
  // Without end nothing goes, so no partition is to be closed either.
  if (options.keepDays >= 0) await pruneFeed(options, log)
}

/** Runs until stopped; a failed run is logged and the next one tries again. */
export function schedulePruning(options: PruneOptions & { schedule: string; log: Log }) {
  const { log, schedule, ...pruning } = options
  const partitions = new Cron(
    partitionSchedule,
    { protect: true, catch: error => log.fault('partitions', error) },
    async () => {
      await options.database.rows('preparePartitions', {})
      await reportWaitingEvents(options)
      await options.database.rows('updateHookHealth', { moment: null })
    },
  )
  const pruner = new Cron(
    schedule,
    { protect: true, catch: error => log.fault('pruning', error) },
    () => prune(pruning, log),
  )
  return {
    stop() {
      partitions.stop()
      pruner.stop()
    },
  }
}
