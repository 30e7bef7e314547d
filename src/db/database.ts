// Runs query files. There are two ways to ask: `json`, bytes that PostgreSQL wrote and the API passes on, and `rows`, values.
import { AnswerTooLarge } from '../lib/answer_size.ts'
import { isLostConnection } from '../lib/error_code.ts'
import { TimeoutError, withTimeout } from '../lib/timeout.ts'
import type { Pool, Sql } from './connect.ts'
import type { ArgumentsOf, Queries, QueryName, RowOf } from './queries.ts'
import { isReading, oids, type ParameterType, type QueryFile } from './query_file.ts'

type ParameterValue = string | number | boolean | object | null

/** What any query takes. Each one's own: ArgumentsOf. */
export type Arguments = Record<string, ParameterValue>

/** JSON as PostgreSQL wrote it, in UTF-8, passed to the client unchanged. A string would be decoded and encoded again. */
export type JsonText = Buffer

/** A file named get_ has one row at most, as an object (`null` without one); any other an array. */
type JsonRows = { count: number; json: JsonText }

/**
 * Both reject with the error of the server or of the connection, and with TimeoutError where the server is silent. A read is sent
 * once more after a lost connection; a write is not, because it may have committed.
 */
export type Database = {
  /** How many bytes an answer may have, for what can end earlier. */
  bytesMax?: number
  /** Of a reading file. Throws AnswerTooLarge. */
  json<Name extends QueryName>(
    name: Name,
    args: ArgumentsOf<Name>,
    bytesMax?: number,
  ): Promise<JsonRows>
  /** Arrays and documents as values, moments as ISO 8601 text. */
  rows<Name extends QueryName>(name: Name, args: ArgumentsOf<Name>): Promise<RowOf<Name>[]>
}

// pg_stat_activity, pg_stat_statements and the server's log show this, so a slow statement names its file.
const tag = (file: QueryFile) => `/* ${file.path} */ `

const isOneRow = ({ name }: QueryFile): boolean => name.startsWith('get_')

// "row" is no column of the file's: the alias cannot hide one.
export const asJson = (file: QueryFile): string =>
  isOneRow(file)
    ? `${tag(file)}select 1 as count, row_to_json("row") as json from (${file.statement}) as "row"`
    : `${tag(file)}select count(*)::integer as count, coalesce(json_agg("row"), '[]') as json from (${file.statement}) as "row"`

export const asRows = (file: QueryFile): string => tag(file) + file.statement

/** Its JSON alone where that has so many bytes at most. offset 0: the JSON is made once. */
const withinBytes = (select: string, bytesMax: number) =>
  `select count, case when octet_length(json) <= ${bytesMax} then json end as json, octet_length(json) as bytes
  from (select count, json::text as json from (${select}) as made offset 0) as page`

function elementLiteral(value: unknown): string {
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`
  return value instanceof Date ? `"${value.toISOString()}"` : String(value)
}

/** The text form of a value; the server reads it as the parameter's type. */
export function encodeParameter(type: ParameterType, value: ParameterValue): string | null {
  if (value === null) return null
  if (type === 'jsonb') return JSON.stringify(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.map(elementLiteral).join(',')}}`
  return String(value)
}

function bind(sql: Sql, file: QueryFile, args: Arguments) {
  if (Object.keys(args).length !== file.parameters.length)
    throw new TypeError(`${file.path} takes ${file.parameters.length} parameters`)
  return file.parameters.map(({ name, type }) => {
    const value = args[name]
    if (value === undefined) throw new TypeError(`${file.path} needs ${name}`)
    return sql.typed(encodeParameter(type, value) as never, oids[type])
  })
}

// postgres.js sends nothing more over a connection whose statement has this, until it has been answered.
const alone = { onexecute: () => false }

/**
 * Prepared, unless the plan is to follow the values. With `prepare=false` in the address a statement has its connection to
 * itself: PgBouncer before 1.21 loses the answer to what is sent before the answer to the statement in front of it.
 */
