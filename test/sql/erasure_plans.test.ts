// An erasure finds a person by indexes: in a feed of many partitions, next to millions of attempts, after tables were emptied
// while a snapshot was held.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { nestedPlans, rowsRead } from '../support/database/nested_plans.ts'

const database = useDatabase()

const days = 20
const perDay = 600
const hooks = 30
let held: Sql

/** Another connection keeps a snapshot from before all changes until the tests are over. */
async function holdSnapshot(): Promise<void> {
  held = oneConnection(database.url)
  await held.unsafe('begin isolation level repeatable read')
  await held.unsafe('select count(*) from leads')
}

const text = (bytes: number) => `left(repeat(md5(n::text), ${Math.ceil(bytes / 32)}), ${bytes})`

// Each day has partitions of its own and events of a tenth of the leads; each event an attempt for every tenth subscription.
const fill = `
  set local session_replication_role = replica;
  insert into leads (id, name, email, phone)
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Kunde ' || n, 'kunde.' || md5(n::text) || '@example.org',
      '+4917139' || lpad(n::text, 6, '0')
    from generate_series(1, ${perDay * 10}) as n;
  insert into hook_subscriptions (target_url, event_types, secret)
    select 'https://hooks.example.com/' || n, array['lead.created', 'lead.stage_changed'], 'x' from generate_series(1, ${hooks}) as n;
  insert into hook_positions (subscription_id, cursor, claimed_to)
    select id, 9000000000, 9000000000 from hook_subscriptions;
  do $do$
  declare
    first bigint;
  begin
    for day in 1..${days} loop
      first := (day - 1) * 10000000;
      perform make_attempt_partitions(now() - (${days} - day) * interval '1 day');
      insert into events (log_id, event_type, schema_version, object_type, object_id, links, data)
        select first + n, case day % 3 when 0 then 'lead.created' else 'lead.stage_changed' end, '1', 'lead', leads.id,
          event_links(leads.id, null),
          jsonb_build_object('lead_id', leads.id, 'status_before', ${text(700)})
            || case day % 3 when 0 then jsonb_build_object('email', leads.email, 'phone', leads.phone) else '{}' end
        from (
          select leads.*, row_number() over (order by md5(id::text || day)) as n from leads
          where right(id::text, 1)::integer = day % 10) as leads;
      insert into event_cursors (cursor, log_id, event_type)
        select log_id, log_id, event_type from events where log_id > first and log_id <= first + ${perDay};
      insert into hook_attempts (cursor, started_at, no, fence, duration_ms, attempt, status, outcome, excerpt)
        select event_cursors.cursor, now() - (${days} - day) * interval '1 day', no, 1, 12, 1, 200, 'd', repeat('x', 100)
        from event_cursors join hook_positions on (hook_positions.no + event_cursors.cursor) % 10 = 0
        where event_cursors.cursor > first and event_cursors.cursor <= first + ${perDay};
      insert into hook_retries (no, cursor)
        select no, first + n from hook_positions cross join generate_series(1, 40) as n;
    end loop;
  end
  $do$`

const emptied = ['hook_attempts', 'hook_retries']

beforeAll(async () => {
  const { sql } = database
  await sql.begin(async transaction => void (await transaction.unsafe(fill)))
  await sql`vacuum (analyze)`
  await holdSnapshot()
  await sql.unsafe(`
    alter table hook_retries set (autovacuum_enabled = off);
    do $do$ begin
      execute (select string_agg(format('alter table %s set (autovacuum_enabled = off)', inhrelid::regclass), ';')
        from pg_inherits where inhparent = 'hook_attempts'::regclass);
    end $do$`)
  // Dead rows that no vacuum can take away, in tables that statistics say are empty.
  for (const table of emptied) {
    await sql.unsafe(`create table kept_${table} as select * from ${table}`)
    await sql.unsafe(`delete from ${table}`)
    await sql.unsafe(`vacuum (analyze) ${table}`)
    await sql.unsafe(`insert into ${table} select * from kept_${table}`)
  }
  // And as bad as no vacuum leaves them: then the planner believes that all of an index is as near as one entry.
  await sql`
    update pg_class set reltuples = 0
    where relname ~ '^(hook_attempts|hook_retries)' and relkind in ('r', 'i') and relpages > 0`
}, 120_000)
afterAll(async () => {
  await held?.end({ timeout: 1 })
})

const digest = new Bun.CryptoHasher('md5').update('77').digest('hex')
const person = `kunde.${digest}@example.org`

const rowsOf = async (table: string) => {
  const [row] = await database.sql.unsafe(`select count(*) as count from ${table}`)
  return Number(row?.count)
}

test('the statistics are as bad as they can be, and the tables large', async () => {
  const rows = await database.sql`
    select relname, reltuples from pg_class
    where relkind = 'r' and relname ~ '^(hook_attempts_2|hook_retries)' and relpages > 0`
  expect(rows.length).toBeGreaterThan(days)
  expect(rows.filter(({ reltuples }) => reltuples > 0)).toEqual([])
  expect(await rowsOf('hook_attempts')).toBe((days * perDay * hooks) / 10)
  expect(await rowsOf('events')).toBe(days * perDay)
})

const events = days / 10
const attempts = (events * hooks) / 10

test.each([
  ['what is stored of a person', 'kontakt_holdings', 1],
  ['an erasure', 'erase_kontakt', 2],
])('%s reads a part of the feed and of the attempts', async (_, name, times) => {
  const [found] = await database.sql`select counts::text from kontakt_holdings(${person})`
  expect(JSON.parse(found?.counts)).toMatchObject({ events, hook_attempts: attempts })
  const nodes = await nestedPlans(database.url, `select * from ${name}('${person}')`)
  // To find them, and to delete them.
  expect(rowsRead(nodes, /^hook_attempts/)).toBeLessThanOrEqual(attempts * times)
  // Blocks of the log that may hold the person, at each of two looks.
  expect(rowsRead(nodes, /^events_/)).toBeLessThan((days * perDay) / 4)
  expect(rowsRead(nodes, /^event_cursors/)).toBeLessThan(100)
  // Once through what waits is the worst, and an erasure looks more than once.
  expect(rowsRead(nodes, /^hook_retries/)).toBeLessThanOrEqual(3 * (await rowsOf('hook_retries')))
})
