// Subscriptions of the receiver, and what is in the feed for them: written by SQL, as it would stand after a long time of work.
import { randomUUID } from 'node:crypto'
import { progress } from '../src/cli/command.ts'
import type { Sql } from '../src/db/connect.ts'
import { makeSigningSecret, sealSecret } from '../src/model/signing_secret.ts'
import { type BenchDatabase, withSql } from './bench.ts'

export const sealingKey = Buffer.alloc(32, 7)

const eventType = 'lead.created'

/** What a lead's event carries; its product is `t`, when it was made in Unix milliseconds. */
const eventData = (number: string, t: string) => `jsonb_build_object(
  'lead_id', gen_random_uuid(), 'name', 'Person ' || ${number}, 'email', 'person' || ${number} || '@example.org',
  'phone', '+49 30 23125000', 'source_type', 'chat', 'status', 'new', 'product_domain', ${t})`

/** One event, as a writer's transaction makes it. $1 is its `t`. */
export const emitStatement = `select emit_event(
  '${eventType}', 'lead', gen_random_uuid()::text, '{}', ${eventData('1', '$1::double precision')})`

const hookTables = 'events, event_cursors, hook_subscriptions, hook_outstanding, hook_attempts'

/** A feed without events, no subscription, and then what `prepare` makes. */
export const prepareFeed = (
  { url }: BenchDatabase,
  prepare: (sql: Sql) => Promise<unknown>,
): Promise<void> =>
  withSql(url, async sql => {
    await sql.unsafe(`truncate ${hookTables}`)
    await sql`select setval('events_log_id_seq', 1, false)`
    await sql`update feed set head_floor = 0, horizon = 0, log_floor = 0, late = '[]'`
    await prepare(sql)
    // What autovacuum and the checkpointer would otherwise do in the middle of a round.
    await sql.unsafe(`vacuum (analyze) ${hookTables}, feed`)
    await sql.unsafe('checkpoint')
  })

/** Returns its id. It begins at the head. */
export async function insertSubscription(sql: Sql, url: string): Promise<string> {
  const id = randomUUID()
  const sealed = sealSecret(makeSigningSecret(), [sealingKey], id)
  await sql`insert into hook_subscriptions (id, target_url, event_types, secret, cursor)
    values (${id}, ${url}, string_to_array(${eventType}, ','), ${sealed}, (select head from feed_state))`
  return id
}

/** Events that have cursors already, from `first` on. */
export async function addEvents(sql: Sql, count: number, first = 1, age = '0 s'): Promise<void> {
  const last = first + count - 1
  await sql.unsafe(`
    with logged as (
      insert into events (log_id, event_type, schema_version, object_type, object_id, links, data)
      select n, '${eventType}', '1', 'lead', gen_random_uuid()::text, '{"lead_id": null, "session_id": null}',
        ${eventData('n', '0')}
      from generate_series(${first}, ${last}) as n
      returning log_id, event_type
    )
    insert into event_cursors (cursor, log_id, event_type, sequenced_at)
    select log_id, log_id, event_type, now() - interval '${age}' from logged`)
  await sql`select setval('events_log_id_seq', ${last})`
  await sql`update feed set log_floor = ${last}`
}

/** So many deliveries are recorded. Attempts that failed were repeated after a pause, which makes the figure worthless. */
export async function isDelivered(sql: Sql, count: number): Promise<boolean> {
  const [row] = await sql`
    select count(*) filter (where outcome = 'd')::integer as delivered,
      count(*) filter (where outcome <> 'd')::integer as failed
    from hook_attempts`
  if (row?.delivered < count) return false
  if (row?.failed > 0) progress(`  ${row?.failed} attempts failed and were repeated.`)
  return true
}
