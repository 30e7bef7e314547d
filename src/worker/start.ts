// What the worker thread does while it leads: gives events their cursors, delivers them to webhooks, prunes what is old.
// workers/worker.ts is its entry.
import { type Config, webhookCa } from '../config/settings.ts'
import { connect, openPool, type PoolOptions } from '../db/connect.ts'
import { openDatabase } from '../db/database.ts'
import { openListener, requireSameDatabase } from '../db/notifications.ts'
import { loadQueries } from '../db/override.ts'
import { startDeliverer } from '../delivery/deliverer.ts'
import { startNotices } from '../delivery/notices.ts'
import { startSequencer } from '../feed/sequencer.ts'
import { type Cleanup, openCleanup } from '../lib/cleanup.ts'
import type { Log } from '../observability/log.ts'
import { openSecretsKeys } from '../secrets/secrets_key.ts'
import { openSender, type SenderOptions, type SenderTimeouts } from '../sending/sender.ts'
import { openSigner } from '../sending/signature.ts'
import { startLeader } from './leader.ts'
import { schedulePruning } from './pruning.ts'

export type RunningWorker = { stop(): Promise<void> }

/** Times in milliseconds that only tests change. */
export type WorkerTimes = {
  /** Until a notice to the owner that was not accepted is sent again. */
  noticeRetryMs: number
  /** What one e-mail to the owner may take. */
  mailMs: number
  sending: Partial<SenderTimeouts>
}

const usualTimes: WorkerTimes = { noticeRetryMs: 60_000, mailMs: 20_000, sending: {} }
// A process that is stopped within a statement must not hold the next leader up for longer.
const statementTimeoutMs = 2_000
// The server's own timeout answers first.
const silenceMarginMs = 1_000

const sendingOf = (config: Config, { sending }: WorkerTimes): SenderOptions => ({
  allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
  ca: webhookCa(config),
  connectionsMax: config.WEBHOOK_CONCURRENCY,
  timeouts: sending,
})

/** Undefined without SMTP_URL; a process without it does not load what speaks the protocol. */
async function openMail(config: Config, ca: string | undefined, totalMs: number) {
  const { SMTP_URL: url, NOTICE_FROM: from, NOTICE_TO: to } = config
  if (url === undefined || from === undefined) return undefined
  const { openNoticeMail } = await import('../delivery/notice_mail.ts')
  const dashboardUrl = config.PUBLIC_URL === undefined ? null : `${config.PUBLIC_URL}/dashboard`
  return openNoticeMail({ url, from, to, ca, dashboardUrl, totalMs })
}

type WorkerParts = {
  config: Config
  url: string
  log: Log
  times: WorkerTimes
  cleanup: Cleanup
}

const poolOptions = (url: string): PoolOptions => ({
  url,
  applicationName: 'workspace-data-api worker',
  // Reading, recording, retries, notices and pruning.
  connectionsMax: 4,
  statementTimeoutMs,
})

/** The worker's databases: one for most, and one connection each for the leader and the sequencer. */
async function openDatabases({ config, url, log, cleanup }: WorkerParts) {
  const options = poolOptions(url)
  const pool = openPool(options)
  cleanup.add(pool.end)
  const queries = await loadQueries(pool.sql, config.SQL_DIR, paths => {
    // The API of the same process logs it as well.
    if (!config.ROLES.includes('api')) log.event('sql_overridden', { paths })
  })
  const open = (from: typeof pool, limitMs: number) =>
    openDatabase(from, queries, limitMs + silenceMarginMs)
  const openOne = (ownTimeoutMs: number) => {
    const one = openPool({ ...options, connectionsMax: 1, statementTimeoutMs: ownTimeoutMs })
    cleanup.add(one.end)
    return open(one, ownTimeoutMs)
  }
  const database = open(pool, statementTimeoutMs)
  const subscribed = await database.rows('listSubscribedTables', {})
  if (subscribed.length > 0)
    log.event('tables_subscribed', { tables: subscribed.map(({ name }) => name) })
  const logging = await database.rows('listLoggingSettings', {})
  if (logging.length > 0)
    log.event('values_logged', { settings: logging.map(({ setting }) => setting) })
  return {
    queries,
    database,
    leading: openOne(statementTimeoutMs),
    // Over several connections in turn, each backend finds its memory cold. After a long transaction a look takes longer.
    sequencing: openOne(30_000),
  }
}

