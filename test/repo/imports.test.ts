// Who may import whom: each part knows only what lies below it. Imports of types alone cost nothing and are free.
import { describe, expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { type Source, sources } from './sources.ts'

type Rule = {
  /** Parts of src besides its own. */
  parts?: string[]
  /** Packages from the registry. */
  packages?: string[]
}

// A part is a folder of src, or a file that stands directly in it. errors and log may be used by anybody
// whom a client or an operator hears through.
const rules: Record<string, Rule> = {
  model: { packages: ['@sinclair/typebox'] },
  errors: {},
  within: {},
  lazily: {},
  error_code: {},
  loop: {},
  faults: {},
  version: {},
  log: { packages: ['pino'] },
  config: { parts: ['config_forms'] },
  config_forms: { packages: ['croner'] },
  kept_file: {},
  origin: {},
  config_list: { parts: ['config', 'kept_file'] },
  // What creates signing secrets and what signs with them need the same keys.
  secrets_key: { parts: ['config', 'db', 'kept_file', 'log', 'model'] },
  db: { parts: ['model'], packages: ['postgres', '@sinclair/typebox'] },
  // From a target URL to addresses that may be called; operations get it passed in.
  net: { parts: ['model', 'runtime'] },
  embedded: {},
  operations: { parts: ['model', 'errors'] },
  http: {
    parts: ['operations', 'model', 'errors', 'log'],
    packages: ['@sinclair/typebox'],
  },
  rest: {
    parts: ['http', 'operations', 'model', 'errors', 'log', 'net', 'runtime'],
    packages: ['@sinclair/typebox', 'swagger-ui-dist'],
  },
  mcp: {
    parts: ['http', 'operations', 'model', 'errors', 'log', 'runtime'],
    packages: ['@sinclair/typebox', '@modelcontextprotocol/server'],
  },
  dashboard: {
    parts: ['http', 'operations', 'model', 'errors', 'log'],
    packages: ['hono', '@picocss/pico'],
  },
  delivery: { parts: ['model', 'db', 'log', 'net'] },
  feed: { parts: ['model', 'db', 'log'] },
  redaction: { parts: ['model', 'db'] },
  retention: { parts: ['model', 'db', 'log'], packages: ['croner'] },
  // What is counted is what the log hears of; the port is its own.
  metrics: { parts: ['db', 'errors', 'log', 'runtime'] },
  runtime: {},
  demo: { parts: ['model', 'db'] },
  app: { parts: ['errors', 'http', 'rest', 'mcp', 'dashboard'], packages: ['elysia'] },
  service: {
    parts: [
      'app',
      'config',
      'db',
      'faults',
      'http',
      'log',
      'metrics',
      'model',
      'operations',
      'origin',
      'rest',
      'mcp',
      'owner',
      'net',
      'runtime',
      'secrets_key',
    ],
  },
  owner: {
    parts: [
      'http',
      'config',
      'config_list',
      'dashboard',
      'db',
      'log',
      'model',
      'operations',
      'rest',
    ],
  },
  commands: {
    parts: [
      'config',
      'config_list',
      'db',
      'demo',
      'embedded',
      'kept_file',
      'log',
      'metrics',
      'model',
      'operations',
      'origin',
      'redaction',
      'rest',
      'runtime',
      'secrets_key',
      'service',
    ],
  },
  main: { parts: ['commands'] },
  worker: {
    parts: ['config', 'db', 'feed', 'delivery', 'retention', 'log', 'metrics', 'secrets_key'],
  },
  workers: { parts: ['config', 'log', 'metrics', 'worker'] },
}

// Small enough, and pure enough, for everybody.
const common = ['within', 'lazily', 'loop', 'error_code', 'version']

// Text and data that are built in, and the one place for each kind.
const readers: [kind: RegExp, allowed: RegExp][] = [
  [/^sql\/migrations\//, /^src\/db\/(migrations|migrate)\.ts$/],
  [/^sql\/demo\//, /^src\/demo\//],
  [/^sql\/roles\/(grant|prepare)_roles/, /^src\/db\/roles\.ts$/],
  [/^sql\//, /^src\/db\/((hook|owner|redaction)_)?queries\.ts$/],
  [/^package\.json$/, /^src\/version\.ts$/],
]

const transpiler = new Bun.Transpiler({ loader: 'ts' })

const partOf = (path: string): string => {
  const [top = '', name = ''] = path.split('/')
  return top === 'src' ? name.replace(/\.ts$/, '') : top
}

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

test('the entry is imported by nobody', () => {
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
  const allowed = ['src/config.ts', 'src/embedded/process.ts']
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
    ['src/rest/a.ts', "import { x } from '../db/database.ts'; x()"],
    ['src/rest/a.ts', "import { Elysia } from 'elysia'; Elysia()"],
    ['src/rest/a.ts', "const x = await import('../db/database.ts'); x()"],
    ['src/rest/a.ts', "export * from '../db/database.ts'"],
    ['src/rest/a.ts', "import x from '../../sql/leads/get_lead.sql' with { type: 'text' }; x()"],
    [
      'src/demo/a.ts',
      "import x from '../../sql/migrations/0001_leads.sql' with { type: 'text' }; x()",
    ],
    ['src/commands/a.ts', "import '../../test/support/service.ts'"],
  ])('%s: %s', (path, text) => {
    expect(planted(path, text)).toHaveLength(1)
  })

  test('but not an import of types', () => {
    expect(planted('src/rest/a.ts', "import type { Sql } from '../db/connect.ts'")).toEqual([])
  })
})
