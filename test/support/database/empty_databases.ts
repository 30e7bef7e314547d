// Databases without a schema, for tests that migrate; dropped after each test.
import { afterEach } from 'bun:test'
import { connect, type Sql } from '../../../src/db/connect.ts'
import { createDatabase, databaseUrl, dropDatabase } from './database.ts'

/** Call at the top of a file; what it returns makes a database and opens connections to it. */
export function useEmptyDatabases() {
  const leave: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const step of leave.splice(0)) await step()
  })
  return async (connections = 1): Promise<[Sql, ...Sql[]]> => {
    const name = await createDatabase('template0')
    const open = () =>
      connect({
        url: databaseUrl(name),
        connectionsMax: 1,
        applicationName: 'test',
        statementTimeoutMs: 20_000,
      })
    const pools: [Sql, ...Sql[]] = [open(), ...Array.from({ length: connections - 1 }, open)]
    leave.push(async () => {
      await Promise.all(pools.map(pool => pool.end({ timeout: 1 })))
      await dropDatabase(name)
    })
    return pools
  }
}
