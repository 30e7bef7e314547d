// Runs query files. The caller chooses the form: JSON text as the API sends it, values, or what a writing
// statement returns.
import { AnswerTooLarge } from '../lib/answer_size.ts'
import type { Sql } from './connect.ts'
import { isLostConnection } from './lost_connection.ts'
import { encodeParameter, oidOf, type ParameterValue } from './parameter_types.ts'
import type { ArgumentsOf, Queries, QueryName, RowOf } from './queries.ts'
import { isReading, type QueryFile } from './query_file.ts'

/** What any query takes. Each one's own: ArgumentsOf. */
export type Arguments = Record<string, ParameterValue>

/** JSON as PostgreSQL wrote it, in UTF-8, passed to the client unchanged. A string would be decoded and encoded again. */
export type JsonText = Buffer

export type JsonPage = { count: number; json: JsonText }

/**
 * Every method rejects with the error of the server or of the connection. A read is sent once more after a lost connection; a write
 * is not, because it may have committed.
 */
export type Database = {
  /** How many bytes an answer may have, for what can end earlier. */
  bytesMax?: number
  /** All rows as one JSON array. Throws AnswerTooLarge. */
  listJson<Name extends QueryName>(
    name: Name,
    args: ArgumentsOf<Name>,
    bytesMax?: number,
  ): Promise<JsonPage>
  /** The first row as a JSON object, or null. Throws AnswerTooLarge. */
  getJson<Name extends QueryName>(
    name: Name,
    args: ArgumentsOf<Name>,
    bytesMax?: number,
  ): Promise<JsonText | null>
  /** All rows as values, moments as ISO 8601 text. */
  list<Name extends QueryName>(name: Name, args: ArgumentsOf<Name>): Promise<RowOf<Name>[]>
  /** The first row as the statement writes it, each column as the bytes PostgreSQL sent: no column is null. */
  bytes<Name extends QueryName>(
    name: Name,
    args: ArgumentsOf<Name>,
  ): Promise<Record<keyof RowOf<Name>, Buffer> | undefined>
  /** Rows as the statement returns them, for statements that write and for the worker: scalars alone, moments as PostgreSQL writes them. */
  rows<Name extends QueryName>(name: Name, args: ArgumentsOf<Name>): Promise<RowOf<Name>[]>
}

// pg_stat_activity, pg_stat_statements and the server's log show this, so a slow statement names its file.
const tag = (file: QueryFile) => `/* ${file.path} */ `

// row is no column of the file's: the alias cannot hide one.
export const asJsonArray = (file: QueryFile) =>
  `${tag(file)}select count(*)::integer as count, coalesce(json_agg("row"), '[]') as json from (${file.statement}) as "row"`

export const asJsonRow = (file: QueryFile) =>
  `${tag(file)}select 1 as count, row_to_json("row") as json from (${file.statement}) as "row"`

/** Its JSON alone where that has so many bytes at most. offset 0: the JSON is made once. */
const withinBytes = (select: string, bytesMax: number) =>
  `select count, case when octet_length(json) <= ${bytesMax} then json end as json, octet_length(json) as bytes
  from (select count, json::text as json from (${select}) as made offset 0) as page`

export const asRows = (file: QueryFile) => tag(file) + file.statement

/** How a file is sent, and whether its columns come as the bytes PostgreSQL sent. */
type Form = { name: string; write: (file: QueryFile) => string; raw: boolean }

const jsonArray: Form = { name: 'array', write: asJsonArray, raw: true }
const jsonRow: Form = { name: 'row', write: asJsonRow, raw: true }
const values: Form = { name: 'values', write: asRows, raw: false }
const bytes: Form = { name: 'bytes', write: asRows, raw: true }

function bind(sql: Sql, file: QueryFile, args: Arguments) {
  if (Object.keys(args).length !== file.parameters.length)
    throw new TypeError(`${file.path} takes ${file.parameters.length} parameters`)
  return file.parameters.map(({ name, type }) => {
    const value = args[name]
    if (value === undefined) throw new TypeError(`${file.path} needs ${name}`)
    return sql.typed(encodeParameter(type, value) as never, oidOf(type))
  })
}

// postgres.js sends nothing more over a connection whose statement says false here, until it has been answered.
const alone = { onexecute: () => false }

