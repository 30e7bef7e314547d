// Writers of every kind, two processes of which one is killed, stopped or cut off again and again, a PostgreSQL that ends and
// crashes, and three readers: pages, the stream, webhooks. Every committed event reaches each of them. BLACKBOX_SEED repeats a
// course, BLACKBOX_SECONDS makes it longer.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { inTransaction, type Sql } from '../../src/db/connect.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { errorCodeOf } from '../../src/lib/error_code.ts'
import { withTimeout } from '../../src/lib/timeout.ts'
import { crash, makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { openTestPool, type TestDatabase } from '../support/database/database.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { type Random, seeded } from '../support/fuzz/seeded.ts'
import { type Subscriber, useWorkspace } from '../support/process/workspace.ts'
import { isTaken, moodOf } from '../support/receiver/server.ts'
import { until } from '../support/until.ts'

const seed = Number(process.env.BLACKBOX_SEED ?? Date.now() % 1_000_000)
const seconds = Number(process.env.BLACKBOX_SECONDS ?? 0)
setDefaultTimeout((2 * seconds + 240) * 1_000)

// Of one subscription by one disturbance: what was in flight (8) or not yet recorded (512).
const doubledMax = 520
const settlingMaxMs = 60_000

/** Resolves when nothing is missing, or when nothing has come for a minute: a long course leaves much to catch up. */
async function settled(missing: () => number | Promise<number>): Promise<void> {
  let before = Number.POSITIVE_INFINITY
  let left = await missing()
  const isLess = async () => {
    left = await missing()
    return left < before
  }
  while (left > 0 && left < before) {
    before = left
    await until(isLess, settlingMaxMs).catch(() => {})
  }
}

const dataDir = makeDataDir('nothing-lost')
const database = {} as TestDatabase
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>
let proxy: TcpProxy
beforeAll(async () => {
  useMadeCluster(dataDir)
  server = await startEmbeddedPostgres({ dataDir })
  // A server that starts again may have another port.
  proxy = await openTcpProxy(server.url)
  database.url = proxy.url
  database.sql = openTestPool(proxy.url, 4)
}, 60_000)
const workspace = useWorkspace(undefined, database)
afterAll(async () => {
  await database.sql.end({ timeout: 1 })
  proxy.close()
  await server.stop()
  removeDataDir(dataDir)
}, 60_000)

async function restartPostgres(end: () => Promise<void>) {
  await end()
  server = await startEmbeddedPostgres({ dataDir })
  proxy.leadTo(server.url)
}

const random = seeded(seed)

/** The type of the event about each object that was committed; and the objects that were rolled back. */
const committed = new Map<string, string>()
const rolledBack = new Set<string>()
const reachesMore = (count: number, milliseconds = 30_000) => {
  const wanted = committed.size + count
  return until(() => committed.size >= wanted, milliseconds)
}

const ids = (count: number) => Array.from({ length: count }, () => randomUUID())
const insertLeads = (sql: Sql, rows: string[]) =>
  sql`insert into leads (id, name) select id::uuid, 'Erika Beispiel' from string_to_table(${rows.join()}, ',') as id`
const insertSignals = (sql: Sql, rows: string[]) => sql`
  insert into signals (id, kind, title, score)
  select id::uuid, 'vertragsablauf', 'Vertrag läuft ab', 1
  from string_to_table(${rows.join()}, ',') as id`

class RolledBack extends Error {}

/** One transaction, tried again until its outcome is known; `during` runs after its first rows. */
async function write(sql: Sql, count: number, during = async () => {}, isGivenUp = false) {
  const [leads, signals] = [ids(count), ids(count)]
  const attempt = () =>
    inTransaction(sql, async transaction => {
      await insertLeads(transaction, leads)
      await during()
      await insertSignals(transaction, signals)
      if (isGivenUp) throw new RolledBack()
    })
  // One whose connection is lost between two statements may never end.
  const once = () =>
    withTimeout(attempt(), 5_000).then(
      () => true,
      // A try whose outcome was unknown had been committed.
      error => errorCodeOf(error) === '23505',
    )
  let isCommitted = await once()
  for (; !isCommitted && !isGivenUp; isCommitted = await once()) await Bun.sleep(20)
  for (const id of isCommitted ? leads : []) committed.set(id, 'lead.created')
  for (const id of isCommitted ? signals : []) committed.set(id, 'signal.opened')
  for (const id of isCommitted ? [] : [...leads, ...signals]) rolledBack.add(id)
}

const writers: ((sql: Sql, chance: Random) => Promise<void>)[] = [
  (sql, chance) => write(sql, 1 + chance.below(3)),
  (sql, chance) => write(sql, 1 + chance.below(3)),
  (sql, chance) => write(sql, 1 + chance.below(3), undefined, chance.below(2) === 0),
  // Open while many others commit.
  sql => write(sql, 2, async () => void (await reachesMore(100, 2_000).catch(() => {}))),
  async (sql, chance) => {
    await reachesMore(200, 2_000).catch(() => {})
    await write(sql, 100 + chance.below(200))
  },
]

/** They write until they are stopped, which they are when what they began has ended. */
function startWriters() {
  let stopped = false
  const writing = writers.map(async (writeOnce, place) => {
    const sql = openTestPool(database.url, 16)
    const chance = seeded(seed + place)
    for (; !stopped; await Bun.sleep(10 + chance.below(40))) await writeOnce(sql, chance)
    await sql.end({ timeout: 1 })
  })
  return async () => {
    stopped = true
    await Promise.all(writing)
  }
}

type Seen = { cursor: number; object_id: string }

const anyUrl = (tries: number) => {
  const { processes } = workspace
  return `${processes[tries % Math.max(processes.length, 1)]?.url}/api/v1/events`
}

/** Both go on where they were at another process when theirs fails or hangs. */
function startReader(read: (seen: Seen[], tries: number, signal: AbortSignal) => Promise<void>) {
  const seen: Seen[] = []
  const stop = new AbortController()
  const reading = (async () => {
    for (let tries = 0; !stop.signal.aborted; tries += 1) {
      await read(seen, tries, stop.signal).catch(() => {})
      await Bun.sleep(20)
    }
  })()
  return {
    seen,
    async stop() {
      stop.abort()
      await reading
    },
  }
}

const authorization = () => `Bearer ${workspace.key}`
const patienceMs = 3_000

/** Follows `next_cursor`. */
function startPageReader() {
  let after = 0
  return startReader(async (seen, tries, stop) => {
    const response = await fetch(`${anyUrl(tries)}?limit=200&after=${after}`, {
      headers: { authorization: authorization() },
      signal: AbortSignal.any([stop, AbortSignal.timeout(patienceMs)]),
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const page = (await response.json()) as { data: Seen[]; meta: { next_cursor: number } }
    for (const { cursor, object_id } of page.data) seen.push({ cursor, object_id })
    after = page.meta.next_cursor
  })
}

/** Resumes with Last-Event-ID. */
const startStreamReader = () =>
  startReader(async (seen, tries, stop) => {
    const silence = new AbortController()
    const last = seen.at(-1)?.cursor ?? 0
    let timer = setTimeout(() => silence.abort(), patienceMs)
    const response = await fetch(anyUrl(tries), {
      headers: {
        authorization: authorization(),
        accept: 'text/event-stream',
        'last-event-id': String(last),
      },
      signal: AbortSignal.any([stop, silence.signal]),
    })
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), patienceMs)
      text += decoder.decode(chunk, { stream: true })
      const messages = text.split('\n\n')
      text = messages.pop() ?? ''
      for (const message of messages) {
        const [, id, event] = /^id: (\d+)\ndata: (.*)$/m.exec(message) ?? []
        if (id && event) seen.push({ cursor: Number(id), object_id: JSON.parse(event).object_id })
      }
    }
  })

