// Rows that come by a logical subscription from another PostgreSQL: income goes, limits hold, no event is made, and the log
// names the tables.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { migrateDatabase } from '../../src/api/start.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { startWorker } from '../../src/worker/start.ts'
import { makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { administer } from '../support/database/server.ts'
import { quietLog } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const dirs = [makeDataDir('publisher'), makeDataDir('subscriber')] as const
const servers: EmbeddedPostgres[] = []
const on = <Result>(
  server: number,
  work: (sql: ReturnType<typeof administer>) => Promise<Result>,
) => {
  const sql = administer(servers[server]?.url ?? '')
  return work(sql).finally(() => sql.end())
}

beforeAll(async () => {
  for (const [number, dataDir] of dirs.entries()) {
    useMadeCluster(dataDir)
    servers[number] = await startEmbeddedPostgres({ dataDir })
    await migrateDatabase(servers[number]?.url ?? '')
  }
  // Takes a restart.
  await on(0, sql => sql`alter system set wal_level = logical`)
  await servers[0]?.stop()
  servers[0] = await startEmbeddedPostgres({ dataDir: dirs[0] })
  await on(0, async sql => {
    // As a foreign platform, which knows no income rule, would store it.
    await sql`alter table leads disable trigger user`
    await sql`insert into leads (name, parsed_data) values ('Kopiert', '{"einkommen": 4500}')`
    await sql`create publication workspace for table leads`
  })
  const { username, password, port } = new URL(servers[0]?.url ?? '')
  const from = `host=127.0.0.1 port=${port} user=${username} password=${password} dbname=workspace`
  await on(1, sql =>
    sql.unsafe(`create subscription workspace connection '${from}' publication workspace`),
  )
}, 120_000)

afterAll(async () => {
  // Without its publisher a subscription is dropped only without its slot.
  for (const server of servers.toReversed()) await server.stop()
  for (const dir of dirs) removeDataDir(dir)
})

const leads = () =>
  on(1, async sql => {
    const rows = await sql`select name, parsed_data::text as document from leads order by name`
    return rows.map(row => [row.name, row.document === null ? null : JSON.parse(row.document)])
  })

test('copied, inserted and updated rows are cleaned, and make no event', async () => {
  await until(async () => (await leads()).length === 1, 30_000)
  await on(0, async sql => {
    await sql`insert into leads (name, parsed_data) values ('Neu', '{"einkommen": 4500, "t": "verdient 4500 EUR netto"}')`
    await sql`update leads set parsed_data = parsed_data || '{"gehalt": 4500}' where name = 'Kopiert'`
    await sql`insert into leads (name) values ('Zuletzt')`
  })
  await until(async () => (await leads()).length === 3, 30_000)
  expect(await leads()).toEqual([
    ['Kopiert', {}],
    ['Neu', { t: 'verdient [entfernt] netto' }],
    ['Zuletzt', null],
  ])
  expect((await on(1, sql => sql`select from events`)).length).toBe(0)
})

test('the worker names the tables in the log', async () => {
  const named: string[][] = []
  const log = quietLog()
  log.subscribe(({ name, fields }) => {
    if (name === 'tables_subscribed') named.push([...fields.tables])
  })
  const worker = await startWorker(testConfig({}), servers[1]?.url ?? '', log)
  await worker.stop()
  expect(named).toEqual([['leads']])
})
