// SQL_DIR: a file of the same path replaces the embedded query. A file that would change what a query
// takes or returns, or that no query is named after, stops the start.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import type { Sql } from './connect.ts'
import { asJson, asRows } from './database.ts'
import { type Queries, queries } from './queries.ts'
import {
  isReading,
  listSqlPaths,
  oids,
  type QueryFile,
  QueryFileError,
  readQueryFile,
  signature,
} from './query_file.ts'

// Types that only columns have.
const otherOids = {
  ...{ '"char"': 18, smallint: 21, json: 114, real: 700, 'double precision': 701, varchar: 1043 },
  ...{ date: 1082, timestamp: 1114, interval: 1186, numeric: 1700 },
}

/** As PostgreSQL calls a type. */
const typeNameOf = (oid: number): string =>
  Object.entries({ ...oids, ...otherOids }).find(([, known]) => known === oid)?.[0] ?? `type ${oid}`

/** The columns of a file as the server describes them. Throws QueryFileError with its reason where it refuses the statement. */
async function columnsOf(sql: Sql, file: QueryFile): Promise<string> {
  const nulls = file.parameters.map(({ type }) => sql.typed(null as never, oids[type]))
  const describe = (text: string) => sql.unsafe(text, nulls as never[]).describe()
  try {
    const { columns } = await describe(asRows(file))
    // What reads is sent as a subquery, too.
    if (isReading(file)) await describe(asJson(file))
    return columns.map(({ name, type }) => `${name} ${typeNameOf(type)}`).join(', ')
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    throw new QueryFileError(`${file.path}.sql: ${error.message}`)
  }
}

/** Refuses a file that takes or returns anything else than the embedded one. */
async function replace(sql: Sql, embedded: QueryFile, dir: string): Promise<QueryFile> {
  const { path } = embedded
  // Some editors end lines as Windows does.
  const text = readFileSync(join(dir, `${path}.sql`), 'utf8').replaceAll('\r\n', '\n')
  const file = readQueryFile(path, text)
  const [taken, expected] = [signature(file), signature(embedded)]
  if (taken !== expected)
    throw new QueryFileError(`${path}.sql: signature ${taken} differs from ${expected}`)
  const [found, wanted] = [await columnsOf(sql, file), await columnsOf(sql, embedded)]
  if (found !== wanted)
    throw new QueryFileError(`${path}.sql: returns columns ${found}, not ${wanted}`)
  return file
}

/** The queries a process runs: embedded, or replaced from SQL_DIR. Throws QueryFileError. */
export async function loadQueries(
  sql: Sql,
  dir: string | undefined,
  onOverridden: (paths: string[]) => void = () => {},
): Promise<Queries> {
  if (dir === undefined) return queries
  const overridden = listSqlPaths(dir)
  const loaded: Record<string, QueryFile> = { ...queries }
  const known = new Set(Object.values(loaded).map(({ path }) => path))
  const unknown = overridden.filter(path => !known.has(path)).map(path => `${path}.sql`)
  if (unknown.length > 0)
    throw new QueryFileError(
      `SQL_DIR replaces queries; it holds ${unknown.join(', ')}, but no query has that name`,
    )
  for (const [name, file] of Object.entries<QueryFile>(queries))
    if (overridden.includes(file.path)) loaded[name] = await replace(sql, file, dir)
  if (overridden.length > 0) onOverridden(overridden)
  return loaded as Queries
}
