// Migrations: from every starting point to the latest schema, and refused where that would be wrong.
import { expect, test } from 'bun:test'
import { dumpSchema } from '../../scripts/write_schema.ts'
import type { Sql } from '../../src/db/connect.ts'
import { MigrationError, migrate } from '../../src/db/migrate.ts'
import {
  type Migration,
  migrations,
  readFunctions,
  schemaVersion,
} from '../../src/db/schema_files.ts'
import { useDatabase, useEmptyDatabases } from '../support/database/database.ts'

const latest = useDatabase()
const openEmpty = useEmptyDatabases()

async function appliedNumbers(sql: Sql): Promise<number[]> {
  const rows = await sql`select number from schema_migrations order by number`
  return rows.map(row => row.number)
}

const allNumbers = migrations.map(({ number }) => number)
const allNames = [
  ...migrations.map(({ name }) => name),
  ...readFunctions().map(({ path }) => `functions/${path}`),
]
const broken: Migration = {
  number: schemaVersion + 1,
  name: 'half',
  text: 'create table half (id integer); insert into half values (1); select 1 / 0;',
  sha256: 'half',
}

test('migrations are numbered upwards, and no number is used twice', () => {
  expect(allNumbers).toEqual([...new Set(allNumbers)].toSorted((one, other) => one - other))
})

test('every migration is named by four digits and a noun, and says why', () => {
  const wrong = migrations.filter(
    ({ name, text }) => !/^\d{4}(_[a-z]+)+$/.test(name) || !/^-- [A-Z]/.test(text),
  )
  expect(wrong.map(({ name }) => name)).toEqual([])
})

test('an empty database becomes the latest schema', async () => {
  const sql = (await openEmpty())[0]
  expect(await migrate(sql)).toEqual(allNames)
  expect(await appliedNumbers(sql)).toEqual(allNumbers)
  expect(await dumpSchema(sql)).toBe(await dumpSchema(latest.sql))
})

test('migrating twice is harmless', async () => {
  const sql = (await openEmpty())[0]
  await migrate(sql)
  const before = await dumpSchema(sql)
  expect(await migrate(sql)).toEqual([])
  expect(await dumpSchema(sql)).toBe(before)
})

test('of 20 migrators on an empty database each finishes and all is applied once', async () => {
  const pools = await openEmpty(20)
  const applied = await Promise.all(pools.map(sql => migrate(sql)))
  expect(applied.flat().sort()).toEqual(allNames.toSorted())
  expect(await appliedNumbers(pools[0])).toEqual(allNumbers)
})

test('a changed migration stops with one sentence', async () => {
  const sql = (await openEmpty())[0]
  await migrate(sql)
  const changed = migrations.map(each =>
    each.number === 2 ? { ...each, sha256: 'another' } : each,
  )
  const refused = migrate(sql, { migrations: changed })
  await expect(refused).rejects.toThrow(MigrationError)
  await expect(refused).rejects.toThrow(
    /^Migration 0002_\w+ was applied with another text .+ an empty one\.$/,
  )
})

test('a database that another line of migrations made is refused with one sentence, and stays as it is', async () => {
  const sql = (await openEmpty())[0]
  const text = 'create table kept (id integer);'
  const other = [{ number: 1, name: '0001_people', text, sha256: 'other' }]
  await migrate(sql, { migrations: other, functions: [] })
  const before = await dumpSchema(sql)
  const refused = migrate(sql)
  await expect(refused).rejects.toThrow(MigrationError)
  await expect(refused).rejects.toThrow(
    /^Migration 0001_people was applied with another text .+\.$/,
  )
  expect(await dumpSchema(sql)).toBe(before)
})

test('a newer schema stops with one sentence, and nothing is applied', async () => {
  const sql = (await openEmpty())[0]
  await migrate(sql)
  const refused = migrate(sql, { migrations: migrations.slice(0, -1) })
  await expect(refused).rejects.toThrow(MigrationError)
  await expect(refused).rejects.toThrow(/^The database is at schema \d+ \(\w+\), newer .+\.$/)
})

test('a migration that fails in the middle leaves nothing behind, and the next start carries on', async () => {
  const sql = (await openEmpty())[0]
  await expect(migrate(sql, { migrations: [...migrations, broken] })).rejects.toThrow(
    'division by zero',
  )
  expect(await appliedNumbers(sql)).toEqual(allNumbers)
  const [row] = await sql`select to_regclass('half') as half`
  expect(row?.half).toBeNull()
  const mended = { ...broken, text: 'create table half (id integer);' }
  expect((await migrate(sql, { migrations: [...migrations, mended] }))[0]).toBe('half')
})

test('a migration that waits for a lock without end says what to do', async () => {
  const [sql, holder] = await openEmpty(2)
  await migrate(sql)
  const text = "set local lock_timeout = '100ms'; lock table leads;"
  await holder?.begin(async transaction => {
    await transaction`select from leads`
    await expect(
      migrate(sql, { migrations: [...migrations, { ...broken, text }] }),
    ).rejects.toThrow(
      /^Migration half failed .+: another session holds what it needs .+; end that session .+ and start again\.$/,
    )
  })
})

test('a role that may create nothing starts on a migrated database', async () => {
  const role = `reader_${Math.random().toString(36).slice(2)}`
  const { sql } = latest
  await sql.unsafe(
    `create role ${role}; grant select on schema_migrations, schema_functions to ${role}`,
  )
  try {
    const applied = await sql.begin(async transaction => {
      await transaction.unsafe(`set local role ${role}`)
      return await migrate(transaction as unknown as typeof sql)
    })
    expect(applied).toEqual([])
  } finally {
    await sql.unsafe(
      `revoke all on schema_migrations, schema_functions from ${role}; drop role ${role}`,
    )
  }
})
