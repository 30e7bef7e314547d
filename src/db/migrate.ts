// Brings a database to this program's schema: migrations once, each in a transaction of its own, then the functions that
// changed, in one. Any number of processes may start at once: each notes what it is about to apply, so the second waits
// for the first and then finds it done.
import schemaMigrations from '../../sql/migrations/0000_schema_migrations.sql' with { type: 'text' }
import { ConfigError } from '../lib/config_error.ts'
import { errorCodeOf, insufficientPrivilege, lockNotAvailable } from '../lib/error_code.ts'
import { version as programVersion } from '../version.ts'
import { inTransaction, type Sql } from './connect.ts'
import { openDatabase } from './database.ts'
import { queries } from './queries.ts'
import {
  type FunctionFile,
  type Migration,
  migrations,
  neededBy,
  readFunctions,
} from './schema_files.ts'
import { isWorthWaiting } from './start_failure.ts'

class MigrationError extends Error {}

type Applied = { number: number; name: string; sha256: string }
type AppliedFunction = { path: string; sha256: string; version: string }

export type Schema = {
  migrations: Migration[]
  functions: FunctionFile[]
  /** Of the program. */
  version: string
}

function checkApplied(applied: Applied[], known: Migration[]) {
  for (const row of applied) {
    const migration = known.find(({ number }) => number === row.number)
    if (!migration)
      throw new MigrationError(
        `The database is at schema ${row.number} (${row.name}), newer than this program knows; start the newer version.`,
      )
    if (migration.sha256 !== row.sha256)
      throw new MigrationError(
        `Migration ${row.name} was applied with another text than this program carries: start the program that made this database, or use an empty one.`,
      )
  }
}

const releaseOf = (version: string) => version.replace(/-.*/, '')

/** Whether the one version comes after the other. */
const isNewer = (one: string, other: string): boolean =>
  releaseOf(one).localeCompare(releaseOf(other), 'en', { numeric: true }) > 0

/** A process of an older version that starts once more must not bring its functions back. */
function checkFunctions(applied: AppliedFunction[], version: string) {
  const newer = applied.find(row => isNewer(row.version, version))
  if (newer)
    throw new MigrationError(
      `The functions of the database are those of version ${newer.version}, newer than this program (${version}); start the newer version.`,
    )
}

const undefinedTable = '42P01'

/** `create table if not exists` is not atomic: of two at once, one may fail because the other made it. */
async function createMigrationsTable(sql: Sql) {
  const madeByAnother = ['23505', '42710', '42P07', 'XX000']
  await sql.unsafe(schemaMigrations).catch((error: { code?: string }) => {
    if (!madeByAnother.includes(error.code ?? '')) throw error
  })
}

/** Before anything is made: texts of other alphabets, and a function's own, would fail somewhere in the middle. */
function requireUtf8({ parameters }: Sql) {
  // As the server says when a connection is made. Of a transaction postgres.js does not have it.
  const encoding = parameters?.server_encoding
  if (encoding !== undefined && encoding !== 'UTF8')
    throw new ConfigError(
      `DATABASE_URL: the database has the encoding ${encoding}, and the service needs UTF8; make another one as docs/operations/postgresql.md shows.`,
    )
}

/** Reads first: a role that may not create anything can still start on a migrated database. */
async function whenTablesExist<Row>(sql: Sql, list: () => Promise<Row[]>): Promise<Row[]> {
  return await list().catch(async (error: { code?: string }) => {
    if (error.code !== undefinedTable) throw error
    requireUtf8(sql)
    await createMigrationsTable(sql)
    return await list()
  })
}

async function applyOne(sql: Sql, migration: Migration, functions: FunctionFile[]) {
  const { number, name, sha256, text } = migration
  const database = openDatabase(sql, queries)
  const noted = await database.rows('insertSchemaMigration', { number, name, sha256 })
  if (noted.length === 0) return false
  await database.rows('deleteSchemaFunctions', {})
  for (const file of neededBy(text, functions)) await sql.unsafe(file.text)
  await sql.unsafe(text)
  return true
}

