// Two processes of the service on one database, steady writers, a reader of the feed and receivers of good and bad manners; then
// everything goes wrong that can, in the order and with the pauses that the seed gives.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTransaction, openPool, type Sql } from '../../../src/db/connect.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'
import { errorCodeOf } from '../../../src/lib/error_code.ts'
import { withTimeout } from '../../../src/lib/timeout.ts'
import { createApiKey } from '../../../src/operations/keys.ts'
import { makeDataDir, removeDataDir } from '../database/data_dir.ts'
import { type Random, seeded } from '../fuzz/seeded.ts'
import { type ServingProgram, startProgram } from '../process/program.ts'
import { isTaken, moodOf } from '../receiver/flaky_responses.ts'
import { type Receiver, startReceiver } from '../receiver/receiver.ts'
import { until } from '../until.ts'
import { type Cluster, startCluster } from './cluster.ts'

export const disturbanceKinds = [
  'process killed',
  'connections ended',
  'PostgreSQL restarted',
  'PostgreSQL crashed',
  'standby promoted',
] as const
export type DisturbanceKind = (typeof disturbanceKinds)[number]

export type Verdict = {
  /** Leads that were committed, each of which is one event; and what the receivers took of them. */
  events: number
  deliveries: number
  /** Taken again by a receiver that had taken it. */
  doubled: number
  /** Until every steady receiver had an event that was begun after the disturbance. */
  recoveries: { kind: DisturbanceKind; ms: number }[]
  /** Everything in here is to be 0. */
  faults: Record<string, number>
}

const writersTotal = 6
const recoveryMaxMs = 30_000
const settlingMaxMs = 60_000
// Recovery is timed at these: the others have much to catch up with.
const steadyPaths = ['/ok/first', '/ok/second']
const paths = [...steadyPaths, '/moody/first', '/moody/second']

/** Milliseconds since 1970 of a clock that never goes back, as the receiver's. */
const now = () => performance.timeOrigin + performance.now()

class RolledBack extends Error {}

// Past the limit of its statements.
const endsWithinMs = 12_000

/** Each repeats its transaction until it knows that it is committed; `committed` has when that was begun. */
function startWriters(url: string, random: Random) {
  const { sql } = openPool({
    url,
    // A transaction whose connection is lost between two statements may never end, and keeps its connection.
    connectionsMax: 16 * writersTotal,
    applicationName: 'writer',
    statementTimeoutMs: 10_000,
  })
  const committed = new Map<string, number>()
  let stopped = false

  const attempt = (ids: string[], isGivenUp: boolean): Promise<boolean> =>
    withTimeout(
      inTransaction(sql, async transaction => {
        for (const id of ids)
          await transaction`insert into leads (id, name) values (${id}, 'Erika Beispiel')`
        if (isGivenUp) throw new RolledBack()
      }),
      endsWithinMs,
    ).then(
      () => true,
      // An earlier try, whose outcome was unknown, had been committed.
      error => errorCodeOf(error) === '23505',
    )

  async function write() {
    const ids = Array.from({ length: 1 + random.below(3) }, () => randomUUID())
    if (random.below(8) === 0) return await attempt(ids, true)
    let begunAt = now()
    while (!(await attempt(ids, false))) {
      await Bun.sleep(20)
      begunAt = now()
    }
    for (const id of ids) committed.set(id, begunAt)
  }

  const writing = Promise.all(
    Array.from({ length: writersTotal }, async () => {
      for (; !stopped; await Bun.sleep(30 + random.below(60))) await write()
    }),
  )
  return {
    committed,
    async stop() {
      stopped = true
      await writing
      await sql.end({ timeout: 1 })
    },
  }
}

type Seen = { cursor: number; object_id: string }

