// The peers that deliver: queues on PostgreSQL, with deliveries as their work.
import { join } from 'node:path'
import type { Sql } from '../src/db/connect.ts'
import type { BenchDatabase } from './databases.ts'
import { bundledNode, installPeers, peersFolder } from './peers.ts'
import { type Running, start } from './processes.ts'
import type { BenchReceiver } from './receiver.ts'
import { type BenchSubscription, settleTables } from './subscriptions.ts'

/** What a peer is tried with; the fastest is measured. */
export type QueueSetting = {
  runtime: 'node' | 'bun'
  sender: 'undici' | 'https' | 'fetch'
  concurrentJobs: number
  /** What else its program takes. */
  env: Record<string, string>
}

export type QueuePeer = {
  name: string
  program: string
  settings: QueueSetting[]
  /** Its tables, which its first start makes. */
  schema: string
  /** The deliveries that wait, as its work: the same events to the same subscriptions in the same order. */
  queue(sql: Sql): Promise<void>
  isDone(sql: Sql): Promise<boolean>
}

export async function startQueuePeer(
  { name, program }: QueuePeer,
  { url }: BenchDatabase,
  { caFile }: BenchReceiver,
  subscriptions: readonly BenchSubscription[],
  { runtime, sender, concurrentJobs, env }: QueueSetting,
): Promise<Running> {
  await installPeers()
  return await start({
    command: [
      runtime === 'node' ? bundledNode(peersFolder) : process.execPath,
      join(peersFolder, program),
    ],
    path: '/',
    env: {
      NODE_ENV: 'production',
      NO_LOG_SUCCESS: '1',
      DATABASE_URL: url,
      CA_FILE: caFile,
      SUBSCRIPTIONS: JSON.stringify(subscriptions),
      SENDER: sender,
      CONCURRENT_JOBS: String(concurrentJobs),
      ...env,
    },
    output: `${name.replaceAll(/\W+/g, '_')}.log`,
  })
}

// What is sent: every event to every subscription.
const queued = `event_cursors
  cross join hook_subscriptions
  cross join lateral (
    select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type, events.object_id,
      events.links, events.data
    from events
    where events.log_id = event_cursors.log_id
  ) as event`
const inOrder = 'order by event_cursors.cursor, hook_subscriptions.id'
const payload = `'subscription_id', hook_subscriptions.id, 'event', row_to_json(event)`

const isEmpty = async (sql: Sql, rows: string) =>
  (await sql.unsafe(`select from ${rows} limit 1`)).length === 0

const graphileWorker = {
  program: 'graphile_worker.mjs',
  schema: 'graphile_worker',
  async queue(sql: Sql) {
    await sql`truncate graphile_worker._private_jobs`
    await sql.unsafe(`
      select count(*) from graphile_worker.add_jobs((
        select array_agg(
          row('deliver', json_build_object(${payload}), null, null, 5, null, 0, null)::graphile_worker.job_spec
          ${inOrder})
        from ${queued}))`)
    await settleTables(sql, 'graphile_worker._private_jobs, graphile_worker._private_tasks')
  },
  isDone: (sql: Sql) => isEmpty(sql, 'graphile_worker._private_jobs'),
}

const worker = (
  runtime: QueueSetting['runtime'],
  sender: QueueSetting['sender'],
  concurrentJobs: number,
  BATCH_DELAY_MS: string,
): QueueSetting => ({ runtime, sender, concurrentJobs, env: { BATCH_DELAY_MS } })

const boss = (
  runtime: QueueSetting['runtime'],
  sender: QueueSetting['sender'],
  WORKERS: string,
  BATCH_SIZE: string,
): QueueSetting => ({ runtime, sender, concurrentJobs: 64, env: { WORKERS, BATCH_SIZE } })

/** The first is the one to beat. */
export const queuePeers: QueuePeer[] = [
  {
    ...graphileWorker,
    name: 'graphile-worker',
    // A few of each kind; what is left out (undici and node:https on Bun, more at once, longer delays) was slower.
    settings: [
      worker('node', 'undici', 24, '0'),
      worker('node', 'undici', 64, '25'),
      worker('node', 'https', 64, '0'),
      worker('bun', 'fetch', 24, '0'),
      worker('bun', 'fetch', 64, '0'),
      worker('bun', 'fetch', 64, '25'),
    ],
  },
  {
    ...graphileWorker,
    name: 'graphile-worker without local queue',
    settings: [worker('node', 'undici', 24, ''), worker('bun', 'fetch', 24, '')],
  },
  {
    name: 'pg-boss',
    program: 'pg_boss.mjs',
    settings: [
      boss('node', 'undici', '2', '500'),
      boss('node', 'undici', '4', '100'),
      boss('bun', 'fetch', '2', '500'),
      boss('bun', 'fetch', '4', '100'),
    ],
    schema: 'pgboss',
    async queue(sql) {
      await sql`truncate pgboss.job`
      await sql.unsafe(`
        insert into pgboss.job (name, retry_limit, policy, data)
        select 'deliver', 5, 'standard', jsonb_build_object(${payload})
        from ${queued}
        ${inOrder}`)
      await settleTables(sql, 'pgboss.job')
    },
    isDone: sql => isEmpty(sql, `pgboss.job where state < 'completed'`),
  },
]
