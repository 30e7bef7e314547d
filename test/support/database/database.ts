// A database of its own for a test file or a test: a clone of the migrated template, or an empty one, dropped at the end.
import { afterAll, afterEach, beforeAll } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { connect, type Sql } from '../../../src/db/connect.ts'
import { loadDemo } from '../../../src/demo/load.ts'
import { administer, demoName, templateName, withDatabaseName } from './server.ts'

export type TestDatabase = { url: string; name: string; sql: Sql }

export const serverUrl = (): string => process.env.TEST_DATABASE_URL ?? ''

/** Files are copied: a fifth of the work of writing every page to the log, which is what the server does by itself. */
export async function createDatabase(template = templateName): Promise<string> {
  const name = `wda_test_${randomBytes(6).toString('hex')}`
  const sql = administer(serverUrl())
  try {
    await sql.unsafe(`create database ${name} template ${template} strategy file_copy`)
  } finally {
    await sql.end()
  }
  return name
}

export async function dropDatabase(name: string): Promise<void> {
  const sql = administer(serverUrl())
  try {
    await sql.unsafe(`drop database if exists ${name} with (force)`)
  } finally {
    await sql.end()
  }
}

export const databaseUrl = (name: string): string => withDatabaseName(serverUrl(), name)

export const openTestPool = (url: string, connectionsMax: number): Sql =>
  connect({ url, connectionsMax, applicationName: 'test', statementTimeoutMs: 60_000 })

/** A connection of its own: for a transaction that stays open between statements. */
export const oneConnection = (url: string): Sql => openTestPool(url, 1)

/** Call at the top of a file; the fields are filled before its first test. `template0` gives an empty one. */
export function useDatabase(template = async () => templateName): TestDatabase {
  const database = {} as TestDatabase
  beforeAll(async () => {
    database.name = await createDatabase(await template())
    database.url = databaseUrl(database.name)
    database.sql = openTestPool(database.url, 4)
  }, 60_000)
  afterAll(async () => {
    await database.sql.end({ timeout: 1 })
    await dropDatabase(database.name)
  })
  return database
}

const demoLeads = 500

async function makeDemo(): Promise<string> {
  const name = await createDatabase()
  const sql = oneConnection(databaseUrl(name))
  await loadDemo(sql, demoLeads, () => {})
  await sql.end()
  return name
}

/** The name of a template with demo data, made by the first test of a run that wants it: loading takes longer than a clone. */
export async function demoTemplate(): Promise<string> {
  const sql = administer(serverUrl())
  try {
    await sql`select pg_advisory_lock(hashtext(${demoName}))`
    const made = await sql`select from pg_database where datname = ${demoName}`
    if (made.length === 0)
      await sql.unsafe(`alter database ${await makeDemo()} rename to ${demoName}`)
  } finally {
    await sql.end()
  }
  return demoName
}

/** Call at the top of a file; what it returns makes an empty database for one test, and opens connections to it. */
export function useEmptyDatabases() {
  const leave: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const step of leave.splice(0)) await step()
  })
  return async (connections = 1): Promise<[Sql, ...Sql[]]> => {
    const name = await createDatabase('template0')
    const open = () => oneConnection(databaseUrl(name))
    const pools: [Sql, ...Sql[]] = [open(), ...Array.from({ length: connections - 1 }, open)]
    leave.push(async () => {
      await Promise.all(pools.map(pool => pool.end({ timeout: 1 })))
      await dropDatabase(name)
    })
    return pools
  }
}

/** Runs `work` while a session of its own has the table locked. */
export async function whileLocked<Value>(
  url: string,
  table: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const locker = oneConnection(url)
  try {
    await locker.unsafe(`begin; lock table ${table} in access exclusive mode`)
    return await work()
  } finally {
    await locker.unsafe('rollback')
    await locker.end()
  }
}

/** Statements of this database that wait for a lock. */
export async function countLockWaits(sql: Sql): Promise<number> {
  const [row] = await sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return row?.count
}

/** A transaction per test, always rolled back: the tests of a file share a database and see none of each other's rows. */
export async function rolledBack(sql: Sql, work: (sql: Sql) => Promise<void>): Promise<void> {
  const end = new Error('the test is over')
  try {
    await sql.begin(async transaction => {
      await work(transaction as unknown as Sql)
      throw end
    })
  } catch (error) {
    if (error !== end) throw error
  }
}
