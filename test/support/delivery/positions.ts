// Positions and workers of subscriptions: what a process that delivers asks of the database, and what stands there.
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../../src/db/connect.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'
import { until } from '../until.ts'
import type { Hook } from './delivery.ts'

export type Asking = {
  worker?: string
  lock_key?: number | null
  lease_ms?: number
  patience_ms?: number
  lost_ms?: number | null
  lost_patience_ms?: number
  /** Of what it knows: numbers and fences. */
  known?: [no: number, fence: number][]
}

/** Renews the lease of a worker, takes its share, and answers with what it owns. */
export const claimSubscriptions = (
  sql: Sql,
  {
    worker = randomUUID(),
    lock_key = null,
    lease_ms = 60_000,
    patience_ms = 400,
    lost_ms = null,
    lost_patience_ms = 3_000,
    known = [],
  }: Asking = {},
) =>
  openDatabase(sql, queries).rows('claimSubscriptions', {
    worker,
    lock_key,
    lease_ms,
    patience_ms,
    lost_ms,
    lost_patience_ms,
    known_nos: known.map(([no]) => no),
    known_fences: known.map(([, fence]) => fence),
  })

export type PositionRow = {
  no: number
  cursor: number
  claimed_to: number
  worker: string | null
  fence: number
}

export async function positionRow(sql: Sql, { id }: Pick<Hook, 'id'>): Promise<PositionRow> {
  const [row] = await sql`
    select no, cursor::float8, claimed_to::float8, worker, fence from hook_positions where subscription_id = ${id}`
  return row as unknown as PositionRow
}

/** Resolves when the shares are these, and each worker is known to hold its lock: others see at once when it dies. */
export const untilShared = (sql: Sql, expected: readonly number[], milliseconds = 10_000) =>
  until(async () => {
    const found = await shares(sql)
    if (!Bun.deepEquals(found, expected)) throw new Error(`the shares are ${found}`)
    const [{ unlocked } = {}] = await sql`
      select count(*)::integer as unlocked
      from hook_workers where lock_key is null and id in (select worker from hook_positions)`
    if (unlocked > 0) throw new Error(`${unlocked} workers have no lock yet`)
    return true
  }, milliseconds)

/** Workers that own something, with how many subscriptions each. */
export const shares = async (sql: Sql): Promise<number[]> =>
  (
    await sql`
      select count(*)::integer as owned
      from hook_positions join hook_subscriptions on hook_subscriptions.id = subscription_id and active
      where worker is not null group by worker order by owned`
  ).map(row => row.owned)

/** Whether a statement of this database waits for a lock of the table. */
export async function isWaitedFor(sql: Sql, table: string): Promise<boolean> {
  const rows = await sql`
    select from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and relation = to_regclass(${table}) and not granted`
  return rows.length > 0
}
