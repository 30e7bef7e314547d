// SQL_DIR: a file of the same path replaces the embedded query. A file that would change what a query
// takes or returns, or that no query is named after, stops the start.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import type { Sql } from './connect.ts'
import { asJson, asRows } from './database.ts'
import { oidOf, typeNameOf } from './parameter_types.ts'
import { type Queries, type QueryName, queries } from './queries.ts'
import {
  isReading,
  listSqlPaths,
  type QueryFile,
  QueryFileError,
  readQueryFile,
  signature,
} from './query_file.ts'

const ending = '.sql'

function readOverride(path: string, dir: string): string {
  try {
    // Some editors end lines as Windows does.
    return readFileSync(join(dir, path + ending), 'utf8').replaceAll('\r\n', '\n')
  } catch (error) {
    throw new QueryFileError(
      `${path}.sql: SQL_DIR has no file of that name that can be read (${(error as Error).message})`,
    )
  }
}

function replaceFile(embedded: QueryFile, dir: string): QueryFile {
  const { path } = embedded
  const file = readQueryFile(path, readOverride(path, dir))
  if (signature(file) !== signature(embedded))
    throw new QueryFileError(
      `${path}.sql: signature ${signature(file)} differs from ${signature(embedded)}`,
    )
  return file
}

/** The embedded queries with those found below dir in their place, and the paths replaced. */
export function overrideQueries(dir: string): { queries: Queries; overridden: string[] } {
  const overridden = listSqlPaths(dir)
  const known = Object.values<QueryFile>(queries).map(({ path }) => path)
  const unknown = overridden.filter(path => !known.includes(path))
  if (unknown.length > 0)
    throw new QueryFileError(
      `SQL_DIR replaces queries; it holds ${unknown.map(path => path + ending).join(', ')}, but no query has that name`,
    )
  const replaced = Object.entries<QueryFile>(queries).map(([name, file]) => [
    name,
    overridden.includes(file.path) ? replaceFile(file, dir) : file,
  ])
  return { queries: Object.fromEntries(replaced) as Queries, overridden }
}

type Column = { name: string; type: number }

/** How the server describes a text of a file. */
const describe = (sql: Sql, file: QueryFile, text: string) => {
  const types = file.parameters.map(({ type }) => oidOf(type))
  return sql.unsafe(text, types.map(oid => sql.typed(null as never, oid)) as never[]).describe()
}

async function columnsOf(sql: Sql, file: QueryFile): Promise<Column[]> {
  const { columns } = await describe(sql, file, asRows(file))
  return columns.map(({ name, type }) => ({ name, type }))
}

/** The line of the file that an error is about; its position counts from the beginning of what asRows sends. */
function lineOf(file: QueryFile, { position }: { position?: string }): string | undefined {
  if (position === undefined) return undefined
  const start =
    file.text.lastIndexOf(file.statement) - (asRows(file).length - file.statement.length)
  return `line ${file.text.slice(0, start + Number(position)).split('\n').length}`
}

/** The server's error for a statement that it refuses, with the file's name in front. */
function rejectFile(file: QueryFile, error: unknown, place: string | undefined): never {
  if (!(error instanceof postgres.PostgresError)) throw error
  throw new QueryFileError(`${file.path}.sql: ${error.message}${place ? ` (${place})` : ''}`)
}

const columnList = (columns: Column[]) =>
  columns.map(({ name, type }) => `${name} ${typeNameOf(type)}`).join(', ')

/** Refuses an override that returns other columns, or columns of other types, than the embedded file. */
export async function checkOverrides(sql: Sql, replaced: Queries, overridden: string[]) {
  for (const [name, file] of Object.entries<QueryFile>(replaced)) {
    const { path } = file
    if (!overridden.includes(path)) continue
    const embedded = columnList(await columnsOf(sql, queries[name as QueryName]))
    const columns = await columnsOf(sql, file).catch(error =>
      rejectFile(file, error, lineOf(file, error)),
    )
    if (isReading(file))
      await describe(sql, file, asJson(file)).catch(error =>
        rejectFile(file, error, 'it reads, so it is sent as a subquery'),
      )
    const found = columnList(columns)
    if (found !== embedded)
      throw new QueryFileError(`${path}.sql: returns columns ${found}, not ${embedded}`)
  }
}

/** The queries a process runs: embedded, or replaced from SQL_DIR. Throws QueryFileError. */
export async function loadQueries(
  sql: Sql,
  dir: string | undefined,
  onOverridden: (paths: string[]) => void = () => {},
): Promise<Queries> {
  if (dir === undefined) return queries
  const replaced = overrideQueries(dir)
  await checkOverrides(sql, replaced.queries, replaced.overridden)
  if (replaced.overridden.length > 0) onOverridden(replaced.overridden)
  return replaced.queries
}
