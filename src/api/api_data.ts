// The data of the service: one pool, its query files, and the replica where there is one.
import type { Config } from '../config/settings.ts'
import { openPool, type PoolOptions } from '../db/connect.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { loadQueries } from '../db/override.ts'
import type { Queries } from '../db/queries.ts'
import { openReplica } from '../db/replica.ts'
import type { Cleanup } from '../lib/cleanup.ts'
import type { Log } from '../observability/log.ts'

export type ApiData = {
  pool: PoolOptions
  /** Reads go to the replica where their files allow it. */
  database: Database
  queries: Queries
  requestTimeoutMs: number
}

export const applicationName = 'workspace-data-api'

// Requests share them: more gave nothing (docs/decisions/one_pool.md).
const connectionsMax = 4
// The server's own timeout answers first, then the database counts as silent, and the answer still has to be written.
const silenceMarginMs = 500
const requestMarginMs = 1_000
// A lock that is held for longer answers 503, before the statement times out; the roles have the same setting.
const lockTimeoutMs = 3_000

/** Throws when the database is away or an SQL override does not fit. */
export async function openApiData(
  config: Config,
  url: string,
  log: Log,
  cleanup: Cleanup,
): Promise<ApiData> {
  const { STATEMENT_TIMEOUT_MS: statementTimeoutMs, DATABASE_READ_URL: readUrl } = config
  const options: PoolOptions = {
    url,
    applicationName,
    connectionsMax,
    statementTimeoutMs,
    lockTimeoutMs: Math.min(lockTimeoutMs, statementTimeoutMs / 2),
  }
  const pool = openPool(options)
  cleanup.add(pool.end)
  const queries = await loadQueries(pool.sql, config.SQL_DIR, paths =>
    log.event('sql_overridden', { paths }),
  )
  const primary = openDatabase(pool, queries, statementTimeoutMs + silenceMarginMs)
  const replica =
    readUrl &&
    openReplica({
      pool: { ...options, url: readUrl, applicationName: `${applicationName} read` },
      queries,
      primary,
      onAway: reason => log.event('replica_away', { reason }),
      onBack: () => log.event('replica_back', {}),
    })
  if (replica) cleanup.add(replica.close)
  return {
    pool: options,
    database: replica ? replica.database : primary,
    queries,
    requestTimeoutMs: statementTimeoutMs + requestMarginMs,
  }
}
