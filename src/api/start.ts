// Puts a running service together: pool, queries, keys, limit, listener, HTTP. Commands and tests call it.

import { publicUrlOf } from '../config/public_url.ts'
import type { Config } from '../config/settings.ts'
import { connect, type PoolOptions, withConnection } from '../db/connect.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { silenceWatch } from '../db/deadline.ts'
import { type Listener, openListener } from '../db/listen.ts'
import { migrate } from '../db/migrate.ts'
import { schemaVersion } from '../db/migrations.ts'
import { loadQueries } from '../db/override.ts'
import { openPools } from '../db/pools.ts'
import { openReplica, type Replica, type ReplicaOptions } from '../db/replica.ts'
import { lostSettings } from '../db/settings.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { HookSettings } from '../model/hook.ts'
import type { PasswordHash } from '../model/password.ts'
import { gatherRequests } from '../observability/key_requests.ts'
import type { Log } from '../observability/log.ts'
import { unwatched, type WatchDatabase } from '../observability/metrics/part.ts'
import { recordRecentErrors } from '../observability/recent_errors.ts'
import { openKeyRequestRecorder, requestsShown } from '../operations/key_requests.ts'
import { type KeyRing, openKeyRing } from '../operations/key_ring.ts'
import { openRateLimit } from '../operations/rate_limit.ts'
import { type HttpServer, serveHttp } from '../runtime/runtime.ts'
import { openSecretsKeys } from '../secrets/secrets_key.ts'
import { answerApp, buildApp, pathsOf } from './app.ts'
import { type Clients, clientReader } from './http/client_address.ts'
import { openThrottle } from './http/throttle.ts'
import { type DashboardDeps, lazyDashboard, ownerPassword } from './open_dashboard.ts'
import { recordEvery } from './recording.ts'
import type { RestService } from './rest/attempt.ts'
import { docsAssets } from './rest/docs.ts'
import { type NotReadyReason, readyz } from './rest/health.ts'
import { openStreams, type Streams } from './rest/streams.ts'

export type RunningService = {
  port: number
  url: string
  /** Goes on serving, but says that it does not want more: /readyz answers 503, and answers close their connections. */
  retire(): void
  stop(): Promise<void>
}

export type StartOptions = {
  /** Opens the dashboard where DASHBOARD_PASSWORD does not say otherwise. */
  keptPassword?: PasswordHash | undefined
  notReadyReason?: NotReadyReason
  watch?: WatchDatabase | undefined
}

// A statement may use its whole timeout, and the answer still has to be written.
const requestMarginMs = 1_000
// A lock that is held for longer answers 503, before the statement times out; the roles have the same setting.
const lockTimeoutMs = 3_000
const useRecordingMs = 60_000
// How late a page sees what another process answered.
const requestRecordingMs = 5_000
const drainMs = 8_000
const applicationName = 'workspace-data-api'

/** Applies what is missing to the database at `url`; returns what was applied. */
export const migrateDatabase = (url: string): Promise<string[]> =>
  withConnection({ url, applicationName: `${applicationName} migrate` }, sql => migrate(sql))

/** Keeps the key ring honest: it forgets at every change, and whenever changes may have gone unheard. */
function listenForChanges(
  pool: PoolOptions,
  { DATABASE_LISTEN_URL: url = pool.url }: Config,
  keyRing: KeyRing,
  streams: Streams,
  log: Log,
): Listener {
  const single = { ...pool, url, applicationName: `${applicationName} listen`, connectionsMax: 1 }
  return openListener({
    channels: ['api_keys_changed', 'event_sequenced'],
    open: events => connect({ ...single, ...events }),
    onNotify: channel => (channel === 'api_keys_changed' ? keyRing.forget() : streams.wake()),
    onEstablished: () => {
      keyRing.forget()
      streams.wake()
      log.listenerEstablished('api')
    },
    onLost: () => log.listenerLost('api'),
  })
}

