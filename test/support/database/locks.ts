// A table that another session has locked, and the statements that wait for a lock.
import type { Sql } from '../../../src/db/connect.ts'
import { oneConnection } from './database.ts'

/** Runs `work` while a session of its own has the table locked. */
export async function whileLocked<Value>(
  url: string,
  table: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const locker = oneConnection(url)
  try {
    await locker.unsafe(`begin; lock table ${table} in access exclusive mode`)
    return await work()
  } finally {
    await locker.unsafe('rollback')
    await locker.end()
  }
}

/** Statements of this database that wait for a lock. */
export async function countLockWaits(sql: Sql): Promise<number> {
  const [row] = await sql`
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return row?.count
}
