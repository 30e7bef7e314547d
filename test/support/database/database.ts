// A database of its own for a test file, cloned from the migrated template and dropped at the end.
import { afterAll, beforeAll } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { connect, type Sql } from '../../../src/db/connect.ts'
import { administer, templateName, withDatabaseName } from './server.ts'

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

/** A connection of its own: for a transaction that stays open between statements. */
export const oneConnection = (url: string): Sql =>
  connect({ url, connectionsMax: 1, applicationName: 'test', statementTimeoutMs: 60_000 })

/** Call at the top of a file; the fields are filled before its first test. `template0` gives an empty one. */
export function useDatabase(template = async () => templateName): TestDatabase {
  const database = {} as TestDatabase
  beforeAll(async () => {
    database.name = await createDatabase(await template())
    database.url = databaseUrl(database.name)
    database.sql = connect({
      url: database.url,
      connectionsMax: 4,
      applicationName: 'test',
      statementTimeoutMs: 60_000,
    })
  }, 60_000)
  afterAll(async () => {
    await database.sql.end({ timeout: 1 })
    await dropDatabase(database.name)
  })
  return database
}
