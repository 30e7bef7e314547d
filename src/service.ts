// Puts a running service together: pool, queries, keys, limit, listener, HTTP. Commands and tests call it.
import { buildApp } from './app.ts'
import type { Config } from './config.ts'
import { connect, type PoolOptions } from './db/connect.ts'
import { openDatabase } from './db/database.ts'
import { type Listener, listen } from './db/listen.ts'
import { migrate } from './db/migrate.ts'
import { schemaVersion } from './db/migrations.ts'
import { loadQueries } from './db/override.ts'
import { openPool } from './db/pool.ts'
import type { Log } from './log.ts'
import { type KeyRing, openKeyRing } from './operations/key_ring.ts'
import { openRateLimit } from './operations/rate_limit.ts'
import type { Service } from './rest/answer.ts'
import { clientAddressReader, throttleGroup } from './rest/client_address.ts'
import { apiPages } from './rest/pages.ts'
import { openStreams, type Streams } from './rest/streams.ts'
import { openThrottle } from './rest/throttle.ts'
import { serveHttp } from './runtime/runtime.ts'

export type RunningService = { port: number; url: string; stop(): Promise<void> }

// A statement may use its whole timeout, and the answer still has to be written.
const requestMarginMs = 1_000
const useRecordingMs = 60_000
const lockTimeoutMs = 10_000
const applicationName = 'workspace-data-api'

/** Applies what is missing to the database at `url`; returns the names of the migrations applied. */
export async function migrateDatabase(url: string): Promise<string[]> {
  const sql = connect({
    url,
    connectionsMax: 1,
    applicationName: `${applicationName} migrate`,
    statementTimeoutMs: 0,
    lockTimeoutMs,
  })
  try {
    return await migrate(sql)
  } finally {
    await sql.end()
  }
}

/** Keeps the key ring honest: it forgets at every change, and whenever changes may have gone unheard. */
function listenForChanges(
  pool: PoolOptions,
  keyRing: KeyRing,
  streams: Streams,
  log: Log,
): Listener {
  const single = { ...pool, applicationName: `${applicationName} listen`, connectionsMax: 1 }
  return listen({
    channels: ['api_keys_changed', 'event_sequenced'],
    open: events => connect({ ...single, ...events }),
    onNotify: channel => (channel === 'api_keys_changed' ? keyRing.forget() : streams.wake()),
    onEstablished: () => {
      keyRing.forget()
      streams.wake()
      log.listenerEstablished()
    },
    onLost: () => log.listenerLost(),
  })
}

/** Notes every minute which keys were used; stop() notes the rest. */
function recordUses(keyRing: KeyRing, log: Log) {
  const record = () => keyRing.recordUses().catch(error => log.fault('last use of keys', error))
  const timer = setInterval(record, useRecordingMs)
  return {
    async stop() {
      clearInterval(timer)
      await record()
    },
  }
}

/** The client of a request: the runtime knows the socket, TRUSTED_PROXIES whom to believe beyond it. */
function clientReader(trustedProxies: string[]) {
  const sockets = new WeakMap<Request, () => string>()
  const read = clientAddressReader(trustedProxies)
  return {
    note: (request: Request, socket: () => string) => sockets.set(request, socket),
    clientOf: (request: Request) =>
      throttleGroup(read(sockets.get(request)?.() ?? '', request.headers.get('x-forwarded-for'))),
  }
}

/** Starts serving. Throws when the database cannot be migrated or an SQL override does not fit. */
export async function startService(config: Config, url: string, log: Log): Promise<RunningService> {
  await migrateDatabase(url)
  const pool: PoolOptions = {
    url,
    applicationName,
    connectionsMax: config.DATABASE_POOL_MAX,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
  }
  const { sql, renew } = openPool(pool)
  const database = openDatabase(sql, await loadQueries(sql, config.SQL_DIR, log.sqlOverridden))
  const keyRing = openKeyRing(database, config.KEY_CACHE_TTL_MS)
  const streams = openStreams()
  const listener = listenForChanges(pool, keyRing, streams, log)
  const uses = recordUses(keyRing, log)
  const clients = clientReader(config.TRUSTED_PROXIES)
  const service: Service = {
    database,
    gate: { keyRing, throttle: openThrottle() },
    rateLimit: openRateLimit(database, config.RATE_LIMIT_PER_MINUTE),
    log,
    streams,
    clientOf: clients.clientOf,
    requestTimeoutMs: config.STATEMENT_TIMEOUT_MS + requestMarginMs,
    onTimeout: renew,
  }
  // The address in the API description is known only once the port is.
  let app: ReturnType<typeof buildApp>
  const server = serveHttp({
    hostname: config.HOST,
    port: config.PORT,
    fetch(request, socket) {
      clients.note(request, socket)
      return app.fetch(request)
    },
  })
  const origin = config.PUBLIC_URL ?? `http://${config.HOST}:${server.port}`
  app = buildApp(service, apiPages({ database, schemaVersion, baseUrl: origin }))
  return {
    port: server.port,
    url: origin,
    async stop() {
      streams.close()
      await server.stop()
      await uses.stop()
      await listener.close()
      await sql.end({ timeout: 5 })
    },
  }
}
