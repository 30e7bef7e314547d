// Makes src/db/queries.generated.ts: every query file with the types of what it takes and returns.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ParameterType } from '../../../src/db/parameter_types.ts'
import { listSqlPaths, type QueryFile, readQueryFile } from '../../../src/db/query_file.ts'
import type { Column } from '../database/described_rows.ts'

const sqlDir = join(import.meta.dir, '../../../sql')
export const queryManifestPath = join(import.meta.dir, '../../../src/db/queries.generated.ts')

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
