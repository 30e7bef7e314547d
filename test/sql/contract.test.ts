// What holds for every query file and function: form, size, head, name, and the types that the service sends and reads.
import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  type Column,
  describeRows,
  queryFilesOnDisk,
  queryManifest,
  queryManifestPath,
} from '../../scripts/write_queries.ts'
import { asJson, asRows, encodeParameter } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { oids, type ParameterType, type QueryFile } from '../../src/db/query_file.ts'
import { functionTexts } from '../../src/db/schema.generated.ts'
import { useDatabase } from '../support/database/database.ts'
import { useSingleConnection, withPrepared } from '../support/database/explaining.ts'
import { allFiles, filesOnDisk, serviceFiles, setupTexts } from './query_files.ts'

const database = useDatabase()
const single = useSingleConnection(database)

beforeAll(async () => {
  for (const text of setupTexts()) await single.sql.unsafe(text)
})

const reading = /^(get|list|count|search|resolve)_/
const verbs =
  /^(get|list|count|search|resolve|insert|update|delete|claim|record|pause|prune|sequence|prepare)_/
const headOf = (file: QueryFile) => file.text.slice(0, file.text.indexOf('\nprepare ') + 1)
const code = (file: QueryFile) =>
  file.statement.replaceAll(/--.*/g, '').replaceAll(/'[^']*'/g, "''")
// The rows of the demo are whole rows of their tables.
const careless =
  /select\s+(\w+\.)?\*(?! from jsonb_populate)|order by\s+\d|\b(SELECT|FROM|WHERE|ORDER|INSERT|UPDATE|DELETE)\b/
const nameOf = ({ name }: QueryFile) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())

const linesOf = (text: string) => text.split('\n').filter(line => !/^\s*(--.*)?$/.test(line)).length
const cte =
  /(?:\bwith(?: recursive)?|,)\s+\w+(?:\s*\([^()]*\))?\s+as\s+(?:(?:not )?materialized\s+)?\(/gi
const ctesOf = (text: string) => [...text.replace(/--.*/g, '').matchAll(cte)].length

const rules: [what: string, holds: (file: QueryFile) => boolean][] = [
  ['begins with a fixed verb', ({ name }) => verbs.test(name)],
  ['has a name of its own', file => allFiles.filter(({ name }) => name === file.name).length === 1],
  ['has a head of comments alone', file => /^(--( .*)?\n)+$/.test(headOf(file))],
  ['says in a sentence what it answers', file => /^-- [A-Z][\s\S]*\.\n/.test(headOf(file))],
  [
    'selects no *, orders by no place, writes no keyword in capitals',
    file => !careless.test(code(file)),
  ],
  [
    'is one statement of 45 lines and 4 CTEs',
    file =>
      !code(file).includes(';') && linesOf(file.statement) <= 45 && ctesOf(file.statement) <= 4,
  ],
]

test.each(rules)('every query file %s', (_, holds) => {
  expect(allFiles.filter(file => !holds(file)).map(({ path }) => path)).toEqual([])
})

test('no function has more than 60 lines or 4 CTEs, but for a table of words', () => {
  const functions = Object.values(functionTexts).flatMap(text => text.split(/^(?=create )/m))
  const long = functions.filter(text => linesOf(text) > 60 || ctesOf(text) > 4)
  const names = long.map(text => /function (\w+)/.exec(text)?.[1])
  expect(names.toSorted()).toEqual(['income_words'])
})

async function manifest(change: (text: string) => string): Promise<string> {
  const columns = new Map<string, Column[]>()
  const files = queryFilesOnDisk().map(file => ({ ...file, statement: change(file.statement) }))
  for (const file of files) columns.set(file.path, await describeRows(database.sql, file))
  return queryManifest(files, columns)
}

test('the manifest is that of the files and of the schema; bun run queries writes it anew', async () => {
  expect(allFiles.map(({ path }) => path).sort()).toEqual(filesOnDisk())
  expect(Object.keys(queries)).toEqual(serviceFiles.map(nameOf))
  const written = readFileSync(queryManifestPath, 'utf8')
  expect(await manifest(text => text)).toBe(written)
  const other = await manifest(text =>
    text.replace('listed.id, listed.kind', 'listed.id, 1 as kind'),
  )
  expect(other).not.toBe(written)
})

test('the service sends exactly the types a file prepares, and every form of it is understood', async () => {
  for (const file of allFiles) {
    const sent = file.parameters.map(({ type }) => oids[type])
    const values = sent.map(oid => single.sql.typed(null as never, oid)) as never[]
    const prepared = await withPrepared(single.sql, file, async () => {
      const rows = await single.sql`
        select array_to_string(parameter_types::oid[], ',') as oids
        from pg_prepared_statements where name = ${file.name}`
      return rows[0]?.oids
    })
    const { types } = await single.sql.unsafe(file.statement, values).describe()
    expect([file.path, prepared, `${types}`]).toEqual([file.path, `${sent}`, `${sent}`])
    for (const form of reading.test(file.name) ? [asJson, asRows] : [asRows]) {
      expect(form(file)).toStartWith(`/* ${file.path} */ `)
      await single.sql.unsafe(form(file), values).describe()
    }
  }
})

const moment = new Date('2026-03-01T09:00:00.123+01:00')
const values: [type: ParameterType, value: unknown, read?: unknown][] = [
  ['text', 'O\'Neil "x" \\ {a,b}'],
  ['text', ''],
  ['text', null],
  ['boolean', false],
  ['integer', 0],
  ['bigint', Number.MAX_SAFE_INTEGER],
  ['timestamptz', moment, '2026-03-01T08:00:00.123+00:00'],
  ['jsonb', { a: ['ä"', null] }],
  ['jsonb', ['a']],
  ['text[]', []],
  [
    'text[]',
    ['', 'a,b', '{a}', 'say "hi"', 'a\\b', '\\"', ' a ', 'NULL', 'null', null, '😀', 'a\nb'],
  ],
  ['bigint[]', [1, Number.MAX_SAFE_INTEGER, null]],
  ['timestamptz[]', [moment, null], ['2026-03-01T08:00:00.123+00:00', null]],
]

test.each(values)('%s: %j arrives as it was sent', async (type, value, expected = value) => {
  const sent = single.sql.typed(encodeParameter(type, value as never) as never, oids[type])
  const rows = await single.sql.unsafe(
    'select to_jsonb($1)::text as value'.replace('$1', `$1::${type}`),
    [sent as never],
  )
  expect(JSON.parse(rows[0]?.value ?? 'null')).toEqual(expected)
})

test('each type has the OID that the server knows', async () => {
  for (const [type, oid] of Object.entries(oids)) {
    const [row] = await single.sql`select ${type}::regtype::oid::integer as oid`
    expect([type, oid]).toEqual([type, row?.oid])
  }
})