async function startParts(parts: WorkerParts): Promise<void> {
  const { config, url, log, times, cleanup } = parts
  const { queries, database, leading, sequencing } = await openDatabases(parts)
  const sending = sendingOf(config, times)
  const secretsKeys = await openSecretsKeys(config, database, log)
  const mail = await openMail(config, sending.ca, times.mailMs)
  let isDeaf = true
  const isLeading = () => leader.isLeading()
  const notices = startNotices({ database, log, mail, isLeading, retryMs: times.noticeRetryMs })
  const deliverer = startDeliverer({
    database,
    log,
    concurrency: config.WEBHOOK_CONCURRENCY,
    sender: openSender(sending),
    sign: openSigner(secretsKeys),
    delaysMs: config.WEBHOOK_RETRY_DELAYS.map(seconds => seconds * 1_000),
    isLeading,
    onReplaced: () => leader.lose(),
    onPaused(id) {
      log.event('hook_paused', { subscription_id: id })
      notices.wake()
    },
  })
  const sequencer = startSequencer({
    database: sequencing,
    log,
    follower: deliverer,
    isLeading,
    isDeaf: () => isDeaf,
  })
  const leader = startLeader({
    database: leading,
    log,
    // The embedded server belongs to the process that holds its directory.
    isAlone: config.DATABASE_URL === undefined,
    onBegin(fence, identity) {
      deliverer.begin(fence, identity)
      sequencer.wake()
    },
    onEnd: deliverer.end,
    onRenewed: deliverer.look,
  })
  const onNotify: Record<string, () => void> = {
    event_emitted: sequencer.wake,
    hooks_changed: deliverer.refresh,
    events_erased: deliverer.forgetEvents,
    notice_added: notices.wake,
    leader_left: leader.wake,
  }
  const pool = poolOptions(config.DATABASE_LISTEN_URL ?? url)
  const listener = openListener({
    channels: Object.keys(onNotify),
    open: events => connect({ ...pool, connectionsMax: 1, ...events }),
    onNotify: channel => onNotify[channel]?.(),
    onSession: sql => requireSameDatabase(openDatabase(sql, queries), database),
    onEstablished() {
      log.event('listener_established', { part: 'worker' })
      isDeaf = false
      // What was notified meanwhile is lost, an erasure too.
      for (const notified of Object.values(onNotify)) notified()
    },
    onLost(reason) {
      log.event('listener_lost', { part: 'worker', reason })
      isDeaf = true
    },
  })
  const pruning = schedulePruning({
    database,
    log,
    isLeading,
    keepDays: config.EVENT_RETENTION_DAYS,
    schedule: config.RETENTION_SCHEDULE,
  })
  // In the opposite order: the lease goes back when nothing is in flight any more.
  cleanup.add(() => leader.stop())
  cleanup.add(() => listener.close())
  cleanup.add(() => notices.stop())
  cleanup.add(() => deliverer.stop())
  cleanup.add(() => sequencer.stop())
  cleanup.add(() => pruning.stop())
}

/** Resolves when it works. Throws when the database is away, a key of stored secrets is missing or an override does not fit. */
export async function startWorker(
  config: Config,
  url: string,
  log: Log,
  changedTimes: Partial<WorkerTimes> = {},
): Promise<RunningWorker> {
  const cleanup = openCleanup()
  const times = { ...usualTimes, ...changedTimes }
  try {
    await startParts({ config, url, log, times, cleanup })
    return { stop: cleanup.close }
  } catch (error) {
    // The operator needs the reason of the failed start, not of the clean-up.
    await cleanup.close().catch(() => {})
    throw error
  }
}
