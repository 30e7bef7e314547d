// A server with two-phase commit, which other servers of the tests have not: there the sequencer polls.
import { afterAll, beforeAll } from 'bun:test'
import { migrateDatabase } from '../../src/api/start.ts'
import { startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { oneConnection, type TestDatabase } from '../support/database/database.ts'
import { administer } from '../support/database/server.ts'

/** Call at the top of a file; the fields are filled before its first test. */
export function useTwoPhaseDatabase(): TestDatabase {
  const database = {} as TestDatabase
  const dataDir = makeDataDir('two-phase')
  let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>
  beforeAll(async () => {
    const first = await startEmbeddedPostgres({ dataDir })
    const sql = administer(first.url)
    await sql.unsafe('alter system set max_prepared_transactions = 10')
    await sql.end()
    // The setting needs a new start.
    await first.stop()
    server = await startEmbeddedPostgres({ dataDir })
    await migrateDatabase(server.url)
    database.url = server.url
    database.name = new URL(server.url).pathname.slice(1)
    database.sql = oneConnection(server.url)
  }, 60_000)
  afterAll(async () => {
    await database.sql.end({ timeout: 1 })
    await server.stop()
    removeDataDir(dataDir)
  })
  return database
}
