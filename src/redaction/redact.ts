// Applies the income rule to what is stored already: rows from before the rule, or written with triggers off.
// Batch by batch, each in a transaction of its own. The rule is idempotent, so a run that was interrupted is run again.
// Emits no event: a change of nothing but removed income is none.
import type { Sql } from '../db/connect.ts'
import { openDatabase } from '../db/database.ts'
import type { Queries, RowOf } from '../db/queries.ts'

// At 5 ms for a large analysis a batch holds its rows for a second at most.
const row_limit = 200

/** Calls `onProgress` after every batch, and once at the end, when nothing is left to do. */
export async function redactStored(
  sql: Sql,
  queries: Queries,
  onProgress: (done: number, total: number) => void,
) {
  const database = openDatabase(sql, queries)
  const tables = await database.rows('listRedactionTables', {})
  const about = tables.reduce((sum, table) => sum + table.about, 0)
  const total = Math.max(1, about)
  let done = 0
  const redacted: { table: string; seen: number; changed: number }[] = []
  for (const { table_name } of tables) {
    const counts = { table: table_name, seen: 0, changed: 0 }
    redacted.push(counts)
    let after_key: string | null = null
    for (;;) {
      const [batch]: RowOf<'updateIncome'>[] = await database.rows('updateIncome', {
        table_name,
        after_key,
        row_limit,
      })
      if (!batch?.last_key) break
      after_key = batch.last_key
      counts.seen += batch.seen
      counts.changed += batch.changed
      done += batch.seen
      onProgress(Math.min(done, total - 1), total)
    }
  }
  onProgress(total, total)
  return redacted
}
