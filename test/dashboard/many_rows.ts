// What fills the dashboard's pages: leads, the event of each, 200 keys, 100 subscriptions, ten of them paused, with attempts of the
// last day, backlogs, failures and retries.
import type { Sql } from '../../src/db/connect.ts'
import { makeSigningSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { secretsKey } from '../support/http/settings.ts'

const daySeconds = 80_000

/** A paused subscription, and the cursor of a delivery to it that failed. */
type Shown = { hookId: string; cursor: number }

/**
 * Into a database without events and subscriptions: so many leads, three of one person, an event about each, and so many
 * subscriptions that received it. Returns what the pages can show.
 */
export async function fillOwnersSide(sql: Sql, leads: number, receivers: number): Promise<Shown> {
  const total = String(leads)
  await fillLeads(sql, total)
  // A service starts only with the key that secrets need.
  const secret = sealSecret(makeSigningSecret(), [Buffer.from(secretsKey, 'base64')], 'any')
  await sql`insert into hook_subscriptions (target_url, event_types, label, secret, active, paused_at, consecutive_failures, failing_since, cursor)
    select 'https://hooks.example.com/' || n, array['lead.created', 'signal.opened'], 'Webhook ' || n, ${secret}, n > 10,
      case when n <= 10 then now() end, case when n <= 10 then 10 else 0 end, now(), 0
    from generate_series(1, 100) as n`
  await sql`with logged as (
      insert into events (id, event_type, schema_version, occurred_at, object_type, object_id, links, data)
      select gen_random_uuid(), case when n % 1000 = 0 then 'kontakt.merged' else 'lead.created' end, '1', now(), 'lead', id::text,
        event_links(id, null),
        jsonb_build_object('lead_id', id, 'name', name, 'email', email, 'phone', phone, 'status', status, 'source_type', source_type,
          'product_domain', product_domain)
      from leads cross join lateral (select substr(name, 6)::integer as n) as numbered
      where name like 'Name %'
      order by n
      returning log_id, event_type
    )
    insert into event_cursors (cursor, log_id, event_type)
    select row_number() over (order by log_id), log_id, event_type from logged`
  await sql`update feed set log_floor = (select max(log_id) from events)`
  await fillDeliveries(sql, total, receivers)
  await sql`insert into api_keys (prefix, digest, label, scopes)
    select 'wda_' || lpad(n::text, 8, '0'), sha256(n::text::bytea), 'Schlüssel ' || n, array['read:leads']
    from generate_series(1, 200) as n`
  await sql`insert into key_usage
    select id, date_trunc('hour', now()) - n * interval '1 hour', code, 300, now() - n * interval '1 hour', 'GET /leads'
    from api_keys cross join generate_series(0, 23) as n cross join (values (''), ('rate_limited')) as used (code)`
  // What the server does by itself while rows come in one by one.
  await sql`select brin_summarize_new_values('hook_attempts_started_idx'::regclass)`
  await sql`vacuum (analyze)`
  return await shownRows(sql)
}

/** The last two per cent are still to come, half of all for the paused; five of a hundred failed, a third of those is retried. */
async function fillDeliveries(sql: Sql, total: string, receivers: number): Promise<void> {
  await sql`alter table hook_subscriptions disable trigger user`
  await sql`update hook_subscriptions set cursor = (${total}::bigint * case when active then 0.98 else 0.5 end)::bigint`
  await sql`alter table hook_subscriptions enable trigger user`
  await sql`insert into hook_attempts (subscription_id, cursor, started_at, version, duration_ms, attempt, status, outcome, error_class, excerpt)
    select hooks.id, n, now() - (1 - n / ${total}::float8) * ${daySeconds} * interval '1 second', 1, 12, 1,
      case when is_failed then 500 else 200 end, (case when is_failed then 'f' else 'd' end)::"char",
      case when is_failed then 'status' end, repeat('x', 200)
    from generate_series(1, ${total}::integer) as n
    cross join generate_series(1, ${String(receivers)}::integer) as receiver
    join (select id, row_number() over (order by label) as no from hook_subscriptions) as hooks
      on hooks.no = 1 + (n + receiver * 10) % 100
    cross join lateral (select n / 100 % 20 = 0 as is_failed) as ended`
  await sql`insert into hook_outstanding (subscription_id, cursor, attempts, due_at)
    select subscription_id, cursor, 2, case when cursor % 3 = 0 then now() + cursor % 60 * interval '1 second' end
    from hook_attempts where outcome = 'f'`
}

async function shownRows(sql: Sql): Promise<Shown> {
  const [row] = await sql`select subscription_id, hook_outstanding.cursor
    from hook_outstanding
    join hook_subscriptions on id = subscription_id
    where not active and due_at is null
    order by hook_outstanding.cursor desc
    limit 1`
  return { hookId: row?.subscription_id, cursor: Number(row?.cursor) }
}

/** Of the three leads of one person. */
const personsEmail = 'quitte.baum@example.org'

/** Without the events that their triggers would make. */
async function fillLeads(sql: Sql, total: string): Promise<void> {
  await sql.begin(async transaction => {
    await transaction`alter table leads disable trigger user`
    await transaction`delete from leads where name like 'Name %'`
    await transaction`insert into leads (name, email, phone)
      select 'Name ' || n, case when n <= 3 then ${personsEmail} when n % 7 > 0 then 'name' || n || '@example.org' end,
        case when n % 3 > 0 then '0171 ' || 1000000 + n end
      from generate_series(1, ${total}::integer) as n`
    await transaction`alter table leads enable trigger user`
  })
  await sql`analyze leads`
}

/** Every kind of page that shows rows, for a database filled as above. */
export const ownersPages = ({ hookId, cursor }: Shown): string[] => [
  '/dashboard',
  '/dashboard/keys',
  '/dashboard/webhooks',
  `/dashboard/webhooks/${hookId}`,
  `/dashboard/webhooks/${hookId}?state=delivered`,
  `/dashboard/webhooks/${hookId}?state=waiting`,
  '/dashboard/webhooks/new',
  '/dashboard/events',
  '/dashboard/events?type=kontakt.merged',
  '/dashboard/events?group=signals',
  `/dashboard/events?q=${encodeURIComponent(personsEmail)}`,
  '/dashboard/events?q=name+4711',
  `/dashboard/events?about=${cursor}`,
  `/dashboard/events/${cursor}`,
  `/dashboard/privacy?event=${cursor}`,
  '/dashboard/privacy',
  '/dashboard/system',
]
