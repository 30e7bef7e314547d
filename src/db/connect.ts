// Opens connections. Values arrive as PostgreSQL wrote them: JSON and moments stay text, because what the API
// sends is built by the database and only passed through.
import type { Socket } from 'node:net'
import postgres from 'postgres'
import { hostUrls } from '../lib/host_urls.ts'
import { dialPrimary } from './hosts.ts'
import { readTlsOptions } from './tls.ts'

export type Sql = postgres.Sql<Record<string, never>>

export type PoolOptions = {
  url: string
  connectionsMax: number
  applicationName: string
  /** How long one statement may run; 0: as long as it takes. */
  statementTimeoutMs: number
  /** How long one statement may wait for a lock; without it, as long as it may run. */
  lockTimeoutMs?: number
  /** Default force_custom_plan; force_generic_plan for sessions whose statements have one good plan; auto as others have it. */
  planCacheMode?: 'force_generic_plan' | 'force_custom_plan' | 'auto'
  /** Disables sequential scans: every statement finds its rows by an index. */
  byIndexOnly?: boolean
  /** Disables bitmap scans and parallel workers: a page must follow index order, not sort all rows. */
  inIndexOrder?: boolean
  onNotify?: (channel: string, payload: string) => void
  onClose?: () => void
}

// postgres.js gives up on a server that does not answer after this long, and the request fails.
const connectTimeoutSeconds = 3

const asWritten = (oid: number, ...from: number[]) => ({
  to: oid,
  from: [oid, ...from],
  serialize: (value: string) => value,
  parse: (text: string) => text,
})

/** A bigint that JSON can carry. Above 2^53 a number would be rounded in silence, so it throws. */
function parseBigint(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError('bigint beyond 2^53 in a result')
  return value
}

const types = {
  json: asWritten(114, 3802),
  date: asWritten(1184, 1082, 1114),
  boolean: { ...asWritten(16), parse: (text: string) => text === 't' },
  bytea: asWritten(17),
  bigint: { ...asWritten(20), serialize: String, parse: parseBigint },
}

/** What a session needs to work as it should, for good plans most of all. */
export const sessionSettings = (options: Partial<PoolOptions>): Record<string, string> => ({
  // Two that wait for one row's lock see in turn what the other did; otherwise the second one fails.
  default_transaction_isolation: 'read committed',
  // An optional filter ($1 is null or status = $1) needs the value to use its index; a generic plan may scan the table.
  plan_cache_mode: options.planCacheMode ?? 'force_custom_plan',
  jit: 'off',
  ...(options.byIndexOnly && { enable_seqscan: 'off' }),
  // Not knowing how short a page is, a plan for all values assumes a tenth of the table, for which both look cheaper.
  ...(options.inIndexOrder && { enable_bitmapscan: 'off', max_parallel_workers_per_gather: '0' }),
})

/** A connection to the host that takes writes, whose name its certificate must have. */
async function openSocket(urls: string[], ssl: { host: string } | undefined): Promise<Socket> {
  const socket = await dialPrimary(urls)
  // postgres.js hands the options of TLS on with each connection.
  if (ssl) ssl.host = socket.host
  return socket
}

/** A pool; connects at its first statement. */
export function connect(options: PoolOptions): Sql {
  const urls = hostUrls(options.url)
  const { url, ssl } = readTlsOptions(urls[0])
  const settings: Record<string, unknown> = {
    max: options.connectionsMax,
    connect_timeout: connectTimeoutSeconds,
    fetch_types: false,
    onnotice: () => {},
    // Retry at once, then every half second: a database that is back is used at once.
    backoff: (attempt: number) => Math.min(attempt * 0.1, 0.5),
    types,
    connection: {
      application_name: options.applicationName,
      TimeZone: 'UTC',
      // Bodies of functions are read under it.
      standard_conforming_strings: 'on',
      statement_timeout: options.statementTimeoutMs,
      ...(options.lockTimeoutMs && { lock_timeout: options.lockTimeoutMs }),
      ...sessionSettings(options),
    },
    onnotify: options.onNotify,
    onclose: options.onClose,
    ...(ssl && { ssl }),
    ...(urls.length > 1 && { socket: () => openSocket(urls, ssl) }),
  }
  return postgres(url, settings) as unknown as Sql
}

// postgres.js does not end a connection while a statement runs, so end() gets this long.
const partingSeconds = 1

/** One connection for a piece of work that takes as long as it takes. */
export async function withConnection<Value>(
  options: Pick<PoolOptions, 'url' | 'applicationName' | 'lockTimeoutMs'>,
  work: (sql: Sql) => Promise<Value>,
): Promise<Value> {
  const sql = connect({ ...options, connectionsMax: 1, statementTimeoutMs: 0 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: partingSeconds })
  }
}
