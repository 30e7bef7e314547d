// The command redact: what was stored with triggers off is cleaned, batch by batch, without an event, and a run that was
// interrupted goes on where it was.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { queries } from '../../src/db/queries.ts'
import { redactStored } from '../../src/redaction/redact.ts'
import { countLockWaits, useDatabase } from '../support/database/database.ts'
import { until } from '../support/until.ts'
import { runHere } from './commands.ts'

setDefaultTimeout(60_000)

const database = useDatabase()

/** The triggers that clean rows also run for a replica. */
const income = (action: 'disable' | 'enable always') => `
  do $do$ declare found record; begin
    for found in select tgrelid::regclass as name, tgname from pg_trigger where tgname like '%\\_income%' loop
      execute format('alter table %s ${action} trigger %I', found.name, found.tgname);
    end loop;
  end $do$;`

const pastTriggers = (statements: string) =>
  database.sql.unsafe(`
    ${income('disable')} set local session_replication_role = replica;
    ${statements};
    set local session_replication_role = origin; ${income('enable always')}`)

/** Rows in every table that the command looks at; every other one holds an income. */
const fill = (rows: number) =>
  pastTriggers(`
    truncate leads, haushalte, appointments, signals, advisory_docs, events, event_cursors, redaction_progress cascade;
    create temporary table given on commit drop as
      select n, case when n % 2 = 0 then jsonb_build_object('gehalt', 31337, 'n', n) else jsonb_build_object('n', n) end as document,
        case when n % 2 = 0 then 'Gehalt 31337' end as text, ('00000000-0000-8000-8000-' || lpad(n::text, 12, '0'))::uuid as id
      from generate_series(1, ${rows}) as n;
    insert into leads (id, parsed_data) select id, document from given;
    insert into lead_analyses (id, lead_id, channel, source_id, analysis, analysis_v2, din_check) select id, id, 'chat', n, '{}', document, document from given;
    insert into haushalte (kontakt_key, haushalt, provenance) select 'lead:' || id, document, document from given;
    insert into appointments (id, title, platform, starts_at) select id, text, 'phone', now() from given;
    insert into signals (id, kind, title, score) select id, 'x', coalesce(text, 'x'), 1 from given;
    insert into advisory_docs (id, title) select id, text from given;
    insert into meeting_intelligence (appointment_id, status, summary, next_steps) select id, 'ready', text, document from given;
    insert into events (event_type, schema_version, object_type, object_id, links, data)
      select 'lead.archived', '1', 'lead', id, '{}', document from given order by n;
    insert into event_cursors (cursor, log_id, event_type) select log_id, log_id, event_type from events where log_id % 2 = 0`)

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

const withIncome = async (): Promise<number[]> => {
  const counts: number[] = []
  for (const [table, columns] of Object.entries(documents))
    counts.push(
      (await database.sql.unsafe(`select from ${table} where concat(${columns}) like '%31337%'`))
        .length,
    )
  return counts
}

const redact = (...args: string[]) => runHere(['redact', ...args], { DATABASE_URL: database.url })
const report = (changed: number, seen: number) =>
  tables.map(table => `${table}: ${changed} of ${seen} rows changed`).join('\n')

test('redact says per table how many rows changed, keeps the rest of them, and emits no event', async () => {
  await fill(20)
  expect(await withIncome()).toEqual(tables.map(() => 10))
  const { code, out, said } = await redact()
  expect([code, out]).toEqual([0, report(10, 20)])
  expect(said).toContain('100 %')
  expect(await withIncome()).toEqual(tables.map(() => 0))
  expect(await database.sql`select from events`).toHaveLength(20)
  const [kept] =
    await database.sql`select parsed_data::text as document from leads where id::text like '%000000000004'`
  expect(kept?.document).toBe('{"n": 4}')
  expect((await redact()).out).toBe(report(0, 20))
})

test('an interrupted run goes on where it was, and counts on; --restart begins anew', async () => {
  // A batch has 200.
  await fill(210)
  let batches = 0
  const interrupted = redactStored(database.sql, queries, () => {
    batches += 1
    if (batches === 3) throw new Error('interrupted')
  })
  await expect(interrupted).rejects.toThrow('interrupted')
  // 2 batches of events, 1 of leads.
  expect((await withIncome()).slice(0, 3)).toEqual([0, 5, 105])
  // What comes behind its back shows that it does not begin anew.
  await pastTriggers(
    `update leads set parsed_data = '{"gehalt": 31337}' where id::text like '%000000000001'`,
  )
  expect((await redact()).out).toBe(report(105, 210))
  expect(await withIncome()).toEqual([0, 1, 0, 0, 0, 0, 0, 0])
  expect((await redact('--restart')).out).toContain('leads: 1 of 210 rows changed')
})

test('a change that a writer makes meanwhile is not undone', async () => {
  await fill(10)
  const cleaning = await database.sql.begin(async sql => {
    await sql`update leads set parsed_data = '{"n": "neu"}' where id::text like '%000000000002'`
    const cleaned = redactStored(database.sql, queries, () => {})
    await until(async () => (await countLockWaits(database.sql)) > 0, 20_000)
    return { cleaned }
  })
  await cleaning.cleaned
  const [row] =
    await database.sql`select parsed_data::text as document from leads where id::text like '%000000000002'`
  expect(row?.document).toBe('{"n": "neu"}')
})
