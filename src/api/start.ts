// Puts a running service together, in the order in which its parts need each other: data, access, recording, requests.
// docs/architecture.md has the picture. Commands and tests call it.
import { readFileSync } from 'node:fs'
import type { Config } from '../config/settings.ts'
import { connect, withConnection } from '../db/connect.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { type Listener, openListener, requireSameDatabase } from '../db/listen.ts'
import { migrate, requireSchema } from '../db/migrate.ts'
import { queries } from '../db/queries.ts'
import { type Cleanup, openCleanup } from '../lib/cleanup.ts'
import { ConfigError } from '../lib/config_error.ts'
import { readOnly } from '../lib/error_code.ts'
import { startPollLoop } from '../lib/poll_loop.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { HookSettings } from '../model/hook.ts'
import type { PasswordHash } from '../model/password.ts'
import type { Log } from '../observability/log.ts'
import { recordRecentErrors } from '../observability/recent_errors.ts'
import { type KeyRing, openKeyRing } from '../operations/key_ring.ts'
import { openKeyUsage } from '../operations/key_usage.ts'
import { openRateLimit } from '../operations/rate_limit.ts'
import { openSecretsKeys } from '../secrets/secrets_key.ts'
import { type ApiData, applicationName, openApiData } from './api_data.ts'
import { AnswerBytes } from './http/answer_bytes.ts'
import { clientReader } from './http/client_address.ts'
import { openThrottle } from './http/throttle.ts'
import { ownerPassword } from './open_dashboard.ts'
import type { NotReadyReason } from './rest/health.ts'
import { openStreams, type Streams } from './rest/event_stream.ts'
import { openServer, type Server } from './server.ts'

export type RunningService = {
  port: number
  url: string
  /** Goes on serving, but says that it does not want more: /readyz answers 503, and answers close their connections. */
  retire(): void
  stop(): Promise<void>
}

type StartOptions = {
  /** Of the owner's password, where it is known: that of the embedded server is kept in a file. */
  passwordHash?: PasswordHash | undefined
  notReadyReason?: NotReadyReason
}

// For so long a revoked key can stay valid where no notification arrives.
const keyTtlMs = 5_000
// How late a page sees what another process answered.
const usageRecordingMs = 5_000
// A database that does not answer must not hold a stop up.
const lastRecordingMs = 2_000

const migrating = { applicationName: `${applicationName} migrate` }

/** Applies what is missing to the database at `url`; returns what was applied. */
export const migrateDatabase = (url: string): Promise<string[]> =>
  withConnection({ url, ...migrating }, sql => migrate(sql))

/** Throws where the database at `url` is not at this program's schema. */
export const requireMigrated = (url: string): Promise<void> =>
  withConnection({ url, ...migrating }, sql => requireSchema(sql))

type AccessPart = 'api' | 'worker' | 'dashboard'

const neededBy = {
  api: 'ROLES=api needs (the role workspace_api)',
  worker: 'ROLES=worker needs (the role workspace_worker)',
  dashboard: 'the dashboard needs (the role workspace_dashboard)',
}

/**
 * Applies what is missing, for a process that serves. Throws where the login lacks the rights of one of `parts`, which only a
 * request would show, and `readOnly` where one is the worker and the database takes no writes.
 */
export const migrateToServe = (url: string, parts: readonly AccessPart[]): Promise<void> =>
  withConnection({ url, ...migrating }, async sql => {
    await migrate(sql)
    const database = openDatabase(sql, queries)
    const [access] = await database.rows('getLoginAccess', {})
    for (const part of parts)
      if (!access?.[part])
        throw new ConfigError(
          `DATABASE_URL: the login ${access?.login} lacks the rights that ${neededBy[part]}; see docs/operations/rights.md.`,
        )
    if (!parts.includes('worker')) return
    const [readiness] = await database.rows('getReadiness', {})
    if (!readiness?.takes_writes)
      throw Object.assign(new Error('the database takes no writes'), { code: readOnly })
  })

/** Keeps the key ring honest: it forgets at every change, and whenever changes may have gone unheard. */
function listenForChanges(
  { pool, database, queries }: ApiData,
  { DATABASE_LISTEN_URL: url = pool.url }: Config,
  keyRing: KeyRing,
  streams: Streams,
  log: Log,
): Listener {
  const single = { ...pool, url, applicationName: `${applicationName} listen`, connectionsMax: 1 }
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

async function readHookSettings(
  config: Config,
  database: Database,
  log: Log,
): Promise<HookSettings> {
  const secretsKeys = await openSecretsKeys(config, database, log)
  return {
    subscriptionsMax: config.HOOKS_MAX,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    ca: config.WEBHOOK_CA_FILE && readFileSync(config.WEBHOOK_CA_FILE, 'utf8'),
    secretsKeys,
  }
}

/** Who may do what: keys, the limit, the open streams, and how new subscriptions are made. */
async function openAccess(config: Config, data: ApiData, log: Log, cleanup: Cleanup) {
  const { database } = data
  const hookSettings = await readHookSettings(config, database, log)
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
function closeInOrder({ retire, stop }: Server, streams: Streams, cleanup: Cleanup) {
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
    const data = await openApiData(config, url, log, cleanup)
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
    return { port: app.port, url: app.url, retire: app.retire, stop: cleanup.close }
  } catch (error) {
    // The operator needs the reason of the failed start, not of the clean-up.
    await cleanup.close().catch(() => {})
    throw error
  }
}