/**
 * With `prepare=false` in the address a statement has its connection to itself: the poolers that need this (PgBouncer
 * before 1.21) lose the answer to what is sent before the answer to the statement in front of it.
 */
const sendOptions = (sql: Partial<Sql>, isAlone: boolean) => {
  // A transaction keeps its connection anyway, and has no options.
  const prepare = sql.options?.prepare !== false
  return { prepare, ...((isAlone || !prepare) && alone) }
}

/** Runs a script of several statements, such as a migration. */
export const runScript = (sql: Sql, text: string) => sql.unsafe(text).simple()

/** Runs one file outside the manifest, such as the demo data's. */
export const runQueryFile = (sql: Sql, file: QueryFile, args: Arguments) =>
  sql.unsafe(asRows(file), bind(sql, file, args) as never[], { prepare: true })

export type DatabaseOptions = {
  /** Hears of every answer that came. */
  onAnswer?: () => void
  /** Where files that are planned once go. Behind a pooler that drops settings they are planned anew, as all others. */
  once?: Sql
  /**
   * While it says so as a statement is sent, nothing is sent behind a statement that may take long (all but a single row); what comes next waits for the first
   * connection that is free. postgres.js would send it over any, even over that of the slowest statement.
   */
  isCrowded?: () => boolean
}

/** Sends a statement to a database, with what is to happen around it. */
export type Pass = <Value>(
  name: QueryName,
  send: (to: Database) => Promise<Value>,
) => Promise<Value>

/** A database whose every statement `pass` sends. */
export const databaseThrough = (pass: Pass): Database => ({
  listJson: (name, args, bytesMax) => pass(name, to => to.listJson(name, args, bytesMax)),
  getJson: (name, args, bytesMax) => pass(name, to => to.getJson(name, args, bytesMax)),
  list: (name, args) => pass(name, to => to.list(name, args)),
  bytes: (name, args) => pass(name, to => to.bytes(name, args)),
  rows: (name, args) => pass(name, to => to.rows(name, args)),
})

/** A database that answers with the given query files. */
export function openDatabase(
  sql: Sql,
  queries: Queries,
  { onAnswer = () => {}, once = sql, isCrowded = () => false }: DatabaseOptions = {},
): Database {
  const texts = new Map<string, string>()
  const run = async (name: QueryName, args: Arguments, form: Form, bytesMax?: number) => {
    const file = queries[name]
    const pool = file.plannedOnce ? once : sql
    const key = `${form.name} ${name} ${bytesMax}`
    const text =
      texts.get(key) ??
      (bytesMax === undefined ? form.write(file) : withinBytes(form.write(file), bytesMax))
    texts.set(key, text)
    const send = () => {
      const isAlone = form !== jsonRow && isCrowded()
      const sent = pool.unsafe(text, bind(pool, file, args) as never[], sendOptions(pool, isAlone))
      return form.raw ? sent.raw() : sent
    }
    const rows = await send().catch(error => {
      // The connection was lost under it; a reading statement can be asked again.
      if (isReading(file) && isLostConnection(error)) return send()
      throw error
    })
    onAnswer()
    return rows
  }
  const runJson = async (name: QueryName, args: Arguments, form: Form, bytesMax?: number) => {
    const rows = await run(name, args, form, bytesMax)
    const [[count, json, bytes] = [0, undefined]] = rows as unknown as [
      Buffer,
      JsonText?,
      Buffer?,
    ][]
    if (json === null) throw new AnswerTooLarge(Number(bytes))
    return { count: Number(count), json }
  }
  const listJson = async (name: QueryName, args: Arguments, bytesMax?: number) =>
    (await runJson(name, args, jsonArray, bytesMax)) as JsonPage
  return {
    listJson,
    async list(name, args) {
      return JSON.parse((await listJson(name, args)).json.toString())
    },
    async getJson(name, args, bytesMax) {
      return (await runJson(name, args, jsonRow, bytesMax)).json ?? null
    },
    async bytes(name, args) {
      const rows = await run(name, args, bytes)
      const row = rows[0] as unknown as Buffer[] | undefined
      return (
        row && (Object.fromEntries(rows.columns.map(({ name }, at) => [name, row[at]])) as never)
      )
    },
    async rows(name, args) {
      return (await run(name, args, values)) as never
    },
  }
}
