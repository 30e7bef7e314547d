// Opens connections. JSON and moments stay as PostgreSQL wrote them: what the API sends is built by the database.
import { readFileSync } from 'node:fs'
import postgres from 'postgres'
import { hostUrls } from '../lib/host_urls.ts'

export type Sql = postgres.Sql<Record<string, never>>

export type PoolOptions = {
  url: string
  connectionsMax: number
  applicationName: string
  /** How long one statement may run; 0: as long as it takes. */
  statementTimeoutMs: number
  /** How long one statement may wait for a lock; without it, as long as it may run. */
  lockTimeoutMs?: number
  onNotify?: (channel: string, payload: string) => void
  onClose?: () => void
}

// A server that does not answer for so long counts as away.
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

/** What statements are written for, whatever the database sets for others. */
export const sessionSettings = {
  TimeZone: 'UTC',
  // Two that wait for one row's lock see in turn what the other did; otherwise the second one fails.
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
  jit: 'off',
}

/** The address without sslrootcert, which postgres.js would send to the server, and what that stands for. */
function readTlsOptions(url: string) {
  const [, file] = /[?&]sslrootcert=([^&]*)/.exec(url) ?? []
  if (file === undefined) return { url }
  const without = url.replace(/([?&])sslrootcert=[^&]*&?/, '$1').replace(/[?&]$/, '')
  if (file === 'system') return { url: without }
  const ca = readFileSync(decodeURIComponent(file), 'utf8')
  if (hostUrls(url).length > 1) return { url: without, ssl: { ca } }
  // Deno compares the certificate with "localhost" where the host is an IP address and not given here.
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return { url: without, ssl: { ca, host } }
}

/** A pool; connects at its first statement. Of several hosts it takes the one that takes writes. */
export function connect(options: PoolOptions): Sql {
  const { url, ssl } = readTlsOptions(options.url)
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
      statement_timeout: options.statementTimeoutMs,
      ...(options.lockTimeoutMs && { lock_timeout: options.lockTimeoutMs }),
      ...sessionSettings,
    },
    onnotify: options.onNotify,
    onclose: options.onClose,
    ...(ssl && { ssl }),
    ...(hostUrls(url).length > 1 && { target_session_attrs: 'primary' }),
  }
  return postgres(url, settings) as unknown as Sql
}

export type Pool = {
  /** Changes with renew(). */
  readonly sql: Sql
  /** Opens anew: for a server that has not answered for longer than any statement may take. */
  renew(): void
  end(): Promise<void>
}

// postgres.js ends no connection while a statement runs, so it gets so many seconds.
const parting = { timeout: 5 }

export function openPool(options: PoolOptions): Pool {
  let sql = connect(options)
  let ended = false
  return {
    get sql() {
      return sql
    },
    renew() {
      if (ended) return
      void sql.end({ timeout: 0 }).catch(() => {})
      sql = connect(options)
    },
    end() {
      ended = true
      return sql.end(parting)
    },
  }
}

/** One connection for a piece of work that takes as long as it takes. */
export async function withConnection<Value>(
  options: Pick<PoolOptions, 'url' | 'applicationName' | 'lockTimeoutMs'>,
  work: (sql: Sql) => Promise<Value>,
): Promise<Value> {
  const sql = connect({ ...options, connectionsMax: 1, statementTimeoutMs: 0 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** All or nothing. `work` waits for nothing but statements of the transaction. */
export const inTransaction = async <Value>(
  sql: Sql,
  work: (transaction: Sql) => Promise<Value>,
): Promise<Value> => (await sql.begin(inside => work(inside as unknown as Sql))) as Value
