// Rows in, rows out: readiness and the migrations' own table.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { migrations, schemaVersion } from '../../src/db/schema_files.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const inside = (work: (sql: Sql) => Promise<void>) => () => rolledBack(database.sql, work)

test(
  'readiness is the highest migration applied, null where there is none',
  inside(async sql => {
    expect(await rowsOf(sql, 'getReadiness', {})).toEqual([
      { schema_version: schemaVersion, takes_writes: true },
    ])
    await sql`delete from schema_migrations`
    expect(await rowsOf(sql, 'getReadiness', {})).toEqual([
      { schema_version: null, takes_writes: true },
    ])
  }),
)

test('applied migrations are listed by number', async () => {
  const expected = migrations.map(({ number, name, sha256 }) => ({ number, name, sha256 }))
  expect(await rowsOf(database.sql, 'listSchemaMigrations', {})).toEqual(expected)
})

test(
  'a migration is noted once; the second time gives no row and changes nothing',
  inside(async sql => {
    const note = (sha256: string) =>
      openDatabase(sql, queries).rows('insertSchemaMigration', { number: 9000, name: 'x', sha256 })
    expect(await note('first')).toMatchObject([{ number: 9000 }])
    expect(await note('second')).toHaveLength(0)
    const listed = await rowsOf(sql, 'listSchemaMigrations', {})
    expect(listed.at(-1)).toEqual({ number: 9000, name: 'x', sha256: 'first' })
  }),
)

test(
  'from its note on, a migration waits 10 s for a lock at most',
  inside(async sql => {
    const args = { number: 9000, name: 'x', sha256: 'first' }
    await openDatabase(sql, queries).rows('insertSchemaMigration', args)
    const [row] = await sql`show lock_timeout`
    expect(row?.lock_timeout).toBe('10s')
  }),
)

test('a database is told from every other, with its schema', async () => {
  expect(await rowsOf(database.sql, 'getReplicaState', {})).toEqual([
    {
      schema_version: schemaVersion,
      database: expect.stringMatching(/^\d{10,}\/\d+$/),
      standby: false,
    },
  ])
})
