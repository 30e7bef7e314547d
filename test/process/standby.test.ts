// A real streaming standby: what it answers and what it does not, and that no client notices when it goes.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { migrateDatabase, type RunningService, startService } from '../../src/api/start.ts'
import { connect, type Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { scopes } from '../../src/model/scope.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { type RunningWorker, startWorker } from '../../src/worker/start.ts'
import { changedSignals, useSqlDirs } from '../sql/query_files.ts'
import * as factory from '../support/database/factory.ts'
import { type StandbyPair, startPair } from '../support/database/standby.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { bearer, quietLog, sendTo } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const open = (url: string): Sql =>
  connect({ url, connectionsMax: 2, applicationName: 'test', statementTimeoutMs: 20_000 })

const sqlDir = useSqlDirs()

let pair: StandbyPair
let writer: Sql
let standby: Sql
let proxy: TcpProxy
let service: RunningService
let worker: RunningWorker
let key: string
const said: string[] = []
const log = quietLog()
log.subscribe(({ name }) => {
  if (name.startsWith('replica_')) said.push(name.slice('replica_'.length))
})

/** Of another service: why its replica is away. */
function watchingLog(reasons: string[]) {
  const other = quietLog()
  other.subscribe(({ name, fields }) => {
    if (name === 'replica_away') reasons.push(fields.reason)
    if (name === 'replica_back') said.push('back')
  })
  return other
}

beforeAll(async () => {
  pair = await startPair(migrateDatabase)
  writer = open(pair.primary.url)
  standby = open(pair.standby.url)
  proxy = await openTcpProxy(pair.standby.url)
  key = (await createApiKey(openDatabase(writer, queries), { label: 'test', scopes: [...scopes] }))
    .key
  const config = testConfig({ DATABASE_READ_URL: proxy.url, STATEMENT_TIMEOUT_MS: '5000' })
  service = await startService(config, pair.primary.url, log)
  worker = await startWorker(config, pair.primary.url, log)
  await until(() => said.includes('back'))
}, 60_000)

afterAll(async () => {
  await Promise.all([worker.stop(), service.stop()])
  proxy.close()
  await Promise.all([writer.end({ timeout: 1 }), standby.end({ timeout: 1 })])
  await pair.remove()
}, 60_000)

const send = (path: string, by = key) => sendTo(`${service.url}/api/v1`, path, bearer(by))
const statusOf = async (path: string, by = key) => (await send(path, by)).status

/** The standby receives on and shows nothing new. */
async function whilePaused(work: () => Promise<void>) {
  await pair.caughtUp()
  await standby`select pg_wal_replay_pause()`
  await until(async () => {
    const [row] = await standby`select pg_get_wal_replay_pause_state() as state`
    return row?.state === 'paused'
  })
  try {
    await work()
  } finally {
    await standby`select pg_wal_replay_resume()`
  }
}

const eventOf = async (id: string) => {
  const { body } = await send('/events?types=lead.created&limit=200')
  return body.data.find((event: { object_id: string }) => event.object_id === id)
}

test('rows come from the standby, a moment late; the feed, keys and the limit do not', async () => {
  let lead = ''
  await whilePaused(async () => {
    lead = (await factory.lead(writer)).id
    const event = await until(() => eventOf(lead))
    expect(await statusOf(`/leads/${lead}`)).toBe(404)
    expect((await send('/leads?limit=200')).body.data).not.toContainEqual(
      expect.objectContaining({ id: lead }),
    )
    // A cursor that the standby does not know yet.
    expect(await statusOf(`/events?after=${event.cursor}`)).toBe(200)
    const { key: other } = await createApiKey(openDatabase(writer, queries), {
      label: 'other',
      scopes: ['read:leads'],
    })
    expect(await statusOf('/leads', other)).toBe(200)
    await writer`update api_keys set revoked_at = now() where prefix = ${other.slice(0, 12)}`
    await until(async () => (await statusOf('/leads', other)) === 401, 2_000)
  })
  await until(async () => (await statusOf(`/leads/${lead}`)) === 200)
})

test('a subscription is seen by the client that made it, however late the standby is', async () => {
  await whilePaused(async () => {
    const hook = { target_url: 'https://hooks.example.com/x', event_types: ['lead.created'] }
    const made = await sendTo(`${service.url}/api/v1`, '/hooks', {
      ...bearer(key),
      method: 'POST',
      body: JSON.stringify(hook),
    })
    expect(made.status).toBe(201)
    expect((await send('/hooks')).body.data).toMatchObject([{ id: made.body.data.id }])
  })
})

const losses: [how: string, lose: () => void, milliseconds: number][] = [
  ['refuses', () => proxy.away(), 2_000],
  ['falls silent', () => proxy.silent(), 4_000],
]

describe.each(losses)('while the standby %s', (_how, lose, milliseconds) => {
  test('all is read from the primary, and from the standby again when it is back', async () => {
    said.length = 0
    const lead = (await factory.lead(writer)).id
    await pair.caughtUp()
    expect(await statusOf(`/leads/${lead}`)).toBe(200)
    lose()
    const startedAt = performance.now()
    const answers = Array.from({ length: 20 }, () => statusOf(`/leads/${lead}`))
    expect(await Promise.all(answers)).toEqual(Array(20).fill(200))
    expect(performance.now() - startedAt).toBeLessThan(milliseconds)
    const fresh = (await factory.lead(writer)).id
    await until(async () => (await statusOf(`/leads/${fresh}`)) === 200)
    expect(said).toEqual(['away'])
    await proxy.back()
    await until(() => said.includes('back'))
    await whilePaused(async () => {
      const later = (await factory.lead(writer)).id
      expect(await statusOf(`/leads/${later}`)).toBe(404)
    })
    expect(said).toEqual(['away', 'back'])
  }, 30_000)
})

test('a standby of another schema is not read from', async () => {
  said.length = 0
  await writer`insert into schema_migrations (number, name, sha256) values (9999, 'later', 'x')`
  await until(() => said.includes('away'))
  expect(await statusOf('/leads')).toBe(200)
  await writer`delete from schema_migrations where number = 9999`
  await until(() => said.includes('back'))
})

test('another database is not read from, though it has the schema', async () => {
  // In the same cluster, as a second workspace may be.
  await writer`create database other`
  const other = new URL(pair.primary.url)
  other.pathname = '/other'
  await migrateDatabase(other.href)
  const reasons: string[] = []
  const watching = watchingLog(reasons)
  const config = testConfig({ DATABASE_READ_URL: other.href })
  const misled = await startService(config, pair.primary.url, watching)
  const lead = await factory.lead(writer)
  await until(() => reasons.length > 0)
  expect(reasons).toEqual(['it is no replica of this database'])
  const own = await sendTo(`${misled.url}/api/v1`, `/leads/${lead.id}`, bearer(key))
  expect(own.status).toBe(200)
  await misled.stop()
})

test('a statement that replay cancels is asked again of the primary', async () => {
  const slow = changedSignals('from signals', 'from signals cross join pg_sleep(1)')
  // The standby is not to wait for readers.
  await standby`alter system set max_standby_streaming_delay = 0`
  await standby`select pg_reload_conf()`
  const signal = await factory.signal(writer)
  const away: string[] = []
  said.length = 0
  const config = testConfig({ DATABASE_READ_URL: pair.standby.url, SQL_DIR: sqlDir(slow) })
  const watching = watchingLog(away)
  const reading = await startService(config, pair.primary.url, watching)
  await until(() => said.includes('back'))
  await pair.caughtUp()
  const sent = sendTo(`${reading.url}/api/v1`, '/signals', bearer(key))
  const conflicts = async () =>
    Number(
      (
        await standby`select confl_lock from pg_stat_database_conflicts where datname = 'workspace'`
      )[0]?.confl_lock,
    )
  await until(async () => {
    const rows = await standby`
      select from pg_stat_activity where application_name = 'workspace-data-api read' and query like '%list_signals%' and state = 'active'`
    return rows.length > 0
  })
  await writer.begin(async transaction => {
    await transaction`lock table signals in access exclusive mode`
  })
  const reply = await sent
  expect([reply.status, reply.body.data.length]).toEqual([200, 1])
  expect(reply.body.data[0].id).toBe(signal.id)
  await until(async () => (await conflicts()) > 0)
  expect(away).toEqual([])
  await reading.stop()
}, 30_000)

test('an address that leads to a standby only later is looked at anew', async () => {
  said.length = 0
  const moving = await openTcpProxy(pair.primary.url)
  const config = testConfig({ DATABASE_READ_URL: moving.url })
  const reading = await startService(config, pair.primary.url, log)
  await until(() => said.includes('away'))
  // Until after the next look: what that one opens must not stay open.
  await Bun.sleep(1_500)
  moving.leadTo(pair.standby.url)
  await until(() => said.includes('back'))
  await reading.stop()
  moving.close()
}, 30_000)

// The last one: what was promoted follows no more.
test('a standby that was promoted is not read from: it gets nothing new', async () => {
  said.length = 0
  const reasons: string[] = []
  const watching = watchingLog(reasons)
  const config = testConfig({ DATABASE_READ_URL: pair.standby.url })
  const reading = await startService(config, pair.primary.url, watching)
  await until(() => said.includes('back'))
  await standby`select pg_promote()`
  await until(() => reasons.length > 0)
  expect(reasons).toEqual(['it is no standby'])
  const lead = await factory.lead(writer)
  const own = await sendTo(`${reading.url}/api/v1`, `/leads/${lead.id}`, bearer(key))
  expect(own.status).toBe(200)
  await reading.stop()
}, 30_000)
