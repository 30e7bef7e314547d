// A real streaming standby: what it answers and what it does not, that no client notices when it goes, and that service and worker
// go along when it takes over, also where it was behind. And rows that come by a logical subscription.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type RunningService, startService } from '../../src/api/start.ts'
import { migrateDatabase } from '../../src/cli/database.ts'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { scopes } from '../../src/model/scope.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { type RunningWorker, startWorker } from '../../src/worker/start.ts'
import { makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { oneConnection, type TestDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { administer } from '../support/database/server.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { bearer, quietLog, sendTo } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { isNightly, unlessNightly } from '../support/nightly.ts'
import { until } from '../support/until.ts'
import { type StandbyPair, startPair } from './standby.ts'

setDefaultTimeout(60_000)

describe.skipIf(!isNightly)(`a standby${unlessNightly}`, () => {
  const hooks = useHooks({} as TestDatabase)
  let pair: StandbyPair
  let writer: Sql
  let standby: Sql
  let proxy: TcpProxy
  let both: string
  let service: RunningService
  let worker: RunningWorker
  let key: string
  let hook: Hook
  const said: string[] = []
  const watching = () => {
    const log = quietLog()
    log.subscribe(({ name, fields }) => {
      if (name === 'replica_away') said.push(fields.reason)
      if (name === 'replica_back') said.push('back')
    })
    return log
  }

  beforeAll(async () => {
    pair = await startPair(migrateDatabase)
    writer = oneConnection(pair.primary.url)
    standby = oneConnection(pair.standby.url)
    proxy = await openTcpProxy(pair.standby.url)
    // The standby first: it is no primary yet.
    both = pair.primary.url.replace('@', `@127.0.0.1:${new URL(pair.standby.url).port},`)
    const input = { label: 'test', scopes: [...scopes] }
    key = (await createApiKey(openDatabase(writer, queries), input)).key
    hook = await hooks.on({ sql: writer, url: both }).subscribe(hooks.receiver.url('/ok/lost'), {
      event_types: ['lead.created'],
    })
    const config = testConfig({ ...hooks.settings, DATABASE_READ_URL: proxy.url })
    service = await startService(config, both, watching())
    worker = await startWorker(config, both, quietLog())
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
    await work().finally(() => standby`select pg_wal_replay_resume()`)
  }

  test('rows come from the standby, a moment late; the feed, keys and webhooks do not', async () => {
    let lead = ''
    await whilePaused(async () => {
      lead = (await factory.lead(writer)).id
      const event = await until(async () =>
        (await send('/events?types=lead.created&limit=200')).body.data.find(
          (one: { object_id: string }) => one.object_id === lead,
        ),
      )
      expect(await statusOf(`/leads/${lead}`)).toBe(404)
      // A cursor that the standby does not know yet.
      expect(await statusOf(`/events?after=${event.cursor}`)).toBe(200)
      const input = { label: 'other', scopes: ['read:leads' as const] }
      const { key: other } = await createApiKey(openDatabase(writer, queries), input)
      expect(await statusOf('/leads', other)).toBe(200)
      await writer`update api_keys set revoked_at = now() where prefix = ${other.slice(0, 12)}`
      await until(async () => (await statusOf('/leads', other)) === 401, 2_000)
      const body = JSON.stringify({
        target_url: 'https://hooks.example.com/x',
        event_types: ['signal.opened'],
      })
      const init = { ...bearer(key), method: 'POST', body }
      const made = await sendTo(`${service.url}/api/v1`, '/hooks', init)
      expect((await send('/hooks')).body.data[0].id).toBe(made.body.data.id)
    })
    await until(async () => (await statusOf(`/leads/${lead}`)) === 200)
  })

  test.each<[how: string, lose: () => void, limitMs: number]>([
    ['refuses', () => proxy.away(), 2_000],
    ['falls silent', () => proxy.silent(), 8_000],
  ])(
    'while the standby %s all is read from the primary, and from it again when it is back',
    async (_, lose, limitMs) => {
      said.length = 0
      const lead = (await factory.lead(writer)).id
      await pair.caughtUp()
      lose()
      const startedAt = performance.now()
      const answers = Array.from({ length: 20 }, () => statusOf(`/leads/${lead}`))
      expect(await Promise.all(answers)).toEqual(Array(20).fill(200))
      expect(performance.now() - startedAt).toBeLessThan(limitMs)
      await until(() => said.length > 0)
      await proxy.back()
      await until(() => said.includes('back'))
    },
  )

  test('what is no replica of this database, or has another schema, is not read from', async () => {
    said.length = 0
    await writer`insert into schema_migrations (number, name, sha256) values (9999, 'later', 'x')`
    await until(() => said.length > 0)
    expect(await statusOf('/leads')).toBe(200)
    await writer`delete from schema_migrations where number = 9999`
    await until(() => said.includes('back'))
    // In the same cluster, as a second workspace may be.
    await writer`create database other`
    const other = pair.primary.url.replace('/workspace', '/other')
    await migrateDatabase(other)
    said.length = 0
    const config = testConfig({ DATABASE_READ_URL: other })
    const misled = await startService(config, pair.primary.url, watching())
    await until(() => said.includes('it is no replica of this database'))
    await misled.stop()
  })

  type Page = { ids: string[]; after: number }

  /** Ids of leads of the events after a cursor, and where a reader goes on. */
  async function readFrom(after: number): Promise<Page> {
    const ids: string[] = []
    for (;;) {
      const { status, body } = await send(`/events?types=lead.created&after=${after}&limit=200`)
      // A client that is refused would start over.
      expect(status).not.toBe(400)
      if (status !== 200) throw new Error(JSON.stringify(body))
      if (body.data.length === 0) return { ids, after }
      ids.push(...body.data.map((event: { object_id: string }) => event.object_id))
      after = body.meta.next_cursor as number
    }
  }

  async function write(url: string, count: number): Promise<string[]> {
    const sql = oneConnection(url)
    const ids: string[] = []
    for (let written = 0; written < count; written += 1) ids.push((await factory.lead(sql)).id)
    await sql.end()
    return ids
  }

  const received = async () =>
    (await hooks.receiver.requests(hook.path)).map(({ body }) => JSON.parse(body).object_id)

  const untilAllOf = (ids: readonly string[], found: () => Promise<readonly string[]>) =>
    until(async () => {
      const all = new Set(await found())
      return ids.every(id => all.has(id))
    }, 20_000)

  // The last one of the pair: what was promoted follows no more.
  test('a standby that is behind takes over: readers that hold lost cursors get all that comes, and so do webhooks', async () => {
    const kept = await write(pair.primary.url, 20)
    await untilAllOf(kept, received)
    await pair.caughtUp()
    // What is committed from here on does not reach the standby.
    await standby`alter system set primary_conninfo = ''`
    await standby`select pg_reload_conf()`
    await until(async () => (await standby`select from pg_stat_wal_receiver`).length === 0)
    const lost = await write(pair.primary.url, 30)
    await untilAllOf(lost, received)
    const reader = await readFrom(0)
    expect(reader.ids.slice(-30)).toEqual(lost)
    await pair.primary.stop()
    // No server takes writes: requests fail, and soon.
    const startedAt = performance.now()
    expect(await statusOf('/events')).toBe(503)
    expect(performance.now() - startedAt).toBeLessThan(4_000)
    await standby`select pg_promote()`
    // As many as were lost: without more they would take their cursors.
    const next = await write(pair.standby.url, 30)
    await untilAllOf(next, async () => (await readFrom(reader.after)).ids)
    expect((await readFrom(reader.after)).ids).toEqual(next)
    await untilAllOf(next, received)
    expect((await readFrom(0)).ids.slice(-30)).toEqual(next)
  })

  test('rows of a logical subscription are cleaned, make no event, and their tables are named in the log', async () => {
    const dirs = [makeDataDir('publisher'), makeDataDir('subscriber')] as const
    const start = (dataDir: string) => startEmbeddedPostgres({ dataDir })
    for (const dir of dirs) useMadeCluster(dir)
    let publisher = await start(dirs[0])
    const subscriber = await start(dirs[1])
    const on = (url: string, statement: string) => {
      const sql = administer(url)
      return sql.unsafe(statement).finally(() => sql.end())
    }
    for (const { url } of [publisher, subscriber]) await migrateDatabase(url)
    // Takes a restart.
    await on(publisher.url, 'alter system set wal_level = logical')
    await publisher.stop()
    publisher = await start(dirs[0])
    // As a foreign platform, which knows no income rule, would store it.
    await on(
      publisher.url,
      `alter table leads disable trigger user;
      insert into leads (name, parsed_data) values ('Kopiert', '{"einkommen": 4500}');
      create publication workspace for table leads`,
    )
    const { username, password, port } = new URL(publisher.url)
    const from = `host=127.0.0.1 port=${port} user=${username} password=${password} dbname=workspace`
    await on(
      subscriber.url,
      `create subscription workspace connection '${from}' publication workspace`,
    )
    const leads = () =>
      on(subscriber.url, 'select name || parsed_data as lead from leads order by name')
    await until(async () => (await leads()).length === 1, 30_000)
    await on(
      publisher.url,
      `insert into leads (name, parsed_data) values ('Neu', '{"t": "verdient 4500 EUR netto"}');
      update leads set parsed_data = parsed_data || '{"gehalt": 4500}' where name = 'Kopiert'`,
    )
    await until(async () => (await leads()).length === 2, 30_000)
    expect((await leads()).map(({ lead }) => lead)).toEqual([
      'Kopiert{}',
      'Neu{"t": "verdient [entfernt] netto"}',
    ])
    expect(await on(subscriber.url, 'select from events')).toHaveLength(0)
    const log = quietLog()
    const named: unknown[] = []
    log.subscribe(({ name, fields }) => name === 'tables_subscribed' && named.push(fields.tables))
    await (await startWorker(testConfig(), subscriber.url, log)).stop()
    expect(named).toEqual([['leads']])
    // Without its publisher a subscription is dropped only without its slot.
    await subscriber.stop()
    await publisher.stop()
    for (const dir of dirs) removeDataDir(dir)
  }, 120_000)
})
