// A transaction per test, always rolled back: the tests of a file share a database and see none of each
// other's rows.
import type { Sql } from '../../../src/db/connect.ts'

export async function rolledBack(sql: Sql, work: (sql: Sql) => Promise<void>): Promise<void> {
  const end = new Error('the test is over')
  try {
    await sql.begin(async transaction => {
      await work(transaction as unknown as Sql)
      throw end
    })
  } catch (error) {
    if (error !== end) throw error
  }
}
