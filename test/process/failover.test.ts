// The primary ends and its standby takes over: with both in DATABASE_URL the service and its worker go along.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { migrateDatabase, type RunningService, startService } from '../../src/api/start.ts'
import { connect, openPool, type Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { hostUrls } from '../../src/lib/host_urls.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { type RunningWorker, startWorker } from '../../src/worker/start.ts'
import { type StandbyPair, startPair } from '../support/database/standby.ts'
import { bearer, quietLog, sendTo } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

let pair: StandbyPair
let both: string
let sql: Sql
let service: RunningService
let worker: RunningWorker
let key: string

beforeAll(async () => {
  pair = await startPair(migrateDatabase)
  // The standby first: it is no primary yet.
  both = pair.primary.url.replace('@', `@127.0.0.1:${new URL(pair.standby.url).port},`)
  // As the service holds its connections.
  sql = openPool({
    url: both,
    connectionsMax: 2,
    applicationName: 'test',
    statementTimeoutMs: 9_000,
  }).sql
  key = (await createApiKey(openDatabase(sql, queries), { label: 'test', scopes: ['read:events'] }))
    .key
  service = await startService(testConfig(), both, quietLog())
  worker = await startWorker(testConfig(), both, quietLog())
  // From here on a commit is on both.
  await sql`alter system set synchronous_standby_names = '*'`
  await sql`select pg_reload_conf()`
  await until(async () => {
    const [row] = await sql`select sync_state from pg_stat_replication`
    return row?.sync_state === 'sync'
  })
}, 60_000)

afterAll(async () => {
  await Promise.all([worker.stop(), service.stop()])
  await sql.end({ timeout: 1 })
  await pair.remove()
}, 60_000)

const read = (after: number) =>
  sendTo(`${service.url}/api/v1`, `/events?after=${after}&limit=200`, bearer(key))

/** Every event from the beginning on, as ids of leads. */
async function readAll(): Promise<string[]> {
  const ids: string[] = []
  for (let after = 0; ; ) {
    const { status, body } = await read(after)
    if (status !== 200) throw new Error(JSON.stringify(body))
    if (body.data.length === 0) return ids
    ids.push(...body.data.map((event: { object_id: string }) => event.object_id))
    after = body.meta.next_cursor
  }
}

test('an address of several hosts is one for each', () => {
  expect(hostUrls('postgres://u:p,w@a:1,b/name?x=1')).toEqual([
    'postgres://u:p,w@a:1/name?x=1',
    'postgres://u:p,w@b/name?x=1',
  ])
  expect(hostUrls('postgres://a/name')).toEqual(['postgres://a/name'])
})

test('writers and the feed go on after the switch, and what was committed is there once', async () => {
  const committed: string[] = []
  const write = async () => {
    const [row] = await sql`insert into leads (name) values ('Umzug') returning id`
    committed.push(row?.id)
  }
  let stopping = false
  const writing = (async () => {
    while (!stopping) await write().catch(() => Bun.sleep(20))
  })()
  await until(() => committed.length >= 200)
  await pair.primary.stop()
  const before = committed.length
  const startedAt = performance.now()
  // No server takes writes: requests fail, and soon.
  const refused = await read(0)
  expect(refused.status).toBe(503)
  expect(performance.now() - startedAt).toBeLessThan(4_000)
  const standby = connect({
    url: pair.standby.url,
    connectionsMax: 1,
    applicationName: 'test',
    statementTimeoutMs: 9_000,
  })
  await standby`select pg_promote()`
  await standby.end()
  await until(() => committed.length >= before + 200, 20_000)
  stopping = true
  await writing
  const ids = await until(async () => {
    const all = await readAll()
    return committed.every(id => all.includes(id)) ? all : undefined
  }, 20_000)
  expect(new Set(ids).size).toBe(ids.length)
}, 60_000)
