// What is recorded of attempts, as the process that made them says it.

import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { type AttemptRecord, recordStatement } from '../../src/delivery/queue.ts'
import * as factory from './factory.ts'

/** A delivery that is being sent. */
export async function claimedDelivery(sql: Sql, subscription_id: string, cursor = 1) {
  const claim = randomUUID()
  const due_at = new Date(Date.now() + 60_000).toISOString()
  const { id } = await factory.delivery(sql, { subscription_id, cursor, claim, due_at })
  return { id, claim }
}

/** The oldest deliveries that wait for a subscription end, with no attempt. Returns their ids. */
export const endDeliveries = (sql: Sql, subscription_id: string, state = 'delivered', count = 1) =>
  sql`
    with gone as (
      delete from hook_queue
      where id in (select id from hook_queue where subscription_id = ${subscription_id} order by id limit ${count})
      returning *
    )
    insert into hook_outcomes (id, subscription_id, cursor, test_event, state, attempts, created_at)
    select id, subscription_id, cursor, test_event, ${state}, attempts, created_at from gone
    returning id::integer`

/** An attempt that was answered with 200, but for the members given. */
export const attemptRecord = (
  { id, claim }: { id: unknown; claim: string },
  members: Partial<AttemptRecord> = {},
): AttemptRecord => ({
  id: Number(id),
  claim,
  outcome: 'delivered',
  retry_ms: null,
  started_at: new Date(),
  duration_ms: 1,
  status: 200,
  error_class: null,
  excerpt: null,
  ...members,
})

export function recordAttempts(sql: Sql, attempts: readonly AttemptRecord[]) {
  const { name, parameters } = recordStatement(attempts)
  return openDatabase(sql, queries).rows(name, parameters)
}
