// A session of the benchmark's own, next to what it measures.
import { connect, type Sql } from '../src/db/connect.ts'

export async function withSql<Value>(
  url: string,
  work: (sql: Sql) => Promise<Value>,
): Promise<Value> {
  const sql = connect({ url, connectionsMax: 1, applicationName: 'bench', statementTimeoutMs: 0 })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}