/** Reads pages by cursor, and after an error goes on at another process. */
function startReader(processes: readonly ServingProgram[], key: string) {
  const seen: Seen[] = []
  const headers = { authorization: `Bearer ${key}` }
  let stopped = false
  const reading = (async () => {
    let after = 0
    for (let errors = 0; !stopped; await Bun.sleep(50))
      try {
        const { url } = processes[errors % processes.length] as ServingProgram
        const signal = AbortSignal.timeout(10_000)
        const page = `${url}/api/v1/events?limit=200&after=${after}`
        const response = await fetch(page, { headers, signal })
        if (!response.ok) throw new Error(`status ${response.status}`)
        const { data, meta } = (await response.json()) as {
          data: Seen[]
          meta: { next_cursor: number }
        }
        seen.push(...data)
        after = meta.next_cursor
      } catch {
        errors += 1
      }
  })()
  return {
    seen,
    async stop() {
      stopped = true
      await reading
    },
  }
}

type Receipt = { at: number; asked: number; taken: number }

/** By path and object of an event: when it came first, how often it came, and how often it was taken. */
function openReceipts(receiver: Receiver) {
  const byPath = new Map(paths.map(path => [path, new Map<string, Receipt>()]))
  let known = 0
  return {
    async update() {
      const requests = await receiver.requests()
      for (const { path, headers, body, at } of requests.slice(known)) {
        const { object_id } = JSON.parse(body) as Seen
        const receipt = byPath.get(path)?.get(object_id) ?? { at, asked: 0, taken: 0 }
        byPath.get(path)?.set(object_id, receipt)
        receipt.asked += 1
        const isMoody = path.startsWith('/moody/')
        const mood = isMoody ? moodOf(headers['webhook-id'] ?? '', receipt.asked) : 'ok'
        if (isTaken(mood)) receipt.taken += 1
      }
      known = requests.length
    },
    /** When the last of the steady receivers got the first event that was begun after the moment. */
    recoveredAt(committed: ReadonlyMap<string, number>, moment: number): number {
      const firsts = steadyPaths.map(path =>
        [...(byPath.get(path) ?? [])].find(([id]) => (committed.get(id) ?? 0) > moment),
      )
      return Math.max(...firsts.map(first => first?.[1].at ?? Number.POSITIVE_INFINITY))
    },
    lost: (ids: readonly string[]) =>
      paths.flatMap(path => ids.filter(id => !byPath.get(path)?.get(id)?.taken)).length,
    taken: () => [...byPath.values()].flatMap(all => [...all.values()].map(one => one.taken)),
  }
}

type System = {
  cluster: Cluster
  processes: ServingProgram[]
  start(): Promise<ServingProgram>
  random: Random
}

