// Functions: one definition each, applied wherever its text has changed, once, by the newest program.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Sql } from '../../src/db/connect.ts'
import { MigrationError, migrate, type Schema } from '../../src/db/migrate.ts'
import { functionTexts } from '../../src/db/schema.generated.ts'
import { migrations, readFunctions } from '../../src/db/schema_files.ts'
import { useDatabase } from '../support/database/database.ts'
import { useEmptyDatabases } from '../support/database/empty_databases.ts'
import { dumpSchema } from '../support/repo/schema_dump.ts'
import { schemaManifest, schemaManifestPath } from '../support/repo/schema_manifest.ts'

const latest = useDatabase()
const openEmpty = useEmptyDatabases()

test('the manifest has every file of migrations and functions; bun run queries writes it anew', () => {
  expect(readFileSync(schemaManifestPath, 'utf8')).toBe(schemaManifest())
})

const definition = /^(?: +')?create (?:or replace )?(?:function|procedure) (\w+)/gim
const definedIn = (text: string) => [...text.matchAll(definition)].map(([, name]) => name ?? '')

test('every function of the database is defined in one file', async () => {
  const defined = Object.values(functionTexts).flatMap(text => [...new Set(definedIn(text))])
  expect(defined.length).toBeGreaterThan(100)
  expect(defined.filter((name, index) => defined.indexOf(name) !== index)).toEqual([])
  const rows = await latest.sql`
    select distinct proname from pg_proc
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`
  expect(rows.map(row => row.proname).sort()).toEqual(defined.sort())
})

test('no function that runs with the rights of the owner may be called by everyone', async () => {
  const rows = await latest.sql`
    select pg_proc.oid::regprocedure::text as open
    from pg_proc
    cross join aclexplode(coalesce(proacl, acldefault('f', proowner))) as granted
    where pronamespace = 'public'::regnamespace and prosecdef and granted.grantee = 0`
  expect(rows.map(({ open }) => open)).toEqual([])
})

test('no migration defines a function', () => {
  const found = migrations.flatMap(({ name, text }) => definedIn(text).map(each => [name, each]))
  expect(found).toEqual([])
})

test('a file of functions can be applied again: it replaces, and says what it is about', () => {
  const wrong = Object.entries(functionTexts).filter(
    ([, text]) => !/^-- [A-Z]/.test(text) || /^create function/m.test(text),
  )
  expect(wrong.map(([path]) => path)).toEqual([])
})

test('the heads say all that the order depends on', async () => {
  const [sql] = await openEmpty()
  const backwards = Object.fromEntries(Object.entries(functionTexts).reverse())
  await migrate(sql, { functions: readFunctions(backwards) })
  expect(await dumpSchema(sql)).toBe(await dumpSchema(latest.sql))
})

test('all files again change nothing', async () => {
  const [sql] = await openEmpty()
  await migrate(sql)
  const before = await dumpSchema(sql)
  await sql`delete from schema_functions`
  expect((await migrate(sql)).length).toBe(Object.keys(functionTexts).length)
  expect(await dumpSchema(sql)).toBe(before)
})

/** The files with one passage of one of them changed. */
const withChange = (path: keyof typeof functionTexts, passage: string, replacement: string) => {
  expect(functionTexts[path]).toContain(passage)
  const text = functionTexts[path].replace(passage, replacement)
  return { functions: readFunctions({ ...functionTexts, [path]: text }) }
}

test('changed functions that wait for another session without end say so', async () => {
  const [sql, merger] = await openEmpty(2)
  await migrate(sql)
  await sql`set lock_timeout = '200ms'`
  await merger?.begin(async transaction => {
    await transaction`lock table redaction_progress`
    const change = withChange('income/words', '-- The words', '-- Words')
    await expect(migrate(sql, change)).rejects.toThrow(
      'functions/income/rows.sql: another session holds what it needs in a transaction that does not end',
    )
  })
})

test('a changed rule of income lets an interrupted redaction begin anew; another change does not', async () => {
  const [sql] = await openEmpty()
  await migrate(sql)
  await sql`insert into redaction_progress (table_name, after_key, seen, changed) values ('leads', 'x', 1, 1)`
  const left = async () => (await sql`select table_name from redaction_progress`).length
  await migrate(sql, withChange('feed/counts', '-- Counting', '-- Counts'))
  expect(await left()).toBe(1)
  await migrate(sql, withChange('income/words', '-- The words', '-- Words'))
  expect(await left()).toBe(0)
})

const answering = (name: string, answer: string, needs = '') =>
  `-- Answers.${needs}\n\ncreate or replace function ${name}() returns integer language sql return ${answer};\n`

const migration = (number: number, text: string) => ({
  number,
  name: `migration ${number}`,
  text,
  sha256: `${number}`,
})

/** A schema of one table and two functions, of which the second needs the first. */
const small = (answer = '1', given: Partial<Schema> = {}): Partial<Schema> => ({
  migrations: [migration(1, 'create table t (n integer);')],
  functions: readFunctions({
    one: answering('one', answer),
    two: answering('two', 'one() + 1', '\n--\n-- @needs one'),
  }),
  version: '1.2.3',
  ...given,
})

const two = async (sql: Sql) => (await sql`select two() as two`)[0]?.two

test('a changed function is applied, with those that need it, and the others are not', async () => {
  const [sql] = await openEmpty()
  expect(await migrate(sql, small())).toEqual(['migration 1', 'functions/one', 'functions/two'])
  expect(await migrate(sql, small())).toEqual([])
  expect(await migrate(sql, small('10'))).toEqual(['functions/one', 'functions/two'])
  expect(await two(sql)).toBe(11)
})

test('of 10 processes that start with a changed function one applies it', async () => {
  const pools = await openEmpty(10)
  await migrate(pools[0], small())
  const applied = await Promise.all(pools.map(sql => migrate(sql, small('10'))))
  expect(applied.flat()).toEqual(['functions/one', 'functions/two'])
})

test('what a migration drops with a function comes back', async () => {
  const [sql] = await openEmpty()
  await migrate(sql, small())
  const dropping = migration(2, 'drop function one cascade;')
  const migrated = await migrate(
    sql,
    small('1', { migrations: [...(small().migrations ?? []), dropping] }),
  )
  expect(migrated).toEqual(['migration 2', 'functions/one', 'functions/two'])
  expect(await two(sql)).toBe(2)
})

test('a migration finds the functions it needs', async () => {
  const [sql] = await openEmpty()
  const needing = migration(1, '-- Why.\n--\n-- @needs two\n\ncreate table t as select two() as n;')
  await migrate(sql, small('1', { migrations: [needing] }))
  expect((await sql`select n from t`)[0]?.n).toBe(2)
})

test('a file that fails is named and leaves nothing behind; the next start carries on', async () => {
  const [sql] = await openEmpty()
  await migrate(sql, small())
  const broken = small('10', {
    functions: readFunctions({ one: answering('one', '10'), two: answering('two', 'three()') }),
  })
  await expect(migrate(sql, broken)).rejects.toThrow(
    /^functions\/two\.sql: function three\(\) does not exist/,
  )
  expect(await two(sql)).toBe(2)
  expect(await migrate(sql, small('10'))).toEqual(['functions/one', 'functions/two'])
})

test.each(['1.2.2', '1.1.9', '0.10.0', '1.2.2-rc.1'])(
  'a program of version %s does not bring its functions back',
  async version => {
    const [sql] = await openEmpty()
    await migrate(sql, small('2'))
    const refused = migrate(sql, small('1', { version }))
    await expect(refused).rejects.toThrow(MigrationError)
    await expect(refused).rejects.toThrow(
      `The functions of the database are those of version 1.2.3, newer than this program (${version}); start the newer version.`,
    )
    expect(await two(sql)).toBe(3)
    // With the same functions it works on.
    expect(await migrate(sql, small('2', { version }))).toEqual([])
  },
)

test('a newer program, and one of the same version, bring theirs', async () => {
  const [sql] = await openEmpty()
  await migrate(sql, small('1'))
  expect(await migrate(sql, small('2'))).toHaveLength(2)
  expect(await migrate(sql, small('3', { version: '1.10.0' }))).toHaveLength(2)
  expect(await two(sql)).toBe(4)
})

test('a function that a writer calls sets what its text relies on', async () => {
  const [sql] = await openEmpty()
  await migrate(sql)
  // A body that is kept as parsed does not read its literals again.
  const rows = await sql`
    select proname from pg_proc
    where pronamespace = 'public'::regnamespace and prosqlbody is null and position(chr(92) in prosrc) > 0
      and not coalesce('standard_conforming_strings=on' = any (proconfig), false)`
  expect(rows.map(row => row.proname)).toEqual([])
})
