// What the worker thread does: give events their cursors, prune the feed. workers/worker.ts is its entry.
import type { Config } from './config.ts'
import { connect, type PoolOptions } from './db/connect.ts'
import { openDatabase } from './db/database.ts'
import { listen } from './db/listen.ts'
import { loadQueries } from './db/override.ts'
import { openPool } from './db/pool.ts'
import { startSequencer } from './feed/sequencer.ts'
import type { Log } from './log.ts'
import { schedulePruning } from './retention/prune.ts'

export type RunningWorker = { stop(): Promise<void> }

// Nothing a worker runs takes longer, but for a batch of very large events.
const statementTimeoutMs = 30_000

export async function startWorker(config: Config, url: string, log: Log): Promise<RunningWorker> {
  const pool: PoolOptions = {
    url,
    applicationName: 'workspace-data-api worker',
    connectionsMax: 3,
    statementTimeoutMs,
    // The same few statements all day: planning each anew took a third of a batch's time.
    planCacheMode: 'auto',
  }
  const { sql } = openPool(pool)
  const queries = await loadQueries(sql, config.SQL_DIR)
  await openDatabase(sql, queries).rows('prepareEventsPartitions', {})
  const sequencer = startSequencer({ sql, queries, log })
  const listener = listen({
    channels: ['event_emitted'],
    open: events => connect({ ...pool, connectionsMax: 1, ...events }),
    onNotify: () => sequencer.wake(),
    onEstablished: () => sequencer.wake(),
  })
  const pruning = schedulePruning({
    sql,
    queries,
    log,
    keepDays: config.EVENT_RETENTION_DAYS,
    schedule: config.RETENTION_SCHEDULE,
  })
  return {
    async stop() {
      pruning.stop()
      await sequencer.stop()
      await listener.close()
      await sql.end({ timeout: 5 })
    },
  }
}
