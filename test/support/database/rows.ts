// Runs a query as the service does and holds every row against its shape.
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Sql } from '../../../src/db/connect.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { type ArgumentsOf, type QueryName, queries } from '../../../src/db/queries.ts'
import { rows as shapes } from '../../../src/db/rows.ts'
import { type Column, describeRows } from './described_rows.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)

const columnSchemas: Record<string, object> = {
  boolean: { type: 'boolean' },
  smallint: { type: 'integer' },
  integer: { type: 'integer' },
  bigint: { type: 'integer' },
  numeric: { type: 'number' },
  text: { type: 'string' },
  uuid: { type: 'string', format: 'uuid' },
  'timestamp with time zone': { type: 'string', format: 'date-time' },
  'text[]': { type: 'array', items: { type: 'string' } },
  json: {},
  jsonb: {},
}

const columnSchema = ({ type, nullable }: Column) => {
  const schema = columnSchemas[type] ?? false
  return nullable ? { anyOf: [schema, { type: 'null' }] } : schema
}

/** The shape of the contract, else one made of the columns. */
async function shapeOf(sql: Sql, name: QueryName): Promise<object> {
  const shape = (shapes as Partial<Record<QueryName, object>>)[name]
  if (shape) return shape
  const columns = await describeRows(sql, queries[name])
  return {
    type: 'object',
    required: columns.map(column => column.name),
    properties: Object.fromEntries(columns.map(column => [column.name, columnSchema(column)])),
    additionalProperties: false,
  }
}

/** The rows of a reading query, as a client receives them. Throws for a row its shape does not describe. */
export async function rowsOf<Name extends QueryName>(
  sql: Sql,
  name: Name,
  args: ArgumentsOf<Name>,
) {
  const rows = await openDatabase(sql, queries).rows(name, args)
  const shape = await shapeOf(sql, name)
  const known = '$id' in shape ? ajv.getSchema(String(shape.$id)) : undefined
  const validate = known ?? ajv.compile(shape)
  for (const row of rows as unknown[])
    if (!validate(row)) throw new Error(`${queries[name].path}: ${ajv.errorsText(validate.errors)}`)
  return rows
}
