// A standby takes over that is behind: commits are lost, and with them cursors that readers already have. No command is
// run; readers and webhooks get every event that is committed from then on.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { migrateDatabase, type RunningService, startService } from '../../src/api/start.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { type RunningWorker, startWorker } from '../../src/worker/start.ts'
import { oneConnection, type TestDatabase } from '../support/database/database.ts'
import { type StandbyPair, startPair } from '../support/database/standby.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { bearer, quietLog, sendTo } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const hooks = useHooks({} as TestDatabase)
let pair: StandbyPair
let service: RunningService
let worker: RunningWorker
let key: string
let hook: Hook

beforeAll(async () => {
  pair = await startPair(migrateDatabase)
  const both = pair.primary.url.replace('@', `@127.0.0.1:${new URL(pair.standby.url).port},`)
  const sql = oneConnection(pair.primary.url)
  key = (await createApiKey(openDatabase(sql, queries), { label: 'test', scopes: ['read:events'] }))
    .key
  hook = await hooks.on({ sql, url: both }).subscribe(hooks.receiver.url('/ok/lost'), {
    event_types: ['lead.created'],
  })
  await sql.end()
  const config = testConfig(hooks.settings)
  service = await startService(config, both, quietLog())
  worker = await startWorker(config, both, quietLog())
}, 60_000)

afterAll(async () => {
  await Promise.all([worker.stop(), service.stop()])
  await pair.remove()
}, 60_000)

async function write(url: string, count: number): Promise<string[]> {
  const sql = oneConnection(url)
  const ids: string[] = []
  for (let written = 0; written < count; written += 1)
    ids.push((await sql`insert into leads (name) values ('Umzug') returning id`)[0]?.id)
  await sql.end()
  return ids
}

const refusals: string[] = []

/** Ids of leads of the events after a cursor, and where a reader goes on. */
async function readFrom(after: number) {
  const ids: string[] = []
  for (;;) {
    const path = `/events?types=lead.created&after=${after}&limit=200`
    const { status, body } = await sendTo(`${service.url}/api/v1`, path, bearer(key))
    if (status === 400) refusals.push(body.error.code)
    if (status !== 200) throw new Error(JSON.stringify(body))
    if (body.data.length === 0) return { ids, after }
    ids.push(...body.data.map((event: { object_id: string }) => event.object_id))
    after = body.meta.next_cursor as number
  }
}

const received = async () =>
  (await hooks.receiver.requests(hook.path)).map(({ body }) => JSON.parse(body).object_id)

const untilAllOf = (ids: readonly string[], found: () => Promise<readonly string[]>) =>
  until(async () => {
    const all = new Set(await found())
    return ids.every(id => all.has(id))
  }, 20_000)

/** What is committed from here on does not reach the standby. */
async function cutOff() {
  await pair.caughtUp()
  const sql = oneConnection(pair.standby.url)
  await sql`alter system set primary_conninfo = ''`
  await sql`select pg_reload_conf()`
  await until(async () => (await sql`select from pg_stat_wal_receiver`).length === 0)
  await sql.end()
}

async function promote() {
  await pair.primary.stop()
  const sql = oneConnection(pair.standby.url)
  await sql`select pg_promote()`
  await sql.end()
}

test('readers that hold lost cursors get all that comes, and so do webhooks', async () => {
  const kept = await write(pair.primary.url, 20)
  await untilAllOf(kept, received)
  await cutOff()
  const lost = await write(pair.primary.url, 30)
  await untilAllOf(lost, received)
  const reader = await until(async () => {
    const read = await readFrom(0)
    return read.ids.length === 50 ? read : undefined
  })
  await promote()
  // As many as were lost: without more they would take their cursors.
  const next = await write(pair.standby.url, 30)
  await untilAllOf(next, async () => (await readFrom(reader.after)).ids)
  expect((await readFrom(reader.after)).ids).toEqual(next)
  await untilAllOf(next, received)
  expect((await readFrom(0)).ids).toEqual([...kept, ...next])
  // A client that is refused would start over.
  expect(refusals).toEqual([])
}, 60_000)
