// Who may import whom: each part knows only what lies below it. Imports of types alone cost nothing and are free.
import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { partOf, type Source, sources } from './sources.ts'

const http = 'api/http operations model errors observability @sinclair/typebox'
const openDashboard =
  'api/docs api/http api/mcp api/rest config dashboard db errors model observability'

// A part is a folder of src, or one below `api` and `observability`; with it the parts and packages that it may use.
const rules: Record<string, string> = {
  model: '@sinclair/typebox',
  errors: '',
  lib: '',
  version: '',
  embedded: '',
  runtime: '',
  observability: 'pino',
  // The number of attempts, of which the delays make one less.
  config: 'model croner @sinclair/typebox',
  // What creates signing secrets and what signs with them need the same keys.
  secrets: 'config db observability model',
  db: 'model postgres @sinclair/typebox',
  // Signs, sends to targets it does not trust, judges the outcome; knows no database.
  sending: 'model runtime undici-http',
  // A test event is sent by the process that was asked.
  operations: 'model errors sending @sinclair/typebox',
  'api/http': http,
  'api/rest': `${http} runtime`,
  'api/mcp': `${http} runtime @modelcontextprotocol/server`,
  // The registry as a document, and the page that shows it.
  'api/docs': 'api/http operations model errors @elysiajs/openapi swagger-ui-dist',
  dashboard: 'api/http operations model errors observability elysia hono idiomorph',
  feed: 'model db observability',
  delivery: 'model db observability runtime feed sending nodemailer',
  'observability/metrics': 'db errors model observability runtime prom-client',
  demo: 'model db',
  redaction: 'model db',
  // For the command listen: a client of the feed.
  listen: '',
  worker:
    'config db delivery model observability observability/metrics secrets sending feed croner',
  workers: 'config observability observability/metrics worker',
  api: `${openDashboard} observability/metrics operations runtime secrets elysia`,
  cli: `api api/docs config db demo embedded listen model observability observability/metrics
    operations redaction runtime secrets sending`,
  main: 'cli',
}

// Text and data that are built in, and the one place for each kind.
const readers: [kind: RegExp, allowed: RegExp][] = [
  [/^sql\/migrations\//, /^src\/db\/(schema\.generated|migrate)\.ts$/],
  [/^sql\/functions\//, /^src\/db\/schema\.generated\.ts$/],
  [/^sql\/demo\//, /^src\/demo\//],
  [/^sql\/roles\/(grant|prepare)_roles/, /^src\/db\/roles\.ts$/],
  [/^sql\//, /^src\/db\/queries\.generated\.ts$/],
  [/^package\.json$/, /^src\/version\.ts$/],
]

const transpiler = new Bun.Transpiler({ loader: 'ts' })
const resolved = (path: string, specifier: string) =>
  specifier.startsWith('.') ? join(dirname(path), specifier) : specifier

/** What a file imports at run time: paths from the root, or names of packages. */
const importsOf = ({ path, text }: Source): string[] =>
  transpiler.scanImports(text).map(({ path: specifier }) => resolved(path, specifier))

const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

function isAllowed({ path }: Source, imported: string): boolean {
  if (imported.startsWith('node:')) return true
  const part = partOf(path)
  const allowed = [part, 'lib', 'version', ...(rules[part] ?? '').split(/\s+/)]
  if (/^(src|workers)\//.test(imported)) return allowed.includes(partOf(imported))
  const reader = readers.find(([kind]) => kind.test(imported))
  return reader ? reader[1].test(path) : allowed.includes(packageOf(imported))
}

const refused = (files: readonly Source[]) =>
  files.flatMap(file =>
    importsOf(file)
      .filter(imported => !isAllowed(file, imported))
      .map(imported => `${file.path} imports ${imported}`),
  )

test('every part of the source has a rule, and imports only what it may', () => {
  const parts = new Set(sources.map(({ path }) => partOf(path)))
  expect([...parts].filter(part => !(part in rules))).toEqual([])
  expect(refused(sources)).toEqual([])
  const planted = [
    "import { x } from '../db/x.ts'; x()",
    "const x = await import('../db/x.ts'); x()",
    "import { Elysia } from 'elysia'; Elysia()",
    "import x from '../../sql/leads/get_lead.sql' with { type: 'text' }; x()",
  ].map(text => ({ path: 'src/api/rest/a.ts', text }))
  expect(refused(planted)).toHaveLength(planted.length)
})

/** One way round for each cycle, types included: two files that need one another can only be understood together. */
function cyclesOf(files: readonly Source[]): string[] {
  const form = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.[^']+)'/g
  const imports = new Map(
    files.map(({ path, text }) => [
      path,
      [...text.matchAll(form)].map(([, specifier = '']) => resolved(path, specifier)),
    ]),
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const follow = (path: string, way: string[]) => {
    const at = way.indexOf(path)
    if (at >= 0) cycles.push([...way.slice(at), path].join(' → '))
    if (at >= 0 || done.has(path)) return
    for (const next of imports.get(path) ?? []) follow(next, [...way, path])
    done.add(path)
  }
  for (const path of imports.keys()) follow(path, [])
  return cycles
}

test('no file imports itself, through however many others', () => {
  expect(cyclesOf(sources)).toEqual([])
})

// The embedded server gets an environment of its own, and of NO_PROXY fetch is the reader.
test.each([
  [
    'the environment',
    /\b(process|Bun|Deno)\.env\b/,
    /^src\/(config\/settings|embedded\/process|lib\/proxy)\.ts$/,
  ],
  ['what only Bun or only Deno has', /\b(Bun|Deno)\.\w/, /^src\/runtime\//],
  ['.unsafe( of the database', /\.unsafe\s*\(/, /^src\/db\//],
  ['what runs a text as code', /\beval\s*\(|new Function\s*\(|node:vm/, /^$/],
  // The embedded server makes its database before the service connects.
  [
    'a statement of SQL',
    /(["'`])\s*(select\s+.+\s+from|insert\s+into|update\s+\w+\s+set|delete\s+from|(create|alter|drop|truncate)\s+(table|database|function|role))\b/is,
    /^src\/(db\/|embedded\/cluster\.ts$)/,
  ],
])('%s stands in its own place alone', (_what, pattern, place) => {
  const found = sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
  expect(found.filter(path => !place.test(path))).toEqual([])
})
