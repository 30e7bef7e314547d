// Runs a query as the service does and holds every row against its schema.
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Sql } from '../../src/db/connect.ts'
import { type Arguments, openDatabase } from '../../src/db/database.ts'
import { type QueryName, queries } from '../../src/db/queries.ts'
import { rows as shapes } from '../../src/db/rows.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)

/** The rows of a reading query, as a client receives them. Throws for a row its schema does not describe. */
export async function rowsOf<Name extends QueryName>(sql: Sql, name: Name, args: Arguments) {
  const rows = await openDatabase(sql, queries).list(name, args)
  const validate = ajv.compile(shapes[name] ?? false)
  for (const row of rows as unknown[])
    if (!validate(row)) throw new Error(`${queries[name].path}: ${ajv.errorsText(validate.errors)}`)
  return rows
}