/** Resolves when nothing but recovery is left to do, with when the harm was done. */
const disturbances: Record<DisturbanceKind, (system: System) => Promise<number>> = {
  async 'process killed'({ processes, start, random }) {
    const [doomed] = processes.splice(random.below(processes.length), 1)
    doomed?.kill('SIGKILL')
    await doomed?.exited
    const harmedAt = now()
    processes.push(await start())
    return harmedAt
  },
  async 'connections ended'({ cluster }) {
    await cluster.onPrimary(
      sql => sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    return now()
  },
  'PostgreSQL restarted': ({ cluster }) => cluster.restart('fast'),
  'PostgreSQL crashed': ({ cluster }) => cluster.restart('immediate'),
  'standby promoted': ({ cluster }) => cluster.failOver(),
}

const countOf = async (sql: Sql, rows: string): Promise<number> => {
  const [row] = await sql.unsafe(`select count(*)::integer as count from ${rows}`)
  return row?.count
}

async function prepare(cluster: Cluster, receiver: Receiver, dir: string) {
  const file = join(dir, 'ca.pem')
  writeFileSync(file, receiver.ca)
  const env = {
    DATABASE_URL: cluster.url,
    DATA_DIR: dir,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    RATE_LIMIT_PER_MINUTE: '1000000',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: file,
    WEBHOOK_RETRY_DELAYS: '0.1,0.2,0.3,0.4',
  }
  const { key } = await cluster.onPrimary(sql =>
    createApiKey(openDatabase(sql, queries), {
      label: 'chaos',
      scopes: ['read:events', 'write:hooks'],
    }),
  )
  return { env, key }
}

async function subscribe(url: string, key: string, target_url: string) {
  const { ok, status } = await fetch(`${url}/api/v1/hooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ target_url, event_types: ['lead.created'] }),
  })
  if (!ok) throw new Error(`POST /hooks answered ${status}`)
}

/** Every kind once, in an order of chance, and then any until the time is over. */
function* courseOf(random: Random, seconds: number): Generator<DisturbanceKind> {
  const endsAt = performance.now() + seconds * 1_000
  const left = [...disturbanceKinds]
  while (left.length > 0) yield* left.splice(random.below(left.length), 1)
  while (performance.now() < endsAt) yield random.of([...disturbanceKinds])
}

/** Runs a course to its end, and leaves nothing behind. */
export async function runChaos({ seed, seconds }: { seed: number; seconds: number }) {
  const random = seeded(seed)
  const dir = makeDataDir('chaos-service')
  const [cluster, receiver] = await Promise.all([startCluster(), startReceiver()])
  const { env, key } = await prepare(cluster, receiver, dir)
  const processes: ServingProgram[] = []
  const start = () => startProgram('Bun', env)
  try {
    processes.push(await start(), await start())
    for (const path of paths) await subscribe(processes[0]?.url ?? '', key, receiver.url(path))
    return await run({ cluster, processes, start, random }, receiver, key, seconds)
  } finally {
    for (const one of processes) one.kill('SIGKILL')
    await receiver.stop()
    await cluster.remove()
    removeDataDir(dir)
  }
}

async function run(
  system: System,
  receiver: Receiver,
  key: string,
  seconds: number,
): Promise<Verdict> {
  const { cluster, random, processes } = system
  const writers = startWriters(cluster.url, random)
  const { committed } = writers
  const reader = startReader(processes, key)
  const receipts = openReceipts(receiver)
  const recoveries: Verdict['recoveries'] = []
  try {
    for (const kind of courseOf(random, seconds)) {
      await Bun.sleep(200 + random.below(400))
      const harmedAt = await disturbances[kind](system)
      let ms = Number.POSITIVE_INFINITY
      await until(async () => {
        await receipts.update()
        ms = receipts.recoveredAt(committed, harmedAt) - harmedAt
        return Number.isFinite(ms)
      }, recoveryMaxMs).catch(error => {
        throw new Error(`after ${kind}: ${error.message}`)
      })
      recoveries.push({ kind, ms })
    }
  } finally {
    await writers.stop()
  }

  const ids = [...committed.keys()]
  await until(async () => {
    await receipts.update()
    return receipts.lost(ids) === 0
  }, settlingMaxMs).catch(() => {})
  await until(() => reader.seen.length >= ids.length, settlingMaxMs).catch(() => {})
  await reader.stop()
  const read = new Set(reader.seen.map(({ object_id }) => object_id))
  const taken = receipts.taken()
  return {
    events: ids.length,
    deliveries: taken.filter(times => times > 0).length,
    doubled: taken.reduce((sum, times) => sum + Math.max(0, times - 1), 0),
    recoveries,
    faults: {
      ...(await cluster.onPrimary(async sql => ({
        'commits lost': ids.length - (await countOf(sql, 'leads')),
        'deliveries failed': await countOf(sql, 'hook_outstanding'),
      }))),
      'events lost': ids.filter(id => !read.has(id)).length,
      'events out of order or doubled': reader.seen.filter(
        ({ cursor }, place) => cursor <= (reader.seen[place - 1]?.cursor ?? 0),
      ).length,
      'events invented': [...read].filter(id => !committed.has(id)).length,
      'deliveries lost': receipts.lost(ids),
    },
  }
}
