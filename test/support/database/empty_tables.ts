// Empties tables that a running service reads.
import type { Sql } from '../../../src/db/connect.ts'

/** In the order given. `truncate` locks each table against reads, and a read that has one and waits for the next is a deadlock. */
export const emptyTables = (sql: Sql, tables: readonly string[]) =>
  sql.unsafe(tables.map(table => `delete from ${table}`).join(';'))