/** Resolves when something is delivered that was not yet committed when it was called. */
async function deliversAgain() {
  const before = new Set(committed.keys())
  await until(async () => {
    const came = await workspace.received({ path: '/ok/1' })
    return came.some(id => committed.has(id) && !before.has(id))
  }, settlingMaxMs)
}

/** One of the two processes. */
const one = () => random.of(workspace.processes)

const disturbances: Record<string, () => Promise<unknown>> = {
  async 'killed and started again'() {
    await workspace.kill(one())
    await reachesMore(random.below(100))
    await workspace.start()
  },
  async 'hung and resumed'() {
    const hung = one()
    hung.kill('SIGSTOP')
    await reachesMore(100 + random.below(400))
    // For longer than a lease, or not.
    if (random.below(2) === 0) await deliversAgain()
    hung.kill('SIGCONT')
  },
  async 'stopped and started again'() {
    await workspace.stop(one())
    await workspace.start()
  },
  'cut off from the database': () => database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name <> 'test'`,
  'PostgreSQL started again': () => restartPostgres(() => server.stop()),
  'PostgreSQL crashed': () => restartPostgres(() => crash(server, dataDir)),
}

/** Each kind once, then any until the time is over. */
async function disturb(): Promise<string[]> {
  const endsAt = performance.now() + seconds * 1_000
  const left = Object.keys(disturbances)
  const done: string[] = []
  while (left.length > 0 || performance.now() < endsAt) {
    await reachesMore(50 + random.below(200))
    const name =
      left.splice(random.below(left.length), 1)[0] ?? random.of(Object.keys(disturbances))
    await disturbances[name]?.()
    done.push(name)
  }
  return done
}

const subscriptions: [path: string, types: string[]][] = [
  ['/moody/1', ['lead.created']],
  ['/ok/1', ['lead.created', 'signal.opened']],
  ['/ok/2', ['signal.opened']],
]
/** How often each event was taken by the receiver. */
async function takenOf({ path }: Subscriber) {
  const asked = new Map<string, number>()
  const taken = new Map<string, number>()
  for (const { body, headers } of await workspace.receiver.requests(path)) {
    const { object_id } = JSON.parse(body)
    const times = (asked.get(object_id) ?? 0) + 1
    asked.set(object_id, times)
    const mood = path.startsWith('/moody/') ? moodOf(headers['webhook-id'] ?? '', times) : 'ok'
    if (isTaken(mood)) taken.set(object_id, (taken.get(object_id) ?? 0) + 1)
  }
  return taken
}

const hooks: Subscriber[] = []
beforeAll(async () => {
  await Promise.all([workspace.start(), workspace.start()])
  for (const [path, types] of subscriptions) hooks.push(await workspace.subscribe(path, types))
}, 30_000)

test(`nothing is lost, nothing comes out of order (BLACKBOX_SEED=${seed})`, async () => {
  const pages = startPageReader()
  const stream = startStreamReader()
  const stopWriters = startWriters()
  const done = await disturb()
  await stopWriters()
  const missing = (
    found: ReadonlySet<string> | ReadonlyMap<string, unknown>,
    wanted = [...committed.keys()],
  ) => wanted.filter(id => !found.has(id)).length
  const seenBy = (reader: typeof pages) => new Set(reader.seen.map(({ object_id }) => object_id))

  // Each reader has every event once, in the order of cursors.
  for (const reader of [pages, stream]) {
    await settled(() => missing(seenBy(reader)))
    await reader.stop()
    const cursors = reader.seen.map(({ cursor }) => cursor)
    expect({
      lost: missing(seenBy(reader)),
      doubled: cursors.length - new Set(cursors).size,
      disordered: cursors.filter((cursor, place) => cursor <= (cursors[place - 1] ?? 0)).length,
      invented: [...seenBy(reader)].filter(id => !committed.has(id)).length,
    }).toEqual({ lost: 0, doubled: 0, disordered: 0, invented: 0 })
  }

  // Each receiver has taken every event of its types, and few twice.
  const doubled: number[] = []
  for (const [place, hook] of hooks.entries()) {
    const types = subscriptions[place]?.[1] ?? []
    const wanted = [...committed.keys()].filter(id => types.includes(committed.get(id) ?? ''))
    await settled(async () => missing(await takenOf(hook), wanted))
    const taken = await takenOf(hook)
    expect([hook.path, missing(taken, wanted)]).toEqual([hook.path, 0])
    expect([...taken.keys()].filter(id => rolledBack.has(id))).toEqual([])
    doubled.push([...taken.values()].reduce((sum, times) => sum + times - 1, 0))
    expect((await workspace.hook(hook)).active).toBe(true)
  }
  process.stdout.write(
    `  ${committed.size} events, ${rolledBack.size} rolled back; ${done.join(', ')}; doubled ${doubled}\n`,
  )
  expect(Math.max(...doubled)).toBeLessThanOrEqual(doubledMax * done.length)
})
