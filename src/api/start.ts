// Puts a running service together, in the order in which its parts need each other: data, access, recording, requests.
// docs/architecture.md has the picture. Commands and tests call it.
import { type Config, webhookCa } from '../config/settings.ts'
import { connect, openPool, type PoolOptions } from '../db/connect.ts'
import { openDatabase } from '../db/database.ts'
import { type Listener, openListener, requireSameDatabase } from '../db/notifications.ts'
import { loadQueries } from '../db/override.ts'
import { openReplica } from '../db/replica.ts'
import { type Cleanup, openCleanup } from '../lib/cleanup.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { PasswordHash } from '../model/password.ts'
import type { Log } from '../observability/log.ts'
import { recordRecentErrors } from '../observability/recent_errors.ts'
import { type KeyRing, openKeyRing } from '../operations/key_ring.ts'
import { openKeyUsage } from '../operations/key_usage.ts'
import { openRateLimit } from '../operations/rate_limit.ts'
import { openSecretsKeys } from '../secrets/secrets_key.ts'
import { AnswerBytes } from './http/answer_bytes.ts'
import { clientReader } from './http/client_address.ts'
import { openThrottle } from './http/throttle.ts'
import { ownerPassword } from './open_dashboard.ts'
import { openStreams, type Streams } from './rest/event_stream.ts'
import type { NotReadyReason } from './rest/health.ts'
import { openServer, type Server } from './server.ts'

/** Its stop() ends all that was started with it. */
export type RunningService = Server

type StartOptions = {
  /** Of the owner's password, where it is known: that of the embedded server is kept in a file. */
  passwordHash?: PasswordHash | undefined
  notReadyReason?: NotReadyReason
}

const applicationName = 'workspace-data-api'

// Requests share them: more gave nothing (docs/decisions/one_pool.md).
const connectionsMax = 4
// The server's own timeout answers first, then the database counts as silent, and the answer still has to be written.
const silenceMarginMs = 500
const requestMarginMs = 1_000
// A lock that is held for longer answers 503, before the statement times out; the roles have the same setting.
const lockTimeoutMs = 3_000
// For so long a revoked key can stay valid where no notification arrives.
const keyTtlMs = 5_000
// How late a page sees what another process answered.
const usageRecordingMs = 5_000
// A database that does not answer must not hold a stop up.
const lastRecordingMs = 2_000

/** One pool, its query files, and the replica where there is one. Throws when the database is away or an SQL override does not fit. */
async function openData(config: Config, url: string, log: Log, cleanup: Cleanup) {
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
    poolOptions: options,
    // Reads go to the replica where their files allow it.
    database: replica ? replica.database : primary,
    queries,
    requestTimeoutMs: statementTimeoutMs + requestMarginMs,
  }
}

type Data = Awaited<ReturnType<typeof openData>>

/** Keeps the key ring honest: it forgets at every change, and whenever changes may have gone unheard. */
function listenForChanges(
  { poolOptions, database, queries }: Data,
  { DATABASE_LISTEN_URL: url = poolOptions.url }: Config,
  keyRing: KeyRing,
  streams: Streams,
  log: Log,
): Listener {
  const single = {
    ...poolOptions,
    url,
    applicationName: `${applicationName} listen`,
    connectionsMax: 1,
  }
  return openListener({
    channels: ['api_keys_changed', 'event_sequenced'],
    open: events => connect({ ...single, ...events }),
    onSession: sql => requireSameDatabase(openDatabase(sql, queries), database),
    onNotify: channel => {
      if (channel === 'api_keys_changed') keyRing.forget()
      streams.wake()
    },
    onEstablished: () => {
      keyRing.forget()
      streams.setDeaf(false)
      log.event('listener_established', { part: 'api' })
    },
    onLost: reason => {
      streams.setDeaf(true)
      log.event('listener_lost', { part: 'api', reason })
    },
  })
}

/** Who may do what: keys, the limit, the open streams, and how new subscriptions are made. */
async function openAccess(config: Config, data: Data, log: Log, cleanup: Cleanup) {
  const { database } = data
  const hookSettings = {
    subscriptionsMax: config.HOOKS_MAX,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    ca: webhookCa(config),
    secretsKeys: await openSecretsKeys(config, database, log),
  }
  const keyRing = openKeyRing(database, keyTtlMs)
  const streams = openStreams()
  const listener = listenForChanges(data, config, keyRing, streams, log)
  cleanup.add(() => listener.close())
  return {
    authentication: { keyRing, throttle: openThrottle() },
    rateLimit: openRateLimit(database, config.RATE_LIMIT_PER_MINUTE),
    answerBytes: new AnswerBytes(),
    streams,
    hookSettings,
  }
}

/** Writes what requests leave behind every so often, and the rest at the stop. A failure is logged. */
export function recordEvery(ms: number, work: () => Promise<void>, what: string, log: Log) {
  const onFailure = (error: unknown) => log.fault(what, error)
  const step = () =>
    work()
      .catch(onFailure)
      .then(() => ms)
  const loop = startPollLoop({ step, onFailure })
  return () => withTimeout(loop.stop().then(work), lastRecordingMs).catch(onFailure)
}

/** In the opposite order: answers close their connections, streams end, the server stops. */
function closeInOrder({ retire, stop }: RunningService, streams: Streams, cleanup: Cleanup) {
  cleanup.add(stop)
  cleanup.add(streams.close)
  cleanup.add(retire)
}

/** Starts serving a migrated database. Throws when the port is taken or an SQL override does not fit. */
export async function startService(
  config: Config,
  url: string,
  log: Log,
  { passwordHash, notReadyReason = () => undefined }: StartOptions = {},
): Promise<RunningService> {
  const recent = recordRecentErrors(log)
  const cleanup = openCleanup()
  cleanup.add(recent.end)
  try {
    // A tenth of a second of work, done while the rest opens.
    const owner = passwordHash ?? ownerPassword(config)
    const data = await openData(config, url, log, cleanup)
    const { database, requestTimeoutMs } = data
    const access = await openAccess(config, data, log, cleanup)
    const usage = openKeyUsage(log, database)
    cleanup.add(usage.end)
    cleanup.add(recordEvery(usageRecordingMs, usage.record, 'usage of keys', log))
    const clients = clientReader(config.TRUSTED_PROXIES)
    const { clientOf, isForwardedSecurely } = clients
    const service = { ...access, database, log, clientOf, requestTimeoutMs }
    const parts = {
      config,
      service,
      faults: recent.faults,
      recordUsage: usage.record,
      owner: await owner,
      isForwardedSecurely,
    }
    const app = openServer(parts, clients, notReadyReason)
    closeInOrder(app, access.streams, cleanup)
    return { ...app, stop: cleanup.close }
  } catch (error) {
    // The operator needs the reason of the failed start, not of the clean-up.
    await cleanup.close().catch(() => {})
    throw error
  }
}
