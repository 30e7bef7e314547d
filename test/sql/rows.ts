// Runs a query as the service does and holds every row against its shape of the contract.
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { type ArgumentsOf, type QueryName, queries } from '../../src/db/queries.ts'
import { rows as shapes } from '../../src/db/rows.ts'

const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true }))

/** The rows of a reading query, as a client receives them. Throws for a row its shape does not describe. */
export async function rowsOf<Name extends QueryName>(
  sql: Sql,
  name: Name,
  args: ArgumentsOf<Name>,
) {
  const rows = await openDatabase(sql, queries).rows(name, args)
  const shape = (shapes as Partial<Record<QueryName, { $id?: string }>>)[name]
  if (shape === undefined) return rows
  const validate = ajv.getSchema(String(shape.$id)) ?? ajv.compile(shape)
  for (const row of rows as unknown[])
    if (!validate(row)) throw new Error(`${queries[name].path}: ${ajv.errorsText(validate.errors)}`)
  return rows
}
