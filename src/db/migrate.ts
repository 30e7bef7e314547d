// Applies migrations, each in a transaction of its own. Any number of processes may start at once: each
// notes the migration first, so the second waits for the first and then finds it done.
import schemaMigrations from '../../sql/migrations/0000_schema_migrations.sql' with { type: 'text' }
import { errorCodeOf } from '../error_code.ts'
import type { Sql } from './connect.ts'
import { openDatabase } from './database.ts'
import { isLostConnection } from './lost.ts'
import { type Migration, migrations } from './migrations.ts'
import { queries } from './queries.ts'
import { inTransaction } from './transaction.ts'

export class MigrationError extends Error {}

type Applied = { number: number; name: string; sha256: string }

function checkApplied(applied: Applied[], known: Migration[]) {
  for (const row of applied) {
    const migration = known.find(({ number }) => number === row.number)
    if (!migration)
      throw new MigrationError(
        `The database is at schema ${row.number} (${row.name}), newer than this program knows; start the newer version.`,
      )
    if (migration.sha256 !== row.sha256)
      throw new MigrationError(
        `Migration ${row.name} was applied with another text than this program carries; an applied migration must not change.`,
      )
  }
}

const undefinedTable = '42P01'

/** `create table if not exists` is not atomic: of two at once, one may fail because the other made it. */
async function createMigrationsTable(sql: Sql) {
  const madeByAnother = ['23505', '42710', '42P07', 'XX000']
  await sql.unsafe(schemaMigrations).catch((error: { code?: string }) => {
    if (!madeByAnother.includes(error.code ?? '')) throw error
  })
}

/** Reads first: a role that may not create anything can still start on a migrated database. */
async function listApplied(sql: Sql): Promise<Applied[]> {
  const list = () => openDatabase(sql, queries).list('listSchemaMigrations', {})
  return await list().catch(async (error: { code?: string }) => {
    if (error.code !== undefinedTable) throw error
    await createMigrationsTable(sql)
    return await list()
  })
}

async function applyOne(sql: Sql, { number, name, sha256, text }: Migration) {
  const noted = await openDatabase(sql, queries).rows('insertSchemaMigration', {
    number,
    name,
    sha256,
  })
  if (noted.length > 0) await sql.unsafe(text)
  return noted.length > 0
}

const insufficientPrivilege = '42501'

/** A role of least privilege starts on a migrated database, and leaves migrating to the owner. */
function explainRefusal(error: { code?: string; message?: string }): never {
  if (error.code !== insufficientPrivilege) throw error
  throw new MigrationError(
    `The database is not at this program's schema, and this role may not bring it there (${error.message}): run the commands migrate and roles as the owner.`,
  )
}

/** With its code: a start tries again. */
const explainLoss =
  ({ name }: Migration) =>
  (error: Error): never => {
    if (!isLostConnection(error)) throw error
    const sentence = `The connection to the database was lost during migration ${name} (${error.message}); it is tried again at the next start.`
    throw Object.assign(new MigrationError(sentence), { code: errorCodeOf(error) })
  }

/**
 * Brings the database to this program's schema and returns the names of the migrations applied now.
 * Throws MigrationError for a newer schema, a changed migration, or a role that may not migrate.
 */
export const migrate = (sql: Sql, known: Migration[] = migrations): Promise<string[]> =>
  applyMissing(sql, known).catch(explainRefusal)

async function applyMissing(sql: Sql, known: Migration[]): Promise<string[]> {
  const applied = await listApplied(sql)
  checkApplied(applied, known)
  const done: string[] = []
  for (const migration of known) {
    if (applied.some(({ number }) => number === migration.number)) continue
    const won = await inTransaction(sql, inside => applyOne(inside, migration)).catch(
      explainLoss(migration),
    )
    if (won) done.push(migration.name)
  }
  return done
}
