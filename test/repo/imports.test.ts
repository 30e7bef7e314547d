// Who may import whom: each part knows only what lies below it. Imports of types alone cost nothing and are free.
import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { partOf, type Source, sources } from './sources.ts'

type Rule = {
  /** Parts of src besides its own. */
  parts?: string[]
  /** Packages from the registry. */
  packages?: string[]
}

// A part is a folder of src, or one below `api` and `observability`. errors and the log may be used by all parts
// through which a client or an operator gets an answer.
const rules: Record<string, Rule> = {
  model: { packages: ['@sinclair/typebox'] },
  errors: {},
  lib: {},
  version: {},
  observability: { packages: ['pino'] },
  // The number of attempts, of which the delays make one less.
  config: { parts: ['model'], packages: ['croner', '@sinclair/typebox'] },
  // What creates signing secrets and what signs with them need the same keys.
  secrets: { parts: ['config', 'db', 'observability', 'model'] },
  db: { parts: ['model'], packages: ['postgres', '@sinclair/typebox'] },
  embedded: {},
  runtime: {},
  // A test event is sent by the process that was asked.
  operations: { parts: ['model', 'errors', 'sending'], packages: ['@sinclair/typebox'] },
  'api/http': {
    parts: ['operations', 'model', 'errors', 'observability'],
    packages: ['@sinclair/typebox'],
  },
  'api/rest': {
    parts: ['api/http', 'operations', 'model', 'errors', 'observability', 'runtime'],
    packages: ['@sinclair/typebox'],
  },
  // The registry as a document, and the page that shows it.
  'api/docs': {
    parts: ['api/http', 'api/rest', 'operations', 'model', 'errors'],
    packages: ['@elysiajs/openapi', 'swagger-ui-dist'],
  },
  'api/mcp': {
    parts: ['api/http', 'operations', 'model', 'errors', 'observability', 'runtime'],
    packages: ['@sinclair/typebox', '@modelcontextprotocol/server'],
  },
  dashboard: {
    parts: ['api/http', 'operations', 'model', 'errors', 'observability'],
    packages: ['elysia', 'hono', 'idiomorph'],
  },
  // Signs, sends to targets it does not trust, judges the outcome; knows no database.
  sending: { parts: ['model', 'runtime'], packages: ['undici-http'] },
  feed: { parts: ['model', 'db', 'observability'] },
  // Follows the feed: what the sequencer has read is delivered without being read again.
  delivery: {
    parts: ['model', 'db', 'observability', 'runtime', 'feed', 'sending'],
    packages: ['nodemailer'],
  },
  // What is counted is what the log hears of; the port is its own.
  'observability/metrics': { parts: ['db', 'errors', 'model', 'observability', 'runtime'] },
  demo: { parts: ['model', 'db'] },
  redaction: { parts: ['model', 'db'] },
  // The command listen: a client of the feed that signs as deliveries do.
  listen: { parts: ['sending'] },
  // Puts the parts together: app.ts, start.ts, open_dashboard.ts.
  api: {
    parts: [
      'api/docs',
      'api/http',
      'api/mcp',
      'api/rest',
      'config',
      'dashboard',
      'db',
      'errors',
      'model',
      'observability',
      'observability/metrics',
      'operations',
      'runtime',
      'secrets',
      'sending',
    ],
    packages: ['elysia'],
  },
  cli: {
    parts: [
      'api',
      'api/docs',
      'api/rest',
      'config',
      'db',
      'demo',
      'embedded',
      'listen',
      'model',
      'observability',
      'observability/metrics',
      'operations',
      'redaction',
      'runtime',
      'secrets',
      'sending',
    ],
  },
  main: { parts: ['cli'] },
  worker: {
    parts: [
      'config',
      'db',
      'delivery',
      'model',
      'observability',
      'observability/metrics',
      'secrets',
      'sending',
      'feed',
    ],
    packages: ['croner'],
  },
  workers: { parts: ['config', 'observability', 'observability/metrics', 'worker'] },
}

// Small enough, and pure enough, for all.
const common = ['lib', 'version']

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

