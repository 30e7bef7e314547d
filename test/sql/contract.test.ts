// What holds for every query file: style, head, name, and the types the service sends.
import { beforeAll, expect, test } from 'bun:test'
import { asJson, asRows } from '../../src/db/database.ts'
import { oidOf, parameterTypes } from '../../src/db/parameter_types.ts'
import type { QueryFile } from '../../src/db/query_file.ts'
import { useDatabase } from '../support/database/database.ts'
import { useSingleConnection, withPrepared } from '../support/database/explaining.ts'
import {
  allFiles,
  filesOnDisk,
  otherManifests,
  serviceFiles,
  serviceQueries,
  setupTexts,
} from './query_files.ts'

const database = useDatabase()
const single = useSingleConnection(database)

beforeAll(async () => {})

beforeAll(async () => {
  for (const text of setupTexts()) await database.sql.unsafe(text)
})

const readingVerbs = ['get', 'list', 'count', 'search', 'resolve']
const writingVerbs = [
  'insert',
  'update',
  'delete',
  'claim',
  'record',
  'pause',
  'prune',
  'sequence',
  'prepare',
]

const headOf = (file: QueryFile) => file.text.slice(0, file.text.indexOf('\nprepare ') + 1)
const code = (file: QueryFile) =>
  file.statement.replaceAll(/--.*/g, '').replaceAll(/'[^']*'/g, "''")

/** The paths of the files for which something holds that must not. */
const offenders = (files: QueryFile[], wrong: (file: QueryFile) => boolean) =>
  files.filter(wrong).map(({ path }) => path)

test('the manifests name every file on disk, and no other', () => {
  expect(allFiles.map(({ path }) => path).sort()).toEqual(filesOnDisk())
})

test('a manifest next to the service’s names files of its own folder', () => {
  for (const [folder, { files, scripts }] of Object.entries(otherManifests))
    for (const path of [...files.map(file => file.path), ...scripts])
      expect(path).toStartWith(`${folder}/`)
})

test('a query is called in TypeScript as its file is', () => {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
  expect(serviceQueries.map(([name]): string => name)).toEqual(
    serviceFiles.map(file => camel(file.name)),
  )
})

test('no two files prepare the same name', () => {
  const names = allFiles.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('every name begins with one of the fixed verbs', () => {
  const verbs = [...readingVerbs, ...writingVerbs]
  expect(offenders(allFiles, ({ name }) => !verbs.includes(name.split('_')[0] ?? ''))).toEqual([])
})

test('every file opens with a sentence that says what it answers', () => {
  expect(offenders(allFiles, file => !/^-- [A-Z][^\n]+[.,:;]?\n/.test(file.text))).toEqual([])
  expect(offenders(allFiles, file => !/\.\n/.test(headOf(file)))).toEqual([])
})

test('a head holds nothing but comments', () => {
  expect(offenders(allFiles, file => !/^(--( .*)?\n)+$/.test(headOf(file)))).toEqual([])
})

test('no file selects *, orders by position or writes keywords in capitals', () => {
  const careless =
    /select\s+(\w+\.)?\*|order by\s+\d|\b(SELECT|FROM|WHERE|ORDER|INSERT|UPDATE|DELETE)\b/
  // The rows of the demo are whole rows of their tables.
  const isCareless = (file: QueryFile) =>
    careless.test(code(file).replace('select * from jsonb_populate', ''))
  expect(offenders(allFiles, isCareless)).toEqual([])
})

test('every file holds one statement', () => {
  expect(offenders(allFiles, file => code(file).includes(';'))).toEqual([])
})

test('every file runs verbatim and can be deallocated by its name', async () => {
  for (const file of allFiles) await withPrepared(single.sql, file, async () => {})
})

test('the service sends exactly the types a file prepares', async () => {
  for (const file of allFiles) {
    const prepared = await withPrepared(single.sql, file, async () => {
      const rows = await single.sql`
        select array_to_string(parameter_types::oid[], ',') as oids
        from pg_prepared_statements where name = ${file.name}`
      return rows[0]?.oids
    })
    const sent = file.parameters.map(({ type }) => oidOf(type))
    expect(`${file.path} ${prepared}`).toBe(`${file.path} ${sent.join(',')}`)
    const values = sent.map(oid => single.sql.typed(null as never, oid)) as never[]
    const described = await single.sql.unsafe(file.statement, values).describe()
    expect(`${file.path} ${described.types}`).toBe(`${file.path} ${sent.join(',')}`)
  }
})

test('every form in which the service sends a file is understood and begins with its path', async () => {
  for (const file of serviceFiles) {
    const reading = readingVerbs.includes(file.name.split('_')[0] ?? '')
    for (const form of reading ? [asJson, asRows] : [asRows]) {
      const sent = form(file)
      expect(sent.startsWith(`/* ${file.path} */ `)).toBe(true)
      const values = file.parameters.map(({ type }) => single.sql.typed(null as never, oidOf(type)))
      await single.sql.unsafe(sent, values as never[]).describe()
    }
  }
})

test('parameter_types.ts knows the OID of each type as this server does', async () => {
  for (const type of parameterTypes) {
    const [row] = await single.sql`select ${type}::regtype::oid::integer as oid`
    expect([type, oidOf(type)]).toEqual([type, row?.oid])
  }
})
