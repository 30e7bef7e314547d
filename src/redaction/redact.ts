// Applies the income rule to what is stored already: rows from before the rule, or written with triggers off.
// Batch by batch, each in a transaction with the note of how far it came, so that a run that was interrupted
// goes on there. Emits no event: a change of nothing but removed income is none.
import type { Sql } from '../db/connect.ts'
import { openDatabase } from '../db/database.ts'
import type { Queries } from '../db/queries.ts'

// At 5 ms for a large analysis a batch holds its rows for a second at most.
const batchRows = 200

type RedactedTable = { table: string; seen: number; changed: number }

/** Calls `onProgress` after every batch, and once at the end, when nothing is left to do. */
export async function redactStored(
  sql: Sql,
  queries: Queries,
  onProgress: (done: number, total: number) => void,
): Promise<RedactedTable[]> {
  const database = openDatabase(sql, queries)
  const tables = await database.rows('listRedactionTables', {})
  const total = Math.max(
    1,
    tables.reduce((sum, { about }) => sum + about, 0),
  )
  const redacted: RedactedTable[] = []
  let done = 0
  for (const { table_name: table } of tables)
    for (let isDone = false; !isDone; ) {
      const batch = { table_name: table, row_limit: batchRows }
      const [came] = await database.rows('updateIncome', batch)
      if (!came) throw new Error('update_income returned no row')
      isDone = came.is_done
      if (isDone) {
        redacted.push({ table, seen: came.seen, changed: came.changed })
        done += came.seen
      }
      onProgress(Math.min(done + (isDone ? 0 : came.seen), total - 1), total)
    }
  await database.rows('deleteRedactionProgress', {})
  onProgress(total, total)
  return redacted
}

/** Makes the next run begin at the first row. */
export const forgetProgress = async (sql: Sql, queries: Queries): Promise<void> => {
  await openDatabase(sql, queries).rows('deleteRedactionProgress', {})
}
