// One word for one thing: the contract's words name files and exports, and the words below name nothing.
import { expect, test } from 'bun:test'
import { filesIn, type Source, sources } from './sources.ts'

// Why not: each of these has a better word here, or says nothing.
const unused = {
  job: 'delivery',
  message: 'event',
  endpoint: 'subscription',
  consumer: 'subscriber or reader',
  handler: 'what it does',
  manager: 'what it does',
  service: 'what it does',
  util: 'what it does',
  utils: 'what it does',
  helper: 'what it does',
  helpers: 'what it does',
}

// The service is what the program as a whole is called.
const exceptions: Record<string, string> = {
  'sql/service/get_readiness.sql': "the service's own state, no resource of the contract",
  'sql/service/get_login_access.sql': "the service's own state",
  'sql/service/get_replica_state.sql': "the service's own state",
  'sql/service/insert_schema_migration.sql': "the service's own state",
  'sql/service/record_schema_functions.sql': "the service's own state",
  'sql/service/delete_schema_functions.sql': "the service's own state",
  'sql/service/list_schema_functions.sql': "the service's own state",
  'sql/service/list_schema_migrations.sql': "the service's own state",
  'test/sql/service.test.ts': 'tests sql/service',
  'test/support/http/service.ts': 'a running service for a test',
  Service: 'what answering a request needs of the running service',
  RestService: 'the same, with what REST alone needs',
  RunningService: 'the service, started',
  startService: 'starts the service',
  openServiceDatabase: 'the database of the service, in contrast to that of a command',
}

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)

const isUnused = (name: string) => wordsOf(name).some(word => Object.hasOwn(unused, word))

const declaration =
  /^export (?:declare )?(?:async )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm

/** Names that a file declares and exports; a schema and its type have one. */
const declarationsOf = ({ text }: Source): string[] => [
  ...new Set([...text.matchAll(declaration)].map(match => match[1] ?? '')),
]

/** Names a file exports, types included. */
export function exportsOf({ text }: Source): string[] {
  const declared = text.matchAll(declaration)
  const listed = text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)
  return [
    ...[...declared].map(match => match[1] ?? ''),
    ...[...listed].flatMap(match =>
      (match[1] ?? '').split(',').map(name => name.split(' as ').at(-1) ?? ''),
    ),
  ].map(name => name.trim())
}

const tests = filesIn('test')
const files = [...sources, ...tests, ...filesIn('sql', '.sql')]

test('no file or folder is named with a word that is not used', () => {
  const found = files.map(({ path }) => path).filter(isUnused)
  expect(found.filter(path => !(path in exceptions))).toEqual([])
})

test('nothing exported is named with a word that is not used', () => {
  const found = sources.flatMap(exportsOf).filter(isUnused)
  expect([...new Set(found)].filter(name => !(name in exceptions))).toEqual([])
})

// Names that stand for two things, and why they may.
const homonyms: Record<string, string> = {}

/** Names that more than one file declares and exports. */
const exportedTwice = (files: readonly Source[]): string[] => {
  const by = Map.groupBy(
    // The texts of the two languages have one shape. What is generated is declared in the template that writes it, too.
    files.filter(({ path }) => !/\/texts\/en|\.generated\.ts$/.test(path)).flatMap(declarationsOf),
    name => name,
  )
  return [...by].filter(([, found]) => found.length > 1).map(([name]) => name)
}

test('an exported name has one meaning, in src, tests, bench and scripts together', () => {
  const all = [...sources, ...tests, ...filesIn('bench'), ...filesIn('scripts')]
  expect(exportedTwice(all).toSorted()).toEqual(Object.keys(homonyms).toSorted())
})

test('the check itself finds a name that two files export, re-exports and what is generated left out', () => {
  const file = (path: string, text: string) => ({ path, text })
  const files = [
    file('a.ts', 'export type A = 1\nexport const b = 2'),
    file('b.ts', "export const A = 1\nexport type A = 2\nexport type { C } from './c.ts'"),
    file('c.ts', 'export type C = 3'),
    file('d.generated.ts', 'export const b = 4'),
  ]
  expect(exportedTwice(files)).toEqual(['A'])
})

test('every exception is still needed', () => {
  const names = new Set([...files.map(({ path }) => path), ...sources.flatMap(exportsOf)])
  expect(Object.keys(exceptions).filter(name => !names.has(name) || !isUnused(name))).toEqual([])
})

test('files are named in snake_case', () => {
  const form = /^[a-z0-9_./]+$/
  expect(files.map(({ path }) => path).filter(path => !form.test(path))).toEqual([])
})

test('constants and functions are camelCase, types PascalCase', () => {
  const values = [...sources].flatMap(({ text }) =>
    [...text.matchAll(/^export (?:async )?(?:const|function) (\w+)/gm)].map(
      match => match[1] ?? '',
    ),
  )
  const types = [...sources].flatMap(({ text }) =>
    [...text.matchAll(/^export (?:class|type|interface) (\w+)/gm)].map(match => match[1] ?? ''),
  )
  // A schema is both a value and the name of a shape of the contract.
  expect(values.filter(name => !/^[a-zA-Z][a-zA-Z0-9]*$/.test(name))).toEqual([])
  expect(types.filter(name => !/^[A-Z][a-zA-Z0-9]*$/.test(name))).toEqual([])
})

test('the check itself finds words inside names', () => {
  expect(['jobQueue', 'sql/jobs_x/job.sql', 'HttpHandler', 'util'].map(isUnused)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(['subscription', 'utility', 'jobless', 'messaging'].some(isUnused)).toBe(false)
  expect(exportsOf({ path: '', text: 'export const a = 1\nexport type { B, c as D }\n' })).toEqual([
    'a',
    'B',
    'D',
  ])
})
