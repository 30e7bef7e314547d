// The data of the service: pools, query files, the replica where there is one, and what gives up on a silent server.
import type { Config } from '../config/settings.ts'
import type { PoolOptions } from '../db/connect.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { openDeadline, silenceWatch, withDeadline } from '../db/deadline.ts'
import { lostSettings } from '../db/lost_settings.ts'
import { loadQueries } from '../db/override.ts'
import { openPool } from '../db/pool.ts'
import { openPools, plannedOnce } from '../db/pools.ts'
import type { Queries } from '../db/queries.ts'
import { openReplica, type Replica, type ReplicaOptions } from '../db/replica.ts'
import type { Cleanup } from '../lib/cleanup.ts'
import type { Log } from '../observability/log.ts'
import type { WatchDatabase } from '../observability/metrics/part.ts'
import { type KeySlots, openKeySlots, slotsOf } from './http/key_slots.ts'

export type ApiData = {
  pool: PoolOptions
  /** Reads go to the replica where their files allow it. */
  database: Database
  /** For what goes on for long: each statement is given up after requestTimeoutMs. */
  streamDatabase: Database
  /** For what every request needs: its key and a permit. */
  access: Database
  slots: KeySlots
  queries: Queries
  /** SQL files that were loaded instead of embedded ones. */
  overridden: readonly string[]
  requestTimeoutMs: number
  onTimeout(): void
}

export const applicationName = 'workspace-data-api'

// A statement may use its whole timeout, and the answer still has to be written.
const requestMarginMs = 1_000
// A lock that is held for longer answers 503, before the statement times out; the roles have the same setting.
const lockTimeoutMs = 3_000
// Connections have so many seconds to end.
const parting = { timeout: 5 }

const poolOptions = (config: Config, url: string): PoolOptions => ({
  url,
  applicationName,
  connectionsMax: config.DATABASE_POOL_MAX,
  statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
  lockTimeoutMs: Math.min(lockTimeoutMs, config.STATEMENT_TIMEOUT_MS / 2),
})

/** One connection. Every request needs its key and a permit, so none may wait there for a slow statement of another. */
const accessOptions = (pool: PoolOptions): PoolOptions => ({
  ...pool,
  ...plannedOnce,
  applicationName: `${applicationName} access`,
  connectionsMax: 1,
})

/** Nothing without DATABASE_READ_URL. */
function openReads(
  { DATABASE_READ_URL: url }: Config,
  { pool, ...options }: Pick<ReplicaOptions, 'pool' | 'queries' | 'primary' | 'isCrowded'>,
  log: Log,
): Replica | undefined {
  if (url === undefined) return undefined
  return openReplica({
    ...options,
    pool: { ...pool, url, applicationName: `${applicationName} read` },
    onAway: log.replicaAway,
    onBack: log.replicaBack,
  })
}

/** Throws when the database is away or an SQL override does not fit. */
export async function openApiData(
  config: Config,
  url: string,
  log: Log,
  watch: WatchDatabase,
  cleanup: Cleanup,
): Promise<ApiData> {
  const pool = poolOptions(config, url)
  const requestTimeoutMs = config.STATEMENT_TIMEOUT_MS + requestMarginMs
  const slots = openKeySlots(slotsOf(pool.connectionsMax), requestTimeoutMs)
  const { sql, once, renew, end } = openPools(pool)
  const access = openPool(accessOptions(pool))
  cleanup.add(() => Promise.all([end(parting), access.sql.end(parting)]))
  const { onAnswer, onTimeout } = silenceWatch(renew, requestTimeoutMs)
  const overridden: string[] = []
  const queries = await loadQueries(sql, config.SQL_DIR, paths => {
    overridden.push(...paths)
    log.sqlOverridden(paths)
  })
  const primary = openDatabase(sql, queries, { onAnswer, once, isCrowded: slots.isCrowded })
  const replica = openReads(config, { pool, queries, primary, isCrowded: slots.isCrowded }, log)
  cleanup.add(() => replica?.close())
  const database = watch(replica?.database ?? primary)
  const lost = await lostSettings(database, pool)
  if (lost.length > 0) log.settingsLost('api', lost)
  return {
    pool,
    database,
    streamDatabase: withDeadline(database, openDeadline(requestTimeoutMs, onTimeout)),
    access: withDeadline(
      watch(openDatabase(access.sql, queries)),
      // After that long the connection counts as lost, even if all others still answer.
      openDeadline((pool.lockTimeoutMs ?? lockTimeoutMs) + requestMarginMs, access.renew),
    ),
    slots,
    queries,
    overridden,
    requestTimeoutMs,
    onTimeout,
  }
}
