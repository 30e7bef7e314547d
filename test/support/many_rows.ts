// What fills the dashboard's pages: 100 subscriptions, ten of them paused, with so many events, deliveries and
// attempts, all of the last day.
import type { Sql } from '../../src/db/connect.ts'
import { makeSigningSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { secretsKey } from './settings.ts'

const daySeconds = 80_000

/** Into a database without events and subscriptions; returns the id of a paused subscription. */
export async function fillOwnersSide(sql: Sql, count: number): Promise<string> {
  const total = String(count)
  // A service starts only with the key that secrets need.
  const secret = sealSecret(makeSigningSecret(), [Buffer.from(secretsKey, 'base64')], 'any')
  await sql`insert into events (cursor, id, event_type, schema_version, occurred_at, object_type, object_id, links, data)
    select n, gen_random_uuid(), case when n % 1000 = 0 then 'kontakt.merged' else 'lead.created' end, '1', now(), 'lead', n::text, '{}', '{}'
    from generate_series(1, ${total}::integer) as n`
  await sql`update feed set head = ${total}`
  await sql`insert into hook_subscriptions (target_url, event_types, label, secret, active, paused_at, consecutive_failures, failing_since, failing_cursor)
    select 'https://hooks.example.com/' || n, array['lead.created'], 'Webhook ' || n, ${secret}, n > 10, case when n <= 10 then now() end,
      case when n <= 10 then 10 else 0 end, now(), 1
    from generate_series(1, 100) as n`
  // As the sequencer does: pending ones wait for their turn, and every delivery's id tells its place.
  await sql`create temp table placed as
    select n as id, hooks.id as subscription_id, n as cursor,
      case when n % 10 = 0 and hooks.active then 'delivered' when hooks.active then 'pending' when n % 100 = 0 then 'failed' else 'skipped' end as state
    from generate_series(1, ${total}::integer) as n
    join (select id, active, row_number() over (order by active, id) as place from hook_subscriptions) as hooks
      on hooks.place = 1 + n / 10 % 100`
  await sql`insert into hook_queue (id, subscription_id, cursor, attempts, due_at)
    select id, subscription_id, cursor, 1, case when cursor % 2 = 0 then now() end from placed where state = 'pending' order by id`
  await sql`insert into hook_outcomes (id, subscription_id, cursor, state, attempts, created_at)
    select id, subscription_id, cursor, state, 1, now() from placed where state <> 'pending' order by id`
  await sql`select setval('hook_queue_id_seq', ${total}::bigint)`
  await sql`insert into hook_other_attempts (delivery_id, claim, started_at, duration_ms, status, error_class, excerpt)
    select id, gen_random_uuid(), now() - (1 - row_number() over (order by id) / ${total}::float8) * ${daySeconds} * interval '1 second',
      12, 500, 'status', repeat('x', 200)
    from placed order by id`
  await sql`drop table placed`
  // What the server does by itself while rows come in one by one.
  await sql`select brin_summarize_new_values('hook_other_attempts_started_idx'), brin_summarize_new_values('hook_outcomes_started_idx')`
  await sql`analyze`
  const [hook] = await sql`select id from hook_subscriptions where not active order by id limit 1`
  return hook?.id
}

/** Of the three leads of one person. */
export const personsEmail = 'quitte.baum@example.org'

/** So many leads, three of one person, without their events. */
export async function fillLeads(sql: Sql, count: number): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`alter table leads disable trigger user`
    await transaction`insert into leads (name, email, phone)
      select 'Name ' || n, case when n <= 3 then ${personsEmail} when n % 7 > 0 then 'name' || n || '@example.org' end,
        case when n % 3 > 0 then '0171 ' || 1000000 + n end
      from generate_series(1, ${String(count)}::integer) as n`
    await transaction`alter table leads enable trigger user`
  })
  await sql`analyze leads`
}

/** Every kind of page that shows rows, for a database filled as above. */
export const ownersPages = (hookId: string, deliveryId: number): string[] => [
  '/dashboard',
  '/dashboard/keys',
  '/dashboard/webhooks',
  `/dashboard/webhooks/${hookId}`,
  `/dashboard/webhooks/${hookId}?state=skipped`,
  `/dashboard/deliveries/${deliveryId}`,
  '/dashboard/events',
  '/dashboard/events?type=kontakt.merged',
  '/dashboard/events?type=signal.opened&before=99000',
  '/dashboard/events/5000',
  '/dashboard/connect',
  '/dashboard/status',
  '/dashboard/erasure',
]
