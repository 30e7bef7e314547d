// Writes the manifests of queries, migrations and functions anew, after a file was added, changed, renamed or removed:
// bun run queries.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../src/db/connect.ts'
import {
  listSqlPaths,
  oids,
  type ParameterType,
  type QueryFile,
  readQueryFile,
} from '../src/db/query_file.ts'

const sqlDir = join(import.meta.dir, '../sql')
export const queryManifestPath = join(import.meta.dir, '../src/db/queries.generated.ts')
export const schemaManifestPath = join(import.meta.dir, '../src/db/schema.generated.ts')

/** A column of a query as PostgreSQL describes it. */
export type Column = {
  name: string
  /** As format_type writes it. */
  type: string
  /** Whether the catalog says that it is never null. Of an expression or the far side of an outer join it cannot tell. */
  storedNotNull: boolean
  nullable: boolean
}

type Described = { name: string; type: number; table: number; number: number }

async function catalogOf(sql: Sql, columns: Described[]) {
  const rows = await sql`
    select described.place, format_type(described.type, null) as type, coalesce(attnotnull, false) as attnotnull
    from unnest(
      ${`{${columns.map(({ type }) => type)}}`}::oid[], ${`{${columns.map(({ table }) => table)}}`}::oid[],
      ${`{${columns.map(({ number }) => number)}}`}::smallint[]) with ordinality as described (type, relation, number, place)
    left join pg_attribute on attrelid = described.relation and attnum = described.number
    order by described.place`
  return rows as unknown as { type: string; attnotnull: boolean }[]
}

const outerJoin = /\b(left|right|full) join\b/

export async function describeRows(sql: Sql, file: QueryFile): Promise<Column[]> {
  const values = file.parameters.map(({ type }) => sql.typed(null as never, oids[type]))
  const described = await sql
    .unsafe(file.statement, values as never[])
    .describe()
    .catch(error => {
      throw Object.assign(error, { message: `${file.path}.sql: ${error.message}` })
    })
  const columns = described.columns as unknown as Described[]
  if (columns.length === 0) return []
  const catalog = await catalogOf(sql, columns)
  return columns.map(({ name, table }, index) => {
    const { type = '', attnotnull = false } = catalog[index] ?? {}
    const storedNotNull = attnotnull && table !== 0 && !outerJoin.test(file.statement)
    return { name, type, storedNotNull, nullable: !storedNotNull && !file.notNull.includes(name) }
  })
}

// They have a manifest or a command of their own.
const apart = /^(migrations|functions|demo)\/|^schema$|^roles\/(grant|prepare)_/

export const queryFilesOnDisk = (): QueryFile[] =>
  listSqlPaths(sqlDir)
    .filter(path => !apart.test(path))
    .map(path => readQueryFile(path, readFileSync(join(sqlDir, `${path}.sql`), 'utf8')))

const argumentTypes: Record<ParameterType, string> = {
  boolean: 'boolean',
  bigint: 'number',
  'bigint[]': 'number[]',
  integer: 'number',
  'integer[]': 'number[]',
  text: 'string',
  'text[]': 'string[]',
  timestamptz: 'Date | string',
  'timestamptz[]': '(Date | string)[]',
  uuid: 'string',
  'uuid[]': 'string[]',
  jsonb: 'object',
}

/** As a row of JSON has it. */
const columnTypes: Record<string, string> = {
  boolean: 'boolean',
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  numeric: 'number',
  text: 'string',
  uuid: 'string',
  'timestamp with time zone': 'string',
  'text[]': 'string[]',
  json: 'unknown',
  jsonb: 'unknown',
}

function columnType({ path }: QueryFile, { name, type, nullable }: Column): string {
  const written = columnTypes[type]
  if (!written) throw new Error(`${path}.sql: ${name} is of the type ${type}, which no row has yet`)
  return nullable && written !== 'unknown' ? `${written} | null` : written
}

