// A database that has been in use at an older schema keeps its rows on the way to the latest.
import { beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { migrations } from '../../src/db/migrations.ts'
import { useDatabase } from '../support/database.ts'
import { useEmptyDatabases } from '../support/empty_databases.ts'
import * as factory from '../support/factory.ts'
import { dumpSchema } from '../support/schema_dump.ts'

const latest = useDatabase()
const openEmpty = useEmptyDatabases()

/** One row per table, as the latest schema stores it; referenced rows come first. */
const rows: [table: string, row: factory.Columns][] = []

/** Tables that are views today, of which a row is found again. */
const former: [table: string, row: factory.Columns][] = [
  [
    'hook_deliveries',
    {
      subscription_id: randomUUID(),
      cursor: 1,
      test_event: null,
      state: 'delivered',
      attempts: 1,
      due_at: factory.moment,
      claim: null,
      claimed_until: null,
      created_at: factory.moment,
      ended_at: factory.moment,
      maybe_sent: false,
    },
  ],
  [
    'hook_attempts',
    {
      delivery_id: 1,
      claim: randomUUID(),
      started_at: factory.moment,
      duration_ms: 12,
      status: 200,
      error_class: null,
      excerpt: null,
    },
  ],
]
// What a delivery that has ended does not say any more.
const dropped = ['due_at', 'claimed_until']

beforeAll(async () => {
  const { sql } = latest
  const lead = await factory.lead(sql, { archived_at: factory.moment })
  const appointment = await factory.appointment(sql, { lead_id: lead.id })
  rows.push(
    ['leads', lead],
    ['lead_analyses', await factory.analysis(sql, { lead_id: lead.id })],
    ['haushalte', await factory.haushalt(sql)],
    ['kontakt_aliases', await factory.alias(sql, 'email:a@example.org', 'email:b@example.org')],
    ['appointments', appointment],
    ['meeting_intelligence', await factory.meeting(sql, { appointment_id: appointment.id })],
    ['signals', await factory.signal(sql, { lead_id: lead.id })],
    ['advisory_docs', await factory.advisoryDoc(sql, { lead_id: lead.id })],
    ['api_keys', await factory.apiKey(sql)],
    ['event_outbox', await factory.outboxEvent(sql)],
    ['events', await factory.event(sql)],
    ['hook_subscriptions', await factory.hook(sql)],
    ['hook_queue', await factory.delivery(sql)],
    ['hook_outcomes', await factory.outcome(sql)],
    ['hook_other_attempts', await factory.attempt(sql)],
    [
      'hook_positions',
      await factory.insertRow(sql, 'hook_positions', { subscription_id: randomUUID() }),
    ],
    ['hook_leases', await factory.lease(sql)],
    [
      'redaction_progress',
      await factory.insertRow(sql, 'redaction_progress', {
        table_name: 'leads',
        after_key: lead.id,
        seen: 1,
        changed: 0,
      }),
    ],
    ['owner_sessions', await factory.ownerSession(sql)],
    ['owner_notices', await factory.ownerNotice(sql)],
  )
})

/** The columns a table has at the moment and that can be written. */
async function columnsOf(sql: Sql, table: string): Promise<string[]> {
  const found = await sql`
    select column_name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER' and is_identity = 'NO'`
  return found.map(row => row.column_name)
}

/** Writes what fits into the schema of the moment; returns what was written, by table. */
async function fill(sql: Sql): Promise<Map<string, factory.Columns>> {
  const written = new Map<string, factory.Columns>()
  for (const [table, row] of [...rows, ...former]) {
    const columns = await columnsOf(sql, table)
    if (columns.length === 0) continue
    const fitting = Object.fromEntries(columns.map(name => [name, row[name]]))
    await factory.insertRow(sql, table, fitting)
    written.set(table, fitting)
  }
  return written
}

const isFormer = (table: string) => former.some(([name]) => name === table)

test('every table of the latest schema has a row in this test', async () => {
  const found = await latest.sql`
    select tablename from pg_tables
    where schemaname = 'public' and tablename !~ '^events_\\d+$'
      and tablename not in ('schema_migrations', 'rate_windows', 'event_types', 'feed', 'sample_events')`
  const filled = rows.map(([table]) => table)
  expect(found.map(row => row.tablename).sort()).toEqual(filled.sort())
})

const older = migrations.slice(0, -1).map(({ number, name }): [string, number] => [name, number])

test.each(older)('from %s, with rows, to the latest schema', async (_, number) => {
  const [sql] = await openEmpty()
  await migrate(
    sql,
    migrations.filter(migration => migration.number <= number),
  )
  const written = await fill(sql)
  expect(written.size).toBeGreaterThan(0)
  const applied = await migrate(sql)
  expect(applied).toEqual(migrations.slice(number).map(({ name }) => name))
  expect(await dumpSchema(sql)).toBe(await dumpSchema(latest.sql))
  for (const [table, fitting] of written) {
    const found = await sql.unsafe(`select to_jsonb(${table}) as row from ${table}`)
    // The other tables' triggers have written to the outbox, too.
    if (table !== 'event_outbox') expect(found).toHaveLength(1)
    const kept = Object.entries(fitting).filter(
      ([name]) => !dropped.includes(name) || !isFormer(table),
    )
    expect(found.map(({ row }) => JSON.parse(row))).toContainEqual(
      expect.objectContaining(Object.fromEntries(kept)),
    )
  }
})

test('what was pending waits on, claimed as it was, and ids go on', async () => {
  const [sql] = await openEmpty()
  await migrate(
    sql,
    migrations.filter(({ name }) => name < '0022'),
  )
  const insert = (columns: factory.Columns) =>
    factory.insertRow(sql, 'hook_deliveries', {
      subscription_id: randomUUID(),
      cursor: 1,
      ...columns,
    })
  const claim = randomUUID()
  const lapse = '2026-03-01T13:00:00+00:00'
  const waiting = await insert({ due_at: factory.moment })
  const claimed = await insert({ due_at: factory.moment, claim, claimed_until: lapse })
  const failed = await insert({ state: 'failed', ended_at: factory.moment })
  await migrate(sql)
  const queued = await sql`select id, subscription_id, claim, due_at from hook_queue order by id`
  expect(queued.map(({ id, claim }) => [id, claim])).toEqual([
    [waiting.id, null],
    [claimed.id, claim],
  ])
  expect(queued.map(({ due_at }) => Date.parse(due_at))).toEqual(
    [factory.moment, lapse].map(moment => Date.parse(moment)),
  )
  expect((await sql`select id from hook_outcomes`).map(({ id }) => id)).toEqual([failed.id])
  const positions = await sql`select subscription_id from hook_positions`
  expect(positions.map(({ subscription_id }) => subscription_id).sort()).toEqual(
    queued.map(({ subscription_id }) => subscription_id).sort(),
  )
  const next = await factory.delivery(sql)
  expect(Number(next.id)).toBeGreaterThan(Number(failed.id))
})
