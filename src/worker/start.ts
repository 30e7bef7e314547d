// What the worker thread does: give events their cursors, deliver them to webhooks, prune what is old.
// workers/worker.ts is its entry.
import { readFileSync } from 'node:fs'
import type { Config } from '../config/settings.ts'
import type { PoolOptions } from '../db/connect.ts'
import { openDatabase } from '../db/database.ts'
import { openDeadline, withDeadline } from '../db/deadline.ts'
import { lostSettings } from '../db/lost_settings.ts'
import { loadQueries } from '../db/override.ts'
import { openPool } from '../db/pool.ts'
import type { Queries } from '../db/queries.ts'
import { startDeliverer } from '../delivery/deliverer.ts'
import { openNoticeWebhook } from '../delivery/notice_webhook.ts'
import {
  type NoticeChannel,
  type Notices,
  type NoticesOptions,
  startNotices,
} from '../delivery/notices.ts'
import { openSigner } from '../delivery/signature.ts'
import { startSequencer } from '../feed/sequencer.ts'
import { openSender, type SenderOptions, type SenderTimeouts } from '../https_client/send.ts'
import { type Cleanup, openCleanup } from '../lib/cleanup.ts'
import { openProcessorShare } from '../lib/processor_share.ts'
import type { Log } from '../observability/log.ts'
import { unwatched, type WatchDatabase } from '../observability/metrics/part.ts'
import { noticeSecret, openSecretsKeys } from '../secrets/secrets_key.ts'
import { listenForNotifications } from './notifications.ts'
import { schedulePruning } from './pruning.ts'

export type RunningWorker = { stop(): Promise<void> }

/** Times in milliseconds that only tests change. */
export type WorkerTimes = {
  /** Nothing a worker runs takes longer, but for a batch of very large events. */
  statementTimeoutMs: number
  /** A process that is stopped, and keeps its session, loses its subscriptions after this. */
  leaseMs: number
  /** How long attempts may go on after a stop is asked for. */
  drainMs: number
  /** Until a notice to the owner that was not accepted is sent again. */
  noticeRetryMs: number
  /** What one e-mail to the owner may take. */
  mailMs: number
  sending: Partial<SenderTimeouts>
}

const usualTimes: WorkerTimes = {
  statementTimeoutMs: 30_000,
  leaseMs: 10_000,
  drainMs: 7_000,
  noticeRetryMs: 60_000,
  mailMs: 20_000,
  sending: {},
}
// The server's own timeout answers first.
const silenceMarginMs = 1_000

const sendingOf = (config: Config, { sending }: WorkerTimes): SenderOptions => ({
  allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
  ca: config.WEBHOOK_CA_FILE && readFileSync(config.WEBHOOK_CA_FILE, 'utf8'),
  timeouts: sending,
})

/** Nothing without SMTP_URL; a process without it does not load what speaks the protocol. */
async function openMail(
  config: Config,
  ca: string | undefined,
  dashboardUrl: string | null,
  totalMs: number,
): Promise<NoticeChannel[]> {
  const { SMTP_URL: url, NOTICE_FROM: from, NOTICE_TO: to, NOTICE_LANGUAGE: language } = config
  if (url === undefined || from === undefined) return []
  const { openNoticeMail } = await import('../delivery/notice_mail.ts')
  return [openNoticeMail({ url, from, to, language, ca, dashboardUrl, totalMs })]
}

/** The ways there are: by webhook where there is a key to sign with, by e-mail where there is a mail server. */
async function openNotices(
  config: Config,
  keys: readonly Buffer[],
  { mailMs, noticeRetryMs }: WorkerTimes,
  sending: SenderOptions,
  options: Omit<NoticesOptions, 'channels' | 'retryMs'>,
): Promise<Notices> {
  const { OWNER_WEBHOOK_URL: url, PUBLIC_URL: origin } = config
  const dashboardUrl = origin === undefined ? null : `${origin}/dashboard`
  const secrets = keys.map(noticeSecret)
  const channels = await openMail(config, sending.ca, dashboardUrl, mailMs)
  // Connections of its own: whatever the owner's address does, deliveries do not wait for it.
  if (secrets.length > 0)
    channels.push(openNoticeWebhook({ sender: openSender(sending), url, secrets, dashboardUrl }))
  return startNotices({ ...options, channels, retryMs: noticeRetryMs })
}