/** An element of an array may be null in PostgreSQL, whatever the column. */
const argumentType = ({ type, nullable }: QueryFile['parameters'][number]): string => {
  const element = argumentTypes[type].replace(/\[\]$/, '')
  const written = type.endsWith('[]')
    ? `readonly (${element.replace(/[()]/g, '')} | null)[]`
    : element
  return nullable ? `${written} | null` : written
}

const camel = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())

const members = (lines: string[], none: string) =>
  lines.length === 0 ? none : `{ ${lines.join('; ')} }`

function typeOf(file: QueryFile, columns: Column[]): string {
  const args = file.parameters.map(each => `${each.name}: ${argumentType(each)}`)
  const row = columns.map(column => `${column.name}: ${columnType(file, column)}`)
  return `  ${camel(file.name)}: { args: ${members(args, 'Nothing')}; row: ${members(row, 'never')} }\n`
}

const head = `// Generated: bun run queries. Every query of the service, by the names of the files below sql/: what it takes by the
// head of its file, what it returns as PostgreSQL describes it.
`

/** The text of the manifest. `columnsOf` has the columns of each file by its path. */
export function queryManifest(files: QueryFile[], columnsOf: Map<string, Column[]>): string {
  const imports = files.map(
    ({ path, name }) =>
      `import ${camel(name)} from '../../sql/${path}.sql' with { type: 'text' }\n`,
  )
  const entries = files.map(
    ({ path, name }) => `  ${camel(name)}: readQueryFile('${path}', ${camel(name)}),\n`,
  )
  const types = files.map(file => typeOf(file, columnsOf.get(file.path) ?? []))
  return `${head}${imports.join('')}import { readQueryFile } from './query_file.ts'

export const queries = {
${entries.join('')}}

type Nothing = Record<string, never>

export type QueryTypes = {
${types.join('')}}
`
}

// The tables that say what was applied are made before anything is.
const first = 'migrations/0000_schema_migrations'

const pathsIn = (folder: string) =>
  [...new Bun.Glob(`${folder}/**/*.sql`).scanSync(sqlDir)]
    .map(path => path.slice(0, -'.sql'.length))
    .filter(path => path !== first)
    .sort()

const nameOf = (path: string) =>
  path
    .replace(/^migrations\//, 'migration_')
    .replace(/[/_](.)/g, (_, letter) => letter.toUpperCase())

const importOf = (path: string) =>
  `import ${nameOf(path)} from '../../sql/${path}.sql' with { type: 'text' }\n`

const entryOf = (path: string) => `  '${path.slice(path.indexOf('/') + 1)}': ${nameOf(path)},\n`

export function schemaManifest(): string {
  const migrations = pathsIn('migrations')
  const functions = pathsIn('functions')
  return `// Generated: bun run queries. Every migration in order, and every file of functions.
${[...functions, ...migrations].map(importOf).join('')}
export const migrationTexts = {
${migrations.map(entryOf).join('')}}

export const functionTexts = {
${functions.map(entryOf).join('')}}
`
}

if (import.meta.main) {
  const files = queryFilesOnDisk()
  const written = existsSync(queryManifestPath) ? readFileSync(queryManifestPath, 'utf8') : ''
  const imported = [...written.matchAll(/'\.\.\/\.\.\/sql\/(.*?)\.sql'/g)].map(([, path]) => path)

  // Migrating needs a manifest that can be loaded: first one that names the files there are.
  if (imported.join() !== files.map(({ path }) => path).join())
    writeFileSync(queryManifestPath, queryManifest(files, new Map()))

  writeFileSync(schemaManifestPath, schemaManifest())

  const { withTemplate } = await import('../test/support/database/server.ts')
  await withTemplate('queries', async sql => {
    const columns = new Map<string, Column[]>()
    for (const file of files) columns.set(file.path, await describeRows(sql, file))
    writeFileSync(queryManifestPath, queryManifest(files, columns))
  })
}