const sendOptions = (sql: Partial<Sql>, file: QueryFile) =>
  // A transaction has no options.
  sql.options?.prepare === false ? { prepare: false, ...alone } : { prepare: !file.withValues }

/** Runs a script of several statements, such as a migration. */
export const runScript = (sql: Sql, text: string) => sql.unsafe(text).simple()

/** Runs one file outside the manifest, such as the demo data's. */
export const runQueryFile = (sql: Sql, file: QueryFile, args: Arguments) =>
  sql.unsafe(asRows(file), bind(sql, file, args) as never[], { prepare: true })

type Row = Record<string, unknown>

const isoOf = (text: string) => (text.endsWith('+00') ? `${text.replace(' ', 'T')}:00` : text)

const element = /"((?:\\.|[^"\\])*)"|([^{},]+)/g

const arrayOf = (text: string) =>
  [...text.matchAll(element)].map(([, quoted, plain]) =>
    plain === undefined ? quoted?.replace(/\\(.)/g, '$1') : plain === 'NULL' ? null : plain,
  )

// By OID: how a column of the type becomes a value as JSON has it. The driver does it for those that are not here.
const parsers: Record<number, (text: string) => unknown> = {
  [oids.jsonb]: JSON.parse,
  [oids.timestamptz]: isoOf,
  [oids['text[]']]: arrayOf,
  [oids['uuid[]']]: arrayOf,
  // json, numeric
  114: JSON.parse,
  1700: Number,
}

/** Parses what the driver leaves as text, in place. */
function parseRows(rows: Row[] & { columns?: { name: string; type: number }[] }): Row[] {
  for (const { name, type } of rows.columns ?? []) {
    const parse = parsers[type]
    if (parse)
      for (const row of rows) row[name] = row[name] === null ? null : parse(row[name] as string)
  }
  return rows
}

/**
 * A database that answers with the given query files. With `limitMs` a statement is given up after so long; where nothing at all
 * was answered meanwhile, the pool is opened anew, because the server cannot enforce statement_timeout while it is unreachable.
 */
export function openDatabase(given: Sql | Pool, queries: Queries, limitMs?: number): Database {
  const pool = 'renew' in given ? given : undefined
  const texts = new Map<string, string>()
  let answeredAt = performance.now()

  async function answer<Value>(sent: Promise<Value>): Promise<Value> {
    const sentAt = performance.now()
    try {
      const value = await (limitMs === undefined ? sent : withTimeout(sent, limitMs))
      answeredAt = performance.now()
      return value
    } catch (error) {
      const isSilent = error instanceof TimeoutError
      // Where others were answered meanwhile, this one only waits behind them.
      if (isSilent && answeredAt > sentAt) throw error
      if (isSilent) pool?.renew()
      // A refusal is an answer too, and a pool that was opened anew begins now.
      answeredAt = performance.now()
      throw error
    }
  }

  async function run(name: QueryName, args: Arguments, bytesMax: number | 'rows' | undefined) {
    const file = queries[name]
    const key = `${name} ${bytesMax}`
    let text = texts.get(key)
    if (text === undefined) {
      const json = asJson(file)
      text = bytesMax === 'rows' ? asRows(file) : bytesMax ? withinBytes(json, bytesMax) : json
      texts.set(key, text)
    }
    const send = async () => {
      const sql = pool?.sql ?? (given as Sql)
      const sent = sql.unsafe(text, bind(sql, file, args) as never[], sendOptions(sql, file))
      return await answer<unknown>(bytesMax === 'rows' ? sent : sent.raw())
    }
    return await send().catch(error => {
      if (isReading(file) && isLostConnection(error)) return send()
      throw error
    })
  }

  return {
    async json(name, args, bytesMax) {
      const [[count, json, bytes] = []] = (await run(name, args, bytesMax)) as Buffer[][]
      if (json === null) throw new AnswerTooLarge(Number(bytes))
      return { count: Number(count ?? 0), json: json ?? Buffer.from('null') }
    },
    async rows(name, args) {
      return parseRows((await run(name, args, 'rows')) as Row[]) as never
    },
  }
}