// 42P06, 42P07, 42701, 42710 and 42723: a schema, a table, a column, another object or a function exists.
const alreadyThere = /^42(P06|P07|701|710|723)$/

function remedyOf(code: string): string {
  if (code === lockNotAvailable)
    return 'another session holds what it needs in a transaction that does not end; end that session (sql/README.md shows how to find it) and start again'
  return alreadyThere.test(code)
    ? 'the database has to be empty, or one that this program made'
    : 'the next start goes on with it once that is mended'
}

/** What the server itself refuses stays: src/db/start_failure.ts explains it. */
const explainFailure =
  (what: string) =>
  (error: Error): never => {
    const code = errorCodeOf(error)
    if (code === '' || isWorthWaiting(error) || code === insufficientPrivilege) throw error
    throw new MigrationError(
      `${what} failed and was rolled back (${error.message}): ${remedyOf(code)}.`,
    )
  }

async function applyMigrations(sql: Sql, { migrations, functions }: Schema): Promise<string[]> {
  const applied = await whenTablesExist(sql, () =>
    openDatabase(sql, queries).rows('listSchemaMigrations', {}),
  )
  checkApplied(applied, migrations)
  if (applied.length < migrations.length) requireUtf8(sql)
  const done: string[] = []
  for (const migration of migrations) {
    if (applied.some(({ number }) => number === migration.number)) continue
    const won = await inTransaction(sql, inside => applyOne(inside, migration, functions)).catch(
      explainFailure(`Migration ${migration.name}`),
    )
    if (won) done.push(migration.name)
  }
  return done
}

/** Applies those whose turn it is. */
async function applyFiles(sql: Sql, { functions, version }: Schema): Promise<string[]> {
  const noted = await openDatabase(sql, queries).rows('recordSchemaFunctions', {
    paths: functions.map(({ path }) => path),
    sha256s: functions.map(({ sha256 }) => sha256),
    version,
  })
  const changed = functions.filter(({ path }) => noted.some(row => row.path === path))
  for (const { path, text } of changed)
    await sql.unsafe(text).catch(explainFailure(`functions/${path}.sql`))
  return changed.map(({ path }) => `functions/${path}`)
}

async function applyFunctions(sql: Sql, schema: Schema): Promise<string[]> {
  const applied = await whenTablesExist(sql, () =>
    openDatabase(sql, queries).rows('listSchemaFunctions', {}),
  )
  const isApplied = ({ path, sha256 }: FunctionFile) =>
    applied.some(row => row.path === path && row.sha256 === sha256)
  if (schema.functions.every(isApplied)) return []
  checkFunctions(applied, schema.version)
  return await inTransaction(sql, inside => applyFiles(inside, schema))
}

/**
 * Brings the database to this program's schema and returns the names of the migrations and the paths of the functions
 * applied now. Throws MigrationError for a newer schema, a changed migration, or a role that may not migrate.
 */
export async function migrate(sql: Sql, given: Partial<Schema> = {}): Promise<string[]> {
  const schema = { migrations, functions: readFunctions(), version: programVersion, ...given }
  return [...(await applyMigrations(sql, schema)), ...(await applyFunctions(sql, schema))]
}

/** Throws MigrationError where the database is not at this program's schema, ConfigError where the login is none of the service. Changes nothing. */
export async function requireSchema(sql: Sql): Promise<void> {
  const applied = await openDatabase(sql, queries)
    .rows('listSchemaMigrations', {})
    .catch(error => {
      if (errorCodeOf(error) === undefinedTable) return []
      throw error
    })
  checkApplied(applied, migrations)
  if (applied.length < migrations.length)
    throw new MigrationError(
      "The database is not at this program's schema: run the command migrate, or start the service, first.",
    )
}
