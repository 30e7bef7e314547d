// Two processes of the service on one database, steady writers, a reader of the feed and a receiver of bad manners; then
// everything goes wrong that can, in the order and with the pauses that the seed gives.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../../src/db/connect.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'
import { withTimeout } from '../../../src/lib/timeout.ts'
import { createApiKey } from '../../../src/operations/keys.ts'
import { makeDataDir, removeDataDir } from '../database/data_dir.ts'
import { type Hook, hooksOn, receiverSettings } from '../delivery/delivery.ts'
import { type Random, seeded } from '../fuzz/seeded.ts'
import { startReceiver } from '../receiver/receiver.ts'
import { until } from '../until.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type DisturbanceKind, type DisturbedSystem, disturbances } from './disturbances.ts'
import { startProcesses } from './processes.ts'
import { startReader } from './reader.ts'
import { openReceipts, type Receipts } from './receipts.ts'
import { judgeChaos, type Recovery, type Verdict } from './verdict.ts'
import { now, startWriters, type Writers } from './writers.ts'

type Course = {
  seed: number
  /** In this order. */
  turns: readonly DisturbanceKind[]
  onTurn?(kind: DisturbanceKind, recoveryMs: number): void
}

const processCount = 2
const writerCount = 6
// Longer than PostgreSQL is ever away: a claim that lapses meanwhile lets its delivery be sent again.
const leaseMs = 12_000
const calmMinMs = 200
const calmMaxMs = 600
const recoveryMaxMs = 30_000
const settlingMaxMs = 60_000
// Recovery is timed at these receivers: the others have much to catch up with.
const steadyPaths = ['/ok/third', '/ok/fourth']
const paths = ['/moody/first', '/moody/second', ...steadyPaths]

/** Every kind so many times, mixed. */
export const mixed = (
  kinds: readonly DisturbanceKind[],
  times: number,
  seed: number,
): DisturbanceKind[] => {
  const random = seeded(seed)
  const turns = Array.from({ length: times }, () => kinds).flat()
  for (let left = turns.length; left > 1; left -= 1)
    turns.push(...turns.splice(random.below(left), 1))
  return turns
}

type Close = () => unknown

/** The settings of every process, and the key that the reader uses. */
async function prepare(cluster: Cluster, receiver: Receipts['receiver'], closing: Close[]) {
  const dir = makeDataDir('chaos-receiver')
  closing.push(() => removeDataDir(dir))
  const file = join(dir, 'ca.pem')
  writeFileSync(file, receiver.ca)
  const settings = { ...receiverSettings(file), RATE_LIMIT_PER_MINUTE: '1000000' }
  return await cluster.onPrimary(async sql => {
    const scopes = ['read:events' as const]
    const { key } = await createApiKey(openDatabase(sql, queries), { label: 'chaos', scopes })
    const { subscribe } = hooksOn({ sql, url: cluster.url }, receiver, settings)
    const hooks: Hook[] = []
    for (const path of paths)
      hooks.push(await subscribe(receiver.url(path), { event_types: ['lead.created'] }))
    return { settings, key, hooks }
  })
}

/** What is left to do, and who is to do it. */
async function leftOf(sql: Sql) {
  const [left] = await sql`
    select (select json_agg(late) from (
        select position.*, head, worker.leaving, worker.lock_key, worker.lease_until - now() as lease_left
        from hook_positions as position cross join feed_state left join hook_workers as worker on worker.id = position.worker
        where cursor < head) as late) as positions,
      (select json_agg(retry) from (select * from hook_retries limit 5) as retry) as retries,
      (select json_agg(event) from (
        select unnest(log_ids) from unsequenced_events(0, 0, 2147483647, 5)) as event) as unsequenced`
  return left ?? {}
}

/** What a recovery that does not come waits for. */
const stuckOf = (cluster: Cluster) =>
  cluster.onPrimary(async sql => ({
    ...(await leftOf(sql)),
    workers: [...(await sql`select * from hook_workers`)],
    newest: [...(await sql`select now() - max(occurred_at) as age from events`)],
    sessions: [
      ...(await sql`
        select application_name, state, wait_event_type, wait_event, now() - query_start as since, left(query, 60) as query
        from pg_stat_activity where backend_type = 'client backend'`),
    ],
  }))

/** One disturbance; how long it took until every steady receiver had something that was begun afterwards. */
async function disturb(
  kind: DisturbanceKind,
  system: DisturbedSystem,
  writers: Writers,
  receipts: Receipts,
) {
  const { prepare: ready, happen } = disturbances[kind]
  await ready?.(system)
  const at = now()
  let harmedAt = Number.POSITIVE_INFINITY
  await happen(system, () => {
    harmedAt = now()
  })
  const deliveredAt = await until(async () => {
    await receipts.update()
    return receipts.reachedAt(steadyPaths, id => (writers.committed.get(id) ?? 0) > harmedAt)
  }, recoveryMaxMs).catch(async error => {
    throw new Error(`${kind}: ${error.message}; ${JSON.stringify(await stuckOf(system.cluster))}`)
  })
  return { kind, at, harmedAt, recoveryMs: deliveredAt - at }
}

const calm = (random: Random) => Bun.sleep(calmMinMs + random.below(calmMaxMs - calmMinMs))

/** Resolves when nothing is left to deliver; the error names what is left. */
const settled = (cluster: Cluster) =>
  cluster.onPrimary(sql =>
    until(async () => {
      const left = await leftOf(sql)
      if (Object.values(left).every(value => value === null)) return true
      throw new Error(JSON.stringify(left))
    }, settlingMaxMs),
  )

async function run({ seed, turns, onTurn }: Course, closing: Close[]): Promise<Verdict> {
  const random = seeded(seed)
  const [cluster, receiver] = await Promise.all([startCluster(), startReceiver()])
  closing.push(cluster.remove, receiver.stop)
  const { settings, key, hooks } = await prepare(cluster, receiver, closing)
  const args = [JSON.stringify(settings), cluster.url, String(leaseMs)]
  const processes = await startProcesses(processCount, args)
  closing.push(processes.stop)
  const receipts = openReceipts(receiver)
  const writers = startWriters(writerCount, cluster.url, random)
  closing.push(writers.abandon)
  const reader = startReader(processes.urls, key)
  closing.push(reader.stop)
  const recoveries: Recovery[] = []
  for (const kind of turns) {
    await calm(random)
    const recovery = await disturb(kind, { cluster, processes, random }, writers, receipts)
    recoveries.push(recovery)
    onTurn?.(kind, recovery.recoveryMs)
  }
  await calm(random)
  await withTimeout(writers.stop(), settlingMaxMs)
  await settled(cluster)
  await receipts.update()
  await until(() => reader.seen.length >= writers.committed.size, settlingMaxMs)
  // Whatever else is in the feed.
  await calm(random)
  return await cluster.onPrimary(sql =>
    judgeChaos({ sql, writers, reader, receipts, recoveries, hooks, lost: processes.lost() }),
  )
}

/** Runs it to its end, and leaves nothing behind. */
export async function runChaos(course: Course): Promise<Verdict> {
  const closing: Close[] = []
  try {
    return await run(course, closing)
  } finally {
    for (const close of closing.reverse()) await close()
  }
}
