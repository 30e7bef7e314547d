// The rows of a query as PostgreSQL describes them: name, type, and whether a column may be null.
import type { Sql } from '../../../src/db/connect.ts'
import { oidOf } from '../../../src/db/parameter_types.ts'
import type { QueryFile } from '../../../src/db/query_file.ts'

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
  const values = file.parameters.map(({ type }) => sql.typed(null as never, oidOf(type)))
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