/** Nothing without DATABASE_READ_URL. */
function openReads(
  { DATABASE_READ_URL: url }: Config,
  { pool, ...options }: Pick<ReplicaOptions, 'pool' | 'queries' | 'primary'>,
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

async function openSubscribing(
  config: Config,
  database: Database,
  log: Log,
): Promise<HookSettings> {
  const secretsKeys = await openSecretsKeys(config, database, log)
  return {
    subscriptionsMax: config.HOOKS_MAX,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    secretsKeys,
  }
}

/** Requests in flight get some seconds; what is open then is cut, so that the rest can end in order. */
const stopServer = (server: HttpServer) =>
  withTimeout(server.stop(), drainMs).catch(() => server.stopNow())

/** A client, or a proxy in front of many, must not send its next request over a connection that is about to end. */
async function lastAnswer(response: Response | Promise<Response>): Promise<Response> {
  const answer = await response
  answer.headers.set('connection', 'close')
  return answer
}

/** Listens. Throws when the port is taken. */
function serveApp(
  owning: Omit<DashboardDeps, 'origin'>,
  clients: Clients,
  notReadyReason: NotReadyReason,
) {
  const { config, service } = owning
  let retired = false
  // Known once the port is, before the first request.
  let port = config.PORT
  const origin = () => publicUrlOf(config, port)
  const app = buildApp(service, {
    origin,
    assets: docsAssets(origin),
    readyz: readyz(service.database, schemaVersion, () =>
      retired ? 'the service is stopping' : notReadyReason(),
    ),
    dashboard: lazyDashboard(() => ({ ...owning, origin: origin() })),
  })
  const answerRequest = answerApp(service, app)
  const server = serveHttp({
    hostname: config.HOST,
    port,
    paths: pathsOf(app),
    fetch(request, socket, isKnownPath) {
      clients.note(request, socket)
      const answer = answerRequest(request, isKnownPath)
      return retired ? lastAnswer(answer) : answer
    },
  })
  port = server.port
  const retire = () => {
    retired = true
  }
  return { server, retire }
}

const poolOptions = (config: Config, url: string): PoolOptions => ({
  url,
  applicationName,
  connectionsMax: config.DATABASE_POOL_MAX,
  statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
  lockTimeoutMs: Math.min(lockTimeoutMs, config.STATEMENT_TIMEOUT_MS / 2),
})

/** Starts serving a migrated database. Throws when the port is taken or an SQL override does not fit. */
export async function startService(
  config: Config,
  url: string,
  givenLog: Log,
  { keptPassword, notReadyReason = () => undefined, watch = unwatched }: StartOptions = {},
): Promise<RunningService> {
  const remembered = recordRecentErrors(givenLog)
  const { log, takeRequests } = gatherRequests(remembered.log, requestsShown)
  const pool = poolOptions(config, url)
  const requestTimeoutMs = config.STATEMENT_TIMEOUT_MS + requestMarginMs
  const { sql, once, renew, end } = openPools(pool)
  const opened: (() => Promise<unknown>)[] = [() => end({ timeout: 5 })]
  const close = async () => {
    for (const step of opened.reverse()) await step()
  }
  try {
    // A tenth of a second of work, done while the rest opens.
    const owner = ownerPassword(config, keptPassword)
    const { onAnswer, onTimeout } = silenceWatch(renew, requestTimeoutMs)
    const overridden: string[] = []
    const queries = await loadQueries(sql, config.SQL_DIR, paths => {
      overridden.push(...paths)
      log.sqlOverridden(paths)
    })
    const primary = openDatabase(sql, queries, { onAnswer, once })
    const replica = openReads(config, { pool, queries, primary }, log)
    opened.push(async () => replica?.close())
    const database = watch(replica?.database ?? primary)
    const lost = await lostSettings(database, pool)
    if (lost.length > 0) log.settingsLost('api', lost)
    const subscribing = await openSubscribing(config, database, log)
    const keyRing = openKeyRing(database, config.KEY_CACHE_TTL_MS)
    const streams = openStreams()
    const listener = listenForChanges(pool, config, keyRing, streams, log)
    opened.push(() => listener.close())
    const requests = openKeyRequestRecorder(database, takeRequests)
    opened.push(recordEvery(useRecordingMs, keyRing.recordUses, 'last use of keys', log))
    opened.push(recordEvery(requestRecordingMs, requests.record, 'requests of keys', log))
    const clients = clientReader(config.TRUSTED_PROXIES, log.proxyUntrusted)
    const service: RestService = {
      database,
      authentication: { keyRing, throttle: openThrottle() },
      rateLimit: openRateLimit(database, config.RATE_LIMIT_PER_MINUTE),
      log,
      streams,
      subscribing,
      clientOf: clients.clientOf,
      requestTimeoutMs,
      onTimeout,
    }
    const { isForwardedSecurely } = clients
    const owning = {
      config,
      service,
      overridden,
      faults: remembered.faults,
      recordRequests: requests.record,
      owner: await owner,
      isForwardedSecurely,
    }
    const { server, retire } = serveApp(owning, clients, notReadyReason)
    opened.push(() => stopServer(server))
    opened.push(async () => streams.close())
    // What is answered from now on ends its connection: nothing is sent over one that is about to go.
    opened.push(async () => retire())
    return { port: server.port, url: publicUrlOf(config, server.port), retire, stop: close }
  } catch (error) {
    await close()
    throw error
  }
}