const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** What a file imports at run time: paths from the root, or names of packages. */
const importsOf = ({ path, text }: Source): string[] =>
  transpiler
    .scanImports(text)
    .map(({ path: specifier }) =>
      specifier.startsWith('.') ? join(dirname(path), specifier) : specifier,
    )

const isOwn = (imported: string) => /^(src|workers)\//.test(imported)
const isNode = (imported: string) => imported.startsWith('node:')

function complaint(source: Source, imported: string): string | undefined {
  const part = partOf(source.path)
  const { parts = [], packages = [] } = rules[part] ?? {}
  if (isNode(imported)) return undefined
  if (isOwn(imported))
    return [part, ...parts, ...common].includes(partOf(imported))
      ? undefined
      : `${part} uses ${imported}`
  const reader = readers.find(([kind]) => kind.test(imported))
  if (reader) return reader[1].test(source.path) ? undefined : `${part} reads ${imported}`
  return packages.includes(packageOf(imported)) ? undefined : `${part} uses the package ${imported}`
}

const complaints = (source: Source) =>
  importsOf(source).flatMap(imported => complaint(source, imported) ?? [])

test('every part of the source has a rule', () => {
  const parts = new Set(sources.map(({ path }) => partOf(path)))
  expect([...parts].filter(part => !(part in rules))).toEqual([])
})

test.each(sources)('$path imports only what it may', source => {
  expect(complaints(source)).toEqual([])
})

test('no file imports the entry', () => {
  const importers = sources.filter(source => importsOf(source).includes('src/main.ts'))
  expect(importers).toEqual([])
})

test('shapes and errors reach for neither files nor network', () => {
  const pure = sources.filter(({ path }) => ['model', 'errors'].includes(partOf(path)))
  const reached = pure.flatMap(importsOf).filter(isNode)
  expect(new Set(reached).difference(new Set(['node:crypto', 'node:zlib'])).size).toBe(0)
})

test('only the configuration reads the environment', () => {
  const readers = sources.filter(({ text }) => /\b(process|Bun|Deno)\.env\b/.test(text))
  // The embedded server gets an environment of its own, of which PATH is all that is taken over.
  // Of NO_PROXY fetch is the reader.
  const allowed = ['src/config/settings.ts', 'src/embedded/process.ts', 'src/lib/proxy.ts']
  expect(readers.map(({ path }) => path).filter(path => !allowed.includes(path))).toEqual([])
})

test('calls that only Bun or only Deno has stay in src/runtime', () => {
  const elsewhere = sources.filter(
    ({ path, text }) => partOf(path) !== 'runtime' && /\b(Bun|Deno)\.\w/.test(text),
  )
  expect(elsewhere.map(({ path }) => path)).toEqual([])
})

describe('the check itself notices', () => {
  const planted = (path: string, text: string) => complaints({ path, text })

  test.each([
    ['src/model/a.ts', "import { x } from '../db/x.ts'; x()"],
    ['src/operations/a.ts', "import { x } from '../rest/x.ts'; x()"],
    ['src/operations/a.ts', "import { x } from '../db/connect.ts'; x()"],
    ['src/api/rest/a.ts', "import { x } from '../db/database.ts'; x()"],
    ['src/api/rest/a.ts', "import { Elysia } from 'elysia'; Elysia()"],
    ['src/api/rest/a.ts', "const x = await import('../db/database.ts'); x()"],
    ['src/api/rest/a.ts', "export * from '../db/database.ts'"],
    [
      'src/api/rest/a.ts',
      "import x from '../../sql/leads/get_lead.sql' with { type: 'text' }; x()",
    ],
    [
      'src/demo/a.ts',
      "import x from '../../sql/migrations/0001_leads.sql' with { type: 'text' }; x()",
    ],
    ['src/cli/a.ts', "import '../support/http/service.ts'"],
  ])('%s: %s', (path, text) => {
    expect(planted(path, text)).toHaveLength(1)
  })

  test('but not an import of types', () => {
    expect(planted('src/api/rest/a.ts', "import type { Sql } from '../db/connect.ts'")).toEqual([])
  })
})
