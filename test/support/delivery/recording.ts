// What is recorded of attempts, as the process that made them says it.
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../../src/db/connect.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'
import * as factory from '../database/factory.ts'

export type ClaimedDelivery = { no: number; cursor: number; fence: number }

export type AttemptRecord = ClaimedDelivery & {
  started_at: Date
  duration_ms: number
  attempt: number
  status: number | null
  outcome: 'delivered' | 'retry' | 'failed' | 'erased' | 'postponed'
  error_class: string | null
  excerpt: string | null
  headers: string | null
  retry_ms: number | null
}

/** A delivery under way, as the present worker of the subscription knows it. */
export async function claimedDelivery(
  sql: Sql,
  subscription_id: string,
  cursor = 1,
): Promise<ClaimedDelivery> {
  const { no, fence } = await factory.position(sql, subscription_id)
  return { no, cursor, fence }
}

/** An attempt that was answered with 200, but for the members given. */
export const attemptRecord = (
  { no, cursor, fence }: ClaimedDelivery,
  members: Partial<AttemptRecord> = {},
): AttemptRecord => ({
  no,
  cursor,
  fence,
  started_at: new Date(),
  duration_ms: 1,
  attempt: 1,
  status: 200,
  outcome: 'delivered',
  error_class: null,
  excerpt: null,
  headers: null,
  retry_ms: null,
  ...members,
})

/** With the counts of consecutive failures that the worker has by now, by the number of the subscription. */
export function recordAttempts(
  sql: Sql,
  attempts: readonly AttemptRecord[],
  counts: ReadonlyMap<number, number> = new Map(),
  worker: string = randomUUID(),
) {
  const column = <Name extends keyof AttemptRecord>(name: Name) => attempts.map(one => one[name])
  return openDatabase(sql, queries).rows('recordAttempts', {
    nos: column('no'),
    cursors: column('cursor'),
    fences: column('fence'),
    started_at: column('started_at'),
    duration_ms: column('duration_ms'),
    attempts: column('attempt'),
    statuses: column('status'),
    outcomes: column('outcome'),
    error_classes: column('error_class'),
    excerpts: column('excerpt'),
    headers: column('headers'),
    retry_ms: column('retry_ms'),
    counted_nos: [...counts.keys()],
    counts: [...counts.values()],
    worker,
  })
}

/** The oldest deliveries that wait for their turn end, each with an attempt. Returns their cursors. */
export async function endDeliveries(
  sql: Sql,
  subscription_id: string,
  outcome: 'delivered' | 'failed' = 'delivered',
  count = 1,
): Promise<number[]> {
  const { no } = await factory.position(sql, subscription_id)
  const rows = await sql`
    select event_cursors.cursor::text as cursor
    from hook_positions
    join hook_subscriptions on hook_subscriptions.id = hook_positions.subscription_id
    join event_cursors on event_cursors.cursor > hook_positions.cursor
      and event_cursors.event_type = any (hook_subscriptions.event_types)
    where hook_positions.no = ${no}
    order by event_cursors.cursor
    limit ${String(count)}`
  const cursors = rows.map(row => Number(row.cursor))
  for (const cursor of cursors) {
    await factory.attempt(sql, { no, cursor, outcome: outcome === 'delivered' ? 'd' : 'f' })
    if (outcome === 'failed') await factory.failure(sql, { no, cursor })
  }
  const last = cursors.at(-1)
  if (last !== undefined) await factory.position(sql, subscription_id, { cursor: last })
  return cursors
}
