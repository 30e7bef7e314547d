// What the worker thread does: give events their cursors, deliver them to webhooks, prune what is old.
// workers/worker.ts is its entry.
import { readFileSync } from 'node:fs'
import type { Config } from './config.ts'
import { connect, type PoolOptions } from './db/connect.ts'
import { openDatabase } from './db/database.ts'
import { openDeadline } from './db/deadline.ts'
import { listen } from './db/listen.ts'
import { loadQueries } from './db/override.ts'
import { openPool } from './db/pool.ts'
import { lostSettings } from './db/settings.ts'
import { startDeliverer } from './delivery/deliverer.ts'
import { type Notices, type NoticesOptions, startNotices } from './delivery/notices.ts'
import { openQueue } from './delivery/queue.ts'
import { openSender, type SenderOptions, type SenderTimeouts } from './delivery/send.ts'
import { openSigner } from './delivery/signer.ts'
import { startSequencer } from './feed/sequencer.ts'
import type { Log } from './log.ts'
import { unwatched, type WatchDatabase } from './metrics/part.ts'
import { schedulePruning } from './retention/prune.ts'
import { noticeSecret, openSecretsKeys } from './secrets_key.ts'

export type RunningWorker = { stop(): Promise<void> }

/** Times in milliseconds that only tests change. */
export type WorkerTimes = {
  /** Nothing a worker runs takes longer, but for a batch of very large events. */
  statementTimeoutMs: number
  /** A claim outlives every attempt by far; after a crash this is how long its deliveries wait. */
  leaseMs: number
  /** How long attempts may go on after a stop is asked for. */
  drainMs: number
  /** Until a notice to the owner that was not accepted is sent again. */
  noticeRetryMs: number
  sending: Partial<SenderTimeouts>
}

const usualTimes: WorkerTimes = {
  statementTimeoutMs: 30_000,
  leaseMs: 60_000,
  drainMs: 7_000,
  noticeRetryMs: 60_000,
  sending: {},
}
// The server's own timeout answers first.
const silenceMarginMs = 1_000

const sendingOf = (config: Config, { sending }: WorkerTimes): SenderOptions => ({
  allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
  ca: config.WEBHOOK_CA_FILE && readFileSync(config.WEBHOOK_CA_FILE, 'utf8'),
  timeouts: sending,
})

/** Nothing where the owner named no address, or where there is no key to sign with. */
function openNotices(
  config: Config,
  keys: readonly Buffer[],
  options: Omit<NoticesOptions, 'url' | 'secrets' | 'dashboardUrl'>,
): Notices | undefined {
  const { OWNER_WEBHOOK_URL: url, PUBLIC_URL: origin } = config
  if (url === undefined || keys.length === 0) return undefined
  const dashboardUrl = origin === undefined ? null : `${origin}/dashboard`
  return startNotices({ ...options, url, secrets: keys.map(noticeSecret), dashboardUrl })
}

/** How the worker opens its connections. */
export const poolOptions = (
  url: string,
  { statementTimeoutMs }: Pick<WorkerTimes, 'statementTimeoutMs'>,
): PoolOptions => ({
  url,
  applicationName: 'workspace-data-api worker',
  // Sequencing, claiming, recording, notices, pruning.
  connectionsMax: 5,
  statementTimeoutMs,
  // The same few statements all day: planning them took a third of a batch's time, and with `auto` the claim is planned
  // every time.
  planCacheMode: 'force_generic_plan',
  // A queue is empty at one moment and millions long at the next. A plan made for an empty one reads the
  // whole table, and stays: recording 44 attempts then took 9 ms.
  byIndexOnly: true,
})

/** Resolves when it works. Throws when the database is away, a key of stored secrets is missing or an override does not fit. */
export async function startWorker(
  config: Config,
  url: string,
  log: Log,
  changedTimes: Partial<WorkerTimes> = {},
  watch: WatchDatabase = unwatched,
): Promise<RunningWorker> {
  const times = { ...usualTimes, ...changedTimes }
  const pool = poolOptions(url, times)
  const { sql, renew } = openPool(pool)
  const deadline = openDeadline(times.statementTimeoutMs + silenceMarginMs, renew)
  const queries = await loadQueries(sql, config.SQL_DIR)
  const database = watch(openDatabase(sql, queries))
  const lost = await lostSettings(database, pool)
  if (lost.length > 0) log.settingsLost('worker', lost)
  await database.rows('prepareEventsPartitions', {})
  const sending = sendingOf(config, times)
  const secretsKeys = await openSecretsKeys(config, database, log)
  const notices = openNotices(config, secretsKeys, {
    database,
    deadline,
    log,
    // Connections of its own: whatever the owner's address does, deliveries do not wait for it.
    sender: openSender(sending),
    retryMs: times.noticeRetryMs,
  })
  const deliverer = startDeliverer({
    queue: openQueue(database, deadline, times.leaseMs),
    sender: openSender(sending),
    sign: openSigner(secretsKeys),
    log,
    delaysMs: config.WEBHOOK_RETRY_DELAYS.map(seconds => seconds * 1_000),
    drainMs: times.drainMs,
    onCounted: ({ id, active }) => {
      if (!active) log.hookPaused(id)
      notices?.wake()
    },
  })
  const sequencer = startSequencer({ database, log, deadline, deliverer })
  const lookAround = () => {
    log.listenerEstablished('worker')
    sequencer.wake()
    deliverer.wake()
  }
  const listener = listen({
    channels: ['event_emitted', 'event_sequenced'],
    open: events =>
      connect({ ...pool, url: config.DATABASE_LISTEN_URL ?? url, connectionsMax: 1, ...events }),
    onNotify(channel, payload) {
      if (channel === 'event_emitted') sequencer.wake()
      // Deliveries that another process left to be claimed.
      else if (payload !== '' && payload !== sequencer.name) deliverer.wake()
    },
    onEstablished: lookAround,
    onLost: () => log.listenerLost('worker'),
  })
  const pruning = schedulePruning({
    sql,
    queries,
    log,
    keepDays: config.EVENT_RETENTION_DAYS,
    schedule: config.RETENTION_SCHEDULE,
  })
  return {
    async stop() {
      pruning.stop()
      await sequencer.stop()
      await deliverer.stop()
      await notices?.stop()
      await listener.close()
      await sql.end({ timeout: 5 })
    },
  }
}
