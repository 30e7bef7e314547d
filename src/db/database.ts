// Runs query files. The caller chooses the form: JSON text as the API sends it, values, or what a writing
// statement returns.
import type { Static } from '@sinclair/typebox'
import type { Sql } from './connect.ts'
import { isLostConnection } from './lost.ts'
import { encodeParameter, oidOf, type ParameterValue } from './parameter_types.ts'
import type { Queries, Query, QueryName } from './queries.ts'
import { isReading, type QueryFile } from './query_file.ts'

export type Arguments = Record<string, ParameterValue>

/** Rows as the JSON text PostgreSQL made of them; passed to the client untouched. */
export type JsonPage = { count: number; json: string }

type RowOf<Name extends QueryName> = Queries[Name] extends Query<infer Row> ? Static<Row> : never

export type Database = {
  /** All rows as one JSON array. */
  listJson(name: QueryName, args: Arguments): Promise<JsonPage>
  /** The first row as a JSON object, or null. */
  getJson(name: QueryName, args: Arguments): Promise<string | null>
  /** All rows as values, moments as ISO 8601 text. */
  list<Name extends QueryName>(name: Name, args: Arguments): Promise<RowOf<Name>[]>
  /** What a writing statement returns: scalars alone, moments as PostgreSQL writes them. */
  rows<Name extends QueryName>(name: Name, args: Arguments): Promise<RowOf<Name>[]>
}

// pg_stat_activity, pg_stat_statements and the server's log show this, so a slow statement names its file.
const tag = (file: QueryFile) => `/* ${file.path} */ `

// row is no column of the file's: the alias cannot hide one.
export const asJsonArray = (file: QueryFile) =>
  `${tag(file)}select count(*)::integer as count, '[' || coalesce(string_agg(row_to_json("row")::text, ','), '') || ']' as json from (${file.statement}) as "row"`

export const asJsonRow = (file: QueryFile) =>
  `${tag(file)}select row_to_json("row")::text as json from (${file.statement}) as "row"`

export const asRows = (file: QueryFile) => tag(file) + file.statement

function bind(sql: Sql, file: QueryFile, args: Arguments) {
  if (Object.keys(args).length !== file.parameters.length)
    throw new TypeError(`${file.path} takes ${file.parameters.length} parameters`)
  return file.parameters.map(({ name, type }) => {
    const value = args[name]
    if (value === undefined) throw new TypeError(`${file.path} needs ${name}`)
    return sql.typed(encodeParameter(type, value) as never, oidOf(type))
  })
}

/**
 * With `prepare=false` in the address a statement has its connection to itself: the poolers that need this (PgBouncer
 * before 1.21) lose the answer to what is sent before the answer to the statement in front of it. postgres.js sends
 * nothing more over a connection whose statement says false here.
 */
const sendOptions = (sql: Partial<Sql>) =>
  // A transaction keeps its connection anyway, and has no options.
  sql.options?.prepare === false ? { onexecute: () => false } : { prepare: true }

/** Runs a script of several statements, such as a migration. */
export const runScript = (sql: Sql, text: string) => sql.unsafe(text).simple()

/** Runs one file outside the manifest, such as the demo data's. */
export const runQueryFile = (sql: Sql, file: QueryFile, args: Arguments) =>
  sql.unsafe(asRows(file), bind(sql, file, args) as never[], { prepare: true })

/** A database that answers with the given query files. `onAnswer` hears of every answer that came. */
export function openDatabase(sql: Sql, queries: Queries, onAnswer = () => {}): Database {
  const texts = new Map<string, string>()
  const run = async (name: QueryName, args: Arguments, form: (file: QueryFile) => string) => {
    const { file } = queries[name]
    const key = form.name + name
    const text = texts.get(key) ?? form(file)
    texts.set(key, text)
    const send = () => sql.unsafe(text, bind(sql, file, args) as never[], sendOptions(sql))
    const rows = await send().catch(error => {
      // The connection was lost under it; a reading statement can be asked again.
      if (isReading(file) && isLostConnection(error)) return send()
      throw error
    })
    onAnswer()
    return rows
  }
  const listJson = async (name: QueryName, args: Arguments) => {
    const [page] = await run(name, args, asJsonArray)
    return page as unknown as JsonPage
  }
  return {
    listJson,
    async list(name, args) {
      return JSON.parse((await listJson(name, args)).json)
    },
    async getJson(name, args) {
      const [row] = await run(name, args, asJsonRow)
      return row === undefined ? null : (row.json as string)
    },
    async rows(name, args) {
      return (await run(name, args, asRows)) as never
    },
  }
}
