// Transactions that end with their connection. postgres.js 3.4.9 rolls back over the connection that was lost: it
// writes to a socket that is gone, and the error of that ends the process (docs/development/upstream.md).
import type { Sql } from './connect.ts'
import { isLostConnection } from './lost_connection.ts'

/**
 * All or nothing, on a connection of the pool. `work` waits for nothing but statements of the transaction. Where the
 * connection is lost while it commits, the failure does not tell whether it did.
 */
export async function inTransaction<Value>(
  sql: Sql,
  work: (transaction: Sql) => Promise<Value>,
): Promise<Value> {
  const result = await sql.begin(transaction =>
    work(transaction as unknown as Sql).catch(error => {
      // The server has rolled back, and `begin` fails by itself when the connection closes.
      if (isLostConnection(error)) return new Promise<never>(() => {})
      throw error
    }),
  )
  return result as Value
}
