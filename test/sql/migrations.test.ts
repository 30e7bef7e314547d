// Migrations and functions: from every starting point to the latest schema, once, by the newest program; refused in one
// sentence where that would be wrong.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { schemaManifest, schemaManifestPath } from '../../scripts/write_queries.ts'
import { dumpSchema } from '../../scripts/write_schema.ts'
import type { Sql } from '../../src/db/connect.ts'
import { migrate, type Schema } from '../../src/db/migrate.ts'
import { functionTexts } from '../../src/db/schema.generated.ts'
import { migrations, readFunctions } from '../../src/db/schema_files.ts'
import { useDatabase, useEmptyDatabases } from '../support/database/database.ts'

const latest = useDatabase()
const openEmpty = useEmptyDatabases()

const definition = /^(?: +')?create (?:or replace )?(?:function|procedure) (\w+)/gim
const definedIn = (text: string) => [...text.matchAll(definition)].map(([, name]) => name ?? '')

test('the manifest has every file, migrations are numbered upwards and define no function, each has its reason', () => {
  expect(readFileSync(schemaManifestPath, 'utf8')).toBe(schemaManifest())
  const numbers = migrations.map(({ number }) => number)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
  const wrong = migrations.filter(
    ({ name, text }) =>
      !/^\d{4}(_[a-z]+)+$/.test(name) || !/^-- [A-Z]/.test(text) || definedIn(text).length > 0,
  )
  expect(wrong.map(({ name }) => name)).toEqual([])
})

test('every function of the database is defined in one file, which replaces it and has a comment on what it is for', async () => {
  const texts = Object.values(functionTexts)
  const defined = texts.flatMap(text => [...new Set(definedIn(text))])
  const rows = await latest.sql`
    select distinct proname from pg_proc
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`
  expect(defined.sort()).toEqual(rows.map(row => row.proname).sort())
  expect(texts.filter(text => !/^-- [A-Z]/.test(text) || /^create function/m.test(text))).toEqual(
    [],
  )
})

test('a function that a writer calls sets what its text relies on', async () => {
  // A body that is kept as parsed does not read its literals again.
  const rows = await latest.sql`
    select proname from pg_proc
    where pronamespace = 'public'::regnamespace and prosqlbody is null and position(chr(92) in prosrc) > 0
      and not coalesce('standard_conforming_strings=on' = any (proconfig), false)`
  expect(rows.map(row => row.proname)).toEqual([])
})

test('of 20 migrators on an empty database each finishes, and all is applied once, in whatever order files are read', async () => {
  const pools = await openEmpty(20)
  const backwards = Object.fromEntries(Object.entries(functionTexts).reverse())
  const schema = { functions: readFunctions(backwards) }
  const applied = await Promise.all(pools.map(sql => migrate(sql, schema)))
  expect(applied.flat().sort()).toEqual(
    [
      ...migrations.map(({ name }) => name),
      ...Object.keys(functionTexts).map(path => `functions/${path}`),
    ].sort(),
  )
  const before = await dumpSchema(pools[0])
  expect(before).toBe(await dumpSchema(latest.sql))
  expect(await migrate(pools[0])).toEqual([])
  // All files again change nothing.
  await pools[0]`delete from schema_functions`
  expect((await migrate(pools[0])).length).toBe(Object.keys(functionTexts).length)
  expect(await dumpSchema(pools[0])).toBe(before)
})

test('a role that may create nothing starts on a migrated database', async () => {
  const role = `reader_${Math.random().toString(36).slice(2)}`
  const { sql } = latest
  const tables = 'select on schema_migrations, schema_functions'
  await sql.unsafe(`create role ${role}; grant ${tables} to ${role}`)
  const applied = await sql.begin(async transaction => {
    await transaction.unsafe(`set local role ${role}`)
    return await migrate(transaction as unknown as Sql)
  })
  await sql.unsafe(`revoke ${tables} from ${role}; drop role ${role}`)
  expect(applied).toEqual([])
})

const answering = (name: string, answer: string, needs = '') =>
  `-- Answers.\n--\n-- @needs ${needs}\n\ncreate or replace function ${name}() returns integer language sql return ${answer};\n`.replace(
    '-- @needs \n',
    '',
  )
const migration = (number: number, text: string, sha256 = `${number}`) => ({
  ...{ number, name: `000${number}_small`, text, sha256 },
})
const table = migration(1, 'create table t (n integer);')

/** A schema of one table and two functions, of which the second needs the first. */
const small = (answer = '1', given: Partial<Schema> = {}): Partial<Schema> => ({
  migrations: [table],
  functions: readFunctions({
    two: answering('two', 'one() + 1', 'one'),
    one: answering('one', answer),
    three: answering('three', '3'),
  }),
  version: '1.2.3',
  ...given,
})
const both = ['functions/one', 'functions/two']
const twoOf = async (sql: Sql) => (await sql`select two() as two`)[0]?.two

test('a changed function is applied, with those that need it, by one of 10 processes', async () => {
  const pools = await openEmpty(10)
  expect(await migrate(pools[0], small())).toEqual(['0001_small', ...both, 'functions/three'])
  expect(await migrate(pools[0], small())).toEqual([])
  const applied = await Promise.all(pools.map(sql => migrate(sql, small('10'))))
  expect(applied.flat()).toEqual(both)
  expect(await twoOf(pools[0])).toBe(11)
})

test('what a migration drops with a function comes back, and one finds the functions it needs', async () => {
  const [sql] = await openEmpty()
  await migrate(sql, small())
  const dropping = migration(2, 'drop function one cascade;')
  // It waits for no lock without end.
  const wait = "current_setting('lock_timeout')"
  const text = `-- Why.\n--\n-- @needs two\n\ncreate table u as select two() as n, ${wait} as wait;`
  const given = { migrations: [table, dropping, migration(3, text)] }
  await migrate(sql, small('4', given))
  const [row] = await sql`select n, wait from u`
  expect([await twoOf(sql), row?.n, row?.wait]).toEqual([5, 5, '10s'])
})

const halt = "set local lock_timeout = '100ms'; lock table t;"
const held =
  /: another session holds what it needs in a transaction that does not end.*; end that session .+ and start again\.?$/
const newer =
  /^The functions of the database are those of version 1\.2\.3, newer than this program \(.+\); start the newer version\.$/
const otherText = /^Migration 0001_small was applied with another text .+ an empty one\.$/

// After a small schema, while another session holds its table.
const refused: [what: string, given: Partial<Schema>, words: RegExp][] = [
  ['a changed migration', small('1', { migrations: [{ ...table, sha256: 'other' }] }), otherText],
  [
    'a program that knows no such migration',
    small('1', { migrations: [] }),
    /^The database is at schema 1 \(0001_small\), newer .+\.$/,
  ],
  [
    'a migration that fails',
    small('1', {
      migrations: [table, migration(2, 'create table half (n integer); select 1 / 0;')],
    }),
    /division by zero/,
  ],
  [
    'a migration that waits without end',
    small('1', { migrations: [table, migration(2, halt)] }),
    held,
  ],
  [
    'functions that wait without end',
    small('1', { functions: readFunctions({ one: `-- Waits.\n\n${halt}` }) }),
    held,
  ],
  [
    'a function that fails',
    small('1', {
      functions: readFunctions({ one: answering('one', '10'), two: answering('two', 'four()') }),
    }),
    /^functions\/two\.sql failed and was rolled back \(function four\(\) does not exist\)/,
  ],
  ...['1.2.2', '1.1.9', '0.10.0', '1.2.2-rc.1'].map(
    (version): [string, Partial<Schema>, RegExp] => [
      `a program of version ${version}`,
      small('2', { version }),
      newer,
    ],
  ),
]

test.each(refused)(
  '%s is refused in one sentence and leaves nothing behind; the next start carries on',
  async (_, given, words) => {
    const [sql, holder] = await openEmpty(2)
    await migrate(sql, small())
    const before = await dumpSchema(sql)
    await holder?.begin(async transaction => {
      await transaction`select from t`
      await expect(migrate(sql, given)).rejects.toThrow(words)
    })
    expect(await dumpSchema(sql)).toBe(before)
    expect(await migrate(sql, small('1', { version: given.version ?? '1.2.3' }))).toEqual([])
    expect(await migrate(sql, small('2', { version: '1.10.0' }))).toEqual(both)
  },
)

test('a need that is no file, and files that need each other, are named', () => {
  const read = (one: string, two: string) =>
    readFunctions({ one: answering('one', '1', one), two: answering('two', '1', two) })
  expect(() => read('', 'three')).toThrow('two.sql needs three, which is no file')
  expect(() => read('two', 'one')).toThrow('these need each other: one, two, one')
})