/** How the worker opens its connections. */
export const poolOptions = (
  url: string,
  { statementTimeoutMs }: Pick<WorkerTimes, 'statementTimeoutMs'>,
): PoolOptions => ({
  url,
  applicationName: 'workspace-data-api worker',
  // Reading, recording, retries, positions and ownership, notices and pruning.
  connectionsMax: 5,
  statementTimeoutMs,
})

/** One connection for the sequencer: over several in turn, each backend finds its memory cold. Its statements have one plan. */
function openSequencerDatabase(
  pool: PoolOptions,
  limitMs: number,
  queries: Queries,
  watch: WatchDatabase,
) {
  const { sql, renew } = openPool({
    ...pool,
    connectionsMax: 1,
    planCacheMode: 'force_generic_plan',
  })
  return {
    database: withDeadline(watch(openDatabase(sql, queries)), openDeadline(limitMs, renew)),
    end: () => sql.end({ timeout: 5 }),
  }
}

type WorkerParts = {
  config: Config
  url: string
  log: Log
  times: WorkerTimes
  watch: WatchDatabase
  cleanup: Cleanup
}

async function startParts({ config, url, log, times, watch, cleanup }: WorkerParts): Promise<void> {
  const pool = poolOptions(url, times)
  const { sql, renew } = openPool(pool)
  cleanup.add(() => sql.end({ timeout: 5 }))
  const limitMs = times.statementTimeoutMs + silenceMarginMs
  const queries = await loadQueries(sql, config.SQL_DIR, paths => {
    // The API of the same process says so as well.
    if (!config.ROLES.includes('api')) log.sqlOverridden(paths)
  })
  const database = watch(openDatabase(sql, queries))
  const lost = await lostSettings(database, pool)
  if (lost.length > 0) log.settingsLost('worker', lost)
  const sending = sendingOf(config, times)
  const secretsKeys = await openSecretsKeys(config, database, log)
  const limited = withDeadline(database, openDeadline(limitMs, renew))
  const parts = { database: limited, log }
  const notices = await openNotices(config, secretsKeys, times, sending, parts)
  const processorShare = openProcessorShare()
  const deliverer = startDeliverer({
    database: limited,
    processorShare,
    leaseMs: times.leaseMs,
    sender: openSender(sending),
    sign: openSigner(secretsKeys),
    log,
    delaysMs: config.WEBHOOK_RETRY_DELAYS.map(seconds => seconds * 1_000),
    drainMs: times.drainMs,
    onCounted: ({ id, paused }) => {
      if (paused) log.hookPaused(id)
      notices.wake()
    },
  })
  const isLeading = () => true
  const sequencing = openSequencerDatabase(pool, limitMs, queries, watch)
  let listener: ReturnType<typeof listenForNotifications> | undefined
  const sequencer = startSequencer({
    database: sequencing.database,
    log,
    follower: deliverer,
    isLeading,
    isDeaf: () => listener?.isDeaf() ?? true,
  })
  listener = listenForNotifications({
    pool,
    url: config.DATABASE_LISTEN_URL ?? url,
    database,
    queries,
    log,
    sequencer,
    deliverer,
    notices,
  })
  const pruning = schedulePruning({
    database,
    log,
    keepDays: config.EVENT_RETENTION_DAYS,
    schedule: config.RETENTION_SCHEDULE,
    isLeading,
  })
  // In the opposite order. The session of the listener shows that the deliverer lives.
  cleanup.add(() => listener?.close())
  cleanup.add(() => notices.stop())
  cleanup.add(() => deliverer.stop())
  cleanup.add(() => sequencing.end())
  cleanup.add(() => sequencer.stop())
  cleanup.add(() => pruning.stop())
}

/** Resolves when it works. Throws when the database is away, a key of stored secrets is missing or an override does not fit. */
export async function startWorker(
  config: Config,
  url: string,
  log: Log,
  changedTimes: Partial<WorkerTimes> = {},
  watch: WatchDatabase = unwatched,
): Promise<RunningWorker> {
  const cleanup = openCleanup()
  const times = { ...usualTimes, ...changedTimes }
  try {
    await startParts({ config, url, log, times, watch, cleanup })
    return { stop: cleanup.close }
  } catch (error) {
    // The operator needs the reason of the failed start, not of the clean-up.
    await cleanup.close().catch(() => {})
    throw error
  }
}
