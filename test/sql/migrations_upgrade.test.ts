// A database that has been in use at an older schema keeps its rows on the way to the latest.
import { beforeAll, expect, test } from 'bun:test'
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
    ['hook_deliveries', await factory.delivery(sql)],
    ['hook_attempts', await factory.attempt(sql)],
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
  for (const [table, row] of rows) {
    const columns = await columnsOf(sql, table)
    if (columns.length === 0) continue
    const fitting = Object.fromEntries(columns.map(name => [name, row[name]]))
    await factory.insertRow(sql, table, fitting)
    written.set(table, fitting)
  }
  return written
}

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
    expect(found.map(({ row }) => JSON.parse(row))).toContainEqual(expect.objectContaining(fitting))
  }
})
