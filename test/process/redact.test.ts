// The command redact: what was stored with triggers off is cleaned, batch by batch, without an event, and a run
// that was interrupted goes on where it was.
import { expect, test } from 'bun:test'
import { queries } from '../../src/db/queries.ts'
import { redactStored } from '../../src/redaction/redact.ts'
import { useDatabase } from '../support/database/database.ts'
import { run as runOn } from '../support/process/program.ts'
import { until } from '../support/until.ts'

const database = useDatabase()

const raw = `'{"gehalt": 31337, "n": ' || n || '}'`

/** The triggers that clean rows also run for a replica. */
const income = (action: 'disable' | 'enable always') => `
  do $do$ declare found record; begin
    for found in select tgrelid::regclass as name, tgname from pg_trigger where tgname like '%\\_income%' loop
      execute format('alter table %s ${action} trigger %I', found.name, found.tgname);
    end loop;
  end $do$;`

/** Rows in every table the command looks at, written past the triggers; every other one holds an income. */
async function fillPastTriggers(rows: number) {
  await database.sql.unsafe(`
    truncate leads, haushalte, appointments, signals, advisory_docs, events, event_cursors, redaction_progress cascade;
    ${income('disable')}
    set local session_replication_role = replica;
    create temporary table given on commit drop as
      select n, case when n % 2 = 0 then (${raw})::jsonb else jsonb_build_object('n', n) end as document,
        ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid as id
      from generate_series(1, ${rows}) as n;
    insert into leads (id, parsed_data) select id, document from given;
    insert into lead_analyses (id, lead_id, channel, source_id, analysis, analysis_v2, din_check) select id, id, 'chat', n, '{}', document, document from given;
    insert into haushalte (kontakt_key, haushalt, provenance) select 'lead:' || id, document, document from given;
    insert into appointments (id, title, platform, starts_at) select id, case when n % 2 = 0 then 'Gehalt 31337' end, 'phone', now() from given;
    insert into signals (id, kind, title, score) select id, 'x', case when n % 2 = 0 then 'Gehalt 31337' else 'x' end, 1 from given;
    insert into advisory_docs (id, title) select id, case when n % 2 = 0 then 'Gehalt 31337' end from given;
    insert into meeting_intelligence (appointment_id, status, summary, next_steps)
      select id, 'ready', case when n % 2 = 0 then 'Gehalt 31337' end, document from given;
    insert into events (event_type, schema_version, object_type, object_id, links, data)
      select 'lead.archived', '1', 'lead', id, '{}', document from given order by n;
    insert into event_cursors (cursor, log_id, event_type) select log_id, log_id, event_type from events where log_id % 2 = 0;
    set local session_replication_role = origin;
    ${income('enable always')}`)
}

// What the rule looks at: a moment may hold the same digits as the income.
const documents = {
  events: 'data',
  leads: 'parsed_data',
  haushalte: 'haushalt, provenance',
  lead_analyses: 'analysis, analysis_v2, din_check',
  advisory_docs: 'title',
  signals: 'title',
  appointments: 'title',
  meeting_intelligence: 'summary, next_steps',
}
const tables = Object.keys(documents)

async function rowsWithIncome(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [table, columns] of Object.entries(documents)) {
    const [row] = await database.sql.unsafe(
      `select count(*)::integer as count from ${table} where concat(${columns}) like '%31337%'`,
    )
    counts[table] = row?.count
  }
  return counts
}

const all = (count: number) => Object.fromEntries(tables.map(table => [table, count]))

const run = (...args: string[]) =>
  runOn('the binary', ['redact', ...args], { DATABASE_URL: database.url })

test('redact says per table how many rows changed, and emits no event', async () => {
  await fillPastTriggers(20)
  expect(await rowsWithIncome()).toEqual(all(10))
  const { code, out, said } = await run()
  expect([code, out]).toEqual([
    0,
    tables.map(table => `${table}: 10 of 20 rows changed`).join('\n'),
  ])
  expect(said).toContain('100 %')
  expect(await rowsWithIncome()).toEqual(all(0))
  const [events] = await database.sql`select count(*)::integer as count from events`
  expect(events?.count).toBe(20)
  const [kept] =
    await database.sql`select parsed_data::text as document from leads where id::text like '%000000000004'`
  expect(kept?.document).toBe('{"n": 4}')
  expect((await run()).out).toBe(tables.map(table => `${table}: 0 of 20 rows changed`).join('\n'))
}, 60_000)

test('an interrupted run goes on where it was, and counts on; --restart begins anew', async () => {
  // A batch has 200.
  await fillPastTriggers(210)
  let batches = 0
  const interrupted = redactStored(database.sql, queries, () => {
    batches += 1
    if (batches === 3) throw new Error('interrupted')
  })
  await expect(interrupted).rejects.toThrow('interrupted')
  // 2 batches of events, 1 of leads.
  expect(await rowsWithIncome()).toMatchObject({ events: 0, leads: 5, haushalte: 105 })
  // What comes behind its back shows that it does not begin anew.
  await database.sql.unsafe(
    `${income('disable')} update leads set parsed_data = '{"gehalt": 31337}' where id::text like '%000000000001'; ${income('enable always')}`,
  )
  const done = await redactStored(database.sql, queries, () => {})
  expect(done.map(({ changed }) => changed)).toEqual(tables.map(() => 105))
  expect(await rowsWithIncome()).toEqual({ ...all(0), leads: 1 })
  const [noted] = await database.sql`select count(*)::integer as count from redaction_progress`
  expect(noted?.count).toBe(0)
  expect((await run('--restart')).out).toContain('leads: 1 of 210 rows changed')
}, 60_000)

test('a change that a writer makes meanwhile is not undone', async () => {
  await fillPastTriggers(10)
  let open: () => void = () => {}
  const held = new Promise<void>(resolve => {
    open = resolve
  })
  let locked: () => void = () => {}
  const isLocked = new Promise<void>(resolve => {
    locked = resolve
  })
  const writer = database.sql.begin(async sql => {
    await sql`update leads set parsed_data = '{"n": "neu"}' where id = '00000000-0000-8000-8000-000000000002'`
    locked()
    await held
  })
  await isLocked
  const cleaning = redactStored(database.sql, queries, () => {})
  // The command waits for the writer's row.
  await until(async () => {
    const [row] = await database.sql`
      select count(*)::integer as count from pg_locks
      join pg_stat_activity using (pid) where not granted and datname = current_database()`
    return row?.count > 0
  }, 20_000)
  open()
  await writer
  await cleaning
  const [row] =
    await database.sql`select parsed_data::text as document from leads where id = '00000000-0000-8000-8000-000000000002'`
  expect(row?.document).toBe('{"n": "neu"}')
}, 60_000)

test('an argument that redact does not know is refused', async () => {
  const { code, said } = await run('--fast')
  expect([code, said]).toEqual([2, expect.stringContaining('--fast')])
})
