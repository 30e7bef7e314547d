// Where transactions can be prepared no writer wakes the sequencer, because one that notified could not be; the sequencer
// looks by itself. On a server of its own, since others of the tests have no two-phase commit.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { migrateDatabase } from '../../src/cli/database.ts'
import type { Sql } from '../../src/db/connect.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { startWorker } from '../../src/worker/start.ts'
import { makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { oneConnection } from '../support/database/database.ts'
import { openTestSequencing } from '../support/feed/sequencing.ts'
import { quietLog } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const dataDir = makeDataDir('two-phase')
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>
let sql: Sql

beforeAll(async () => {
  useMadeCluster(dataDir)
  server = await startEmbeddedPostgres({ dataDir })
  const before = oneConnection(server.url)
  await before`alter system set max_prepared_transactions = 10`
  await before.end()
  // The setting needs a new start.
  await server.stop()
  server = await startEmbeddedPostgres({ dataDir })
  await migrateDatabase(server.url)
  sql = oneConnection(server.url)
}, 60_000)
afterAll(async () => {
  await sql.end({ timeout: 1 })
  await server.stop()
  removeDataDir(dataDir)
})

const names = async () =>
  (await sql`select data ->> 'name' as name from feed_events order by cursor`).map(
    row => row.name as string,
  )

async function prepare(name: string) {
  const writer = oneConnection(server.url)
  await writer`begin`
  await writer`insert into leads (name) values (${name})`
  await writer.unsafe(`prepare transaction '${name}'`)
  await writer.end()
}

test('a sequencer that wants to be woken is refused, and one finds the flag unset', async () => {
  const sequencing = openTestSequencing(sql)
  expect((await sequencing.look(true)).sleeps).toBe(false)
  await sql`select setval('feed_sleep', 1)`
  expect((await sequencing.look(true)).sleeps).toBe(false)
  const [flag] = await sql`select last_value::integer as asleep from feed_sleep`
  expect(flag?.asleep).toBe(0)
})

test('a prepared transaction that stays open delays no other, and gets its cursor when it is committed', async () => {
  const worker = await startWorker(testConfig(), server.url, quietLog())
  await prepare('prepared')
  await sql`insert into leads (name) values ('next to it')`
  await until(async () => (await names()).includes('next to it'))
  await sql`commit prepared 'prepared'`
  await until(async () => (await names()).includes('prepared'))
  expect(await names()).toEqual(['next to it', 'prepared'])
  await worker.stop()
})
