// The peers: their package is installed on first use, and never by the product's own install.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { progress } from '../../src/commands/output.ts'
import type { Sql } from '../../src/db/connect.ts'
import { queries } from '../../src/db/queries.ts'
import type { BenchDatabase } from './databases.ts'
import { withTypes } from './pgbench.ts'
import { type Running, start } from './processes.ts'
import type { Receiver } from './receiver.ts'
import { type Subscription, settle } from './subscriptions.ts'

const folder = join(import.meta.dir, 'peers')

async function install(): Promise<void> {
  if (existsSync(join(folder, 'node_modules/graphile-worker'))) return
  progress('Installing the peers.')
  const child = Bun.spawn([process.execPath, 'install', '--frozen-lockfile'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errors = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`the peers cannot be installed: ${errors.trim()}`)
}

/** Throws when there is no Node.js: the peer runs where its users run it. */
export async function startFastify({ url }: BenchDatabase, poolMax: number): Promise<Running> {
  const node = Bun.which('node')
  if (!node) throw new Error('there is no Node.js for Fastify')
  await install()
  const { file } = queries.listLeads
  return await start({
    command: [node, join(folder, 'fastify_pg.mjs')],
    path: '/api/v1/leads?limit=1',
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: url,
      POOL_MAX: String(poolMax),
      STATEMENT: withTypes(file.statement, file, () => '$n'),
    },
    output: `fastify_${poolMax}.log`,
  })
}

/** What graphile-worker is tried with; the fastest is measured. */
export type PeerSetting = {
  runtime: 'node' | 'bun'
  sender: 'undici' | 'https' | 'fetch'
  concurrentJobs: number
  batchDelayMs: number
}

/** A newer Node.js than the machine's may be needed, so the peers bring one. */
async function newNode(): Promise<string> {
  await install()
  const modules = join(folder, 'node_modules')
  const name = readdirSync(modules).find(one => /^node-(bin-)?(linux|darwin)-/.test(one))
  if (!name) throw new Error('there is no Node.js for graphile-worker on this machine')
  return join(modules, name, 'bin/node')
}

export async function startGraphileWorker(
  { url }: BenchDatabase,
  { caFile }: Receiver,
  subscriptions: readonly Subscription[],
  { runtime, sender, concurrentJobs, batchDelayMs }: PeerSetting,
): Promise<Running> {
  const program = runtime === 'node' ? await newNode() : process.execPath
  return await start({
    command: [program, join(folder, 'graphile_worker.mjs')],
    path: '/',
    env: {
      NODE_ENV: 'production',
      NO_LOG_SUCCESS: '1',
      DATABASE_URL: url,
      CA_FILE: caFile,
      SUBSCRIPTIONS: JSON.stringify(subscriptions),
      SENDER: sender,
      CONCURRENT_JOBS: String(concurrentJobs),
      BATCH_DELAY_MS: String(batchDelayMs),
    },
    output: 'graphile_worker.log',
  })
}

/** The deliveries that wait, as its work: the same events to the same subscriptions in the same order. */
export async function queueForPeer(sql: Sql): Promise<void> {
  await sql`truncate graphile_worker._private_jobs`
  await sql`
    select count(*) from graphile_worker.add_jobs((
      select array_agg(
        row('deliver', json_build_object('subscription_id', hook_deliveries.subscription_id, 'event', row_to_json(event)),
          null, null, 5, null, 0, null)::graphile_worker.job_spec
        order by hook_deliveries.id)
      from hook_deliveries
      cross join lateral (
        select events.id, events.event_type, events.schema_version, events.occurred_at, events.object_type, events.object_id,
          events.links, events.data
        from events
        where events.cursor = hook_deliveries.cursor
      ) as event))`
  await sql`truncate hook_deliveries`
  await settle(sql, 'graphile_worker._private_jobs, graphile_worker._private_tasks')
}

export async function isPeerDone(sql: Sql): Promise<boolean> {
  const rows = await sql`select from graphile_worker._private_jobs limit 1`
  return rows.length === 0
}
