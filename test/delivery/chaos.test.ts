// The database fails in every way it can while events are delivered: none is lost, none comes twice.
import { afterEach, expect, test } from 'bun:test'
import { migrateDatabase } from '../../src/api/start.ts'
import { connect } from '../../src/db/connect.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import type { RunningWorker } from '../../src/worker/start.ts'
import { crash, useMadeCluster } from '../support/database/cluster.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { useDatabase } from '../support/database/database.ts'
import { openTcpProxy } from '../support/database/tcp_proxy.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks
const closing: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

// Leases outlive the test, so a second delivery would be a fault of ours; silence is noticed soon.
const times = { leaseMs: 600_000, statementTimeoutMs: 1_000 }

const expectEachOnce = async (hook: Hook, ids: string[]) => {
  const rows = await hooks.ended(hook, ids.length, 20_000)
  expect(rows.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true)
  expect((await hooks.ids(hook)).sort()).toEqual(ids.sort())
}

async function start(work: () => Promise<RunningWorker>) {
  const worker = await work()
  closing.push(() => worker.stop())
}

/** Events in small transactions, turn after turn; something happens at the end of each, and events follow the last. */
async function emitThrough(
  turns: number,
  everyMs: number,
  type: string,
  happen: () => unknown,
): Promise<string[]> {
  const ids: string[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    for (const end = performance.now() + everyMs; performance.now() < end; await Bun.sleep(25))
      ids.push(...(await hooks.emit(3, type)))
    await happen()
  }
  return [...ids, ...(await hooks.emit(3, type))]
}

test('every connection of the workers is ended twice a second: each event is delivered once', async () => {
  const type = 'lead.created'
  const hook = await hooks.subscribe(receiver.url('/ok/terminated'), { event_types: [type] })
  await start(() => hooks.startWorker(times))
  await start(() => hooks.startWorker(times))
  let ended = 0
  const ids = await emitThrough(6, 500, type, async () => {
    const rows = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'workspace-data-api worker'`
    ended += rows.length
  })
  expect(ended).toBeGreaterThan(10)
  await expectEachOnce(hook, ids)
}, 40_000)

test('every connection falls silent, LISTEN too, and new ones work: each event is delivered once', async () => {
  const type = 'lead.archived'
  const hook = await hooks.subscribe(receiver.url('/ok/silent'), { event_types: [type] })
  const proxy = await openTcpProxy(database.url)
  closing.push(() => proxy.close())
  await start(() => hooks.startWorker(times, proxy.url))
  const ids = await emitThrough(2, 2_500, type, () => proxy.stall())
  await expectEachOnce(hook, ids)
}, 40_000)

test('the database goes away for a while, again and again: each event is delivered once', async () => {
  const type = 'kontakt.merged'
  const hook = await hooks.subscribe(receiver.url('/ok/away'), { event_types: [type] })
  const proxy = await openTcpProxy(database.url)
  closing.push(() => proxy.close())
  await start(() => hooks.startWorker(times, proxy.url))
  let away = false
  const ids = await emitThrough(6, 700, type, () => {
    away = !away
    return away ? proxy.away() : proxy.back()
  })
  await expectEachOnce(hook, ids)
}, 40_000)

type End = (server: EmbeddedPostgres, dataDir: string) => Promise<void>
const ends: [how: string, eventType: string, end: End][] = [
  ['restart', 'lead.created', server => server.stop()],
  ['crash', 'lead.archived', crash],
]

test('after a restart and after a crash of PostgreSQL every delivery is made, once', async () => {
  const dataDir = makeDataDir('restart')
  closing.push(() => removeDataDir(dataDir))
  useMadeCluster(dataDir)
  let server = await startEmbeddedPostgres({ dataDir })
  closing.push(() => server.stop())
  await migrateDatabase(server.url)
  const proxy = await openTcpProxy(server.url)
  closing.push(() => proxy.close())
  const sql = connect({
    url: proxy.url,
    connectionsMax: 1,
    applicationName: 'test',
    statementTimeoutMs: 0,
  })
  closing.push(() => sql.end({ timeout: 1 }))
  const elsewhere = hooks.on({ sql, url: proxy.url })
  await start(() => elsewhere.startWorker(times))
  await start(() => elsewhere.startWorker(times))
  for (const [how, type, end] of ends) {
    const hook = await elsewhere.subscribe(receiver.url(`/ok/${how}`), { event_types: [type] })
    // More than is under way at a time.
    const ids = await elsewhere.emit(800, type)
    await until(async () => (await hooks.ids(hook)).length > 150, 20_000)
    await end(server, dataDir)
    server = await startEmbeddedPostgres({ dataDir })
    proxy.leadTo(server.url)
    ids.push(...(await until(() => elsewhere.emit(20, type), 20_000)))
    const rows = await elsewhere.ended(hook, ids.length, 30_000)
    expect(rows.every(({ state }) => state === 'delivered')).toBe(true)
    expect((await hooks.ids(hook)).sort()).toEqual(ids.sort())
  }
}, 60_000)
