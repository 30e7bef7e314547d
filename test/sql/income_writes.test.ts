// What writers store: income is gone from every column before it reaches the disk, and from what events carry.
import { beforeEach, expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const database = useDatabase()

beforeEach(async () => {
  await database.sql`truncate leads, haushalte, appointments, events cascade`
})

const raw = { einkommen: { netto: 31337 }, notiz: 'Gehalt 31.337 EUR', beitrag_eur: 45 }
const clean = { notiz: 'Gehalt [entfernt]', beitrag_eur: 45 }

const stored = async (table: string, column: string) => {
  const [row] = await database.sql.unsafe(`select to_jsonb(${column})::text as value from ${table}`)
  return JSON.parse(row?.value)
}

const columns: [table: string, column: string, insert: (value: unknown) => Promise<unknown>][] = [
  ...['analysis', 'analysis_v2', 'din_check'].map(
    column =>
      [
        'lead_analyses',
        column,
        (value: unknown) => factory.analysis(database.sql, { [column]: value }),
      ] as const,
  ),
  ...['haushalt', 'provenance', 'din_check', 'empfehlungen_aktuell'].map(
    column =>
      [
        'haushalte',
        column,
        (value: unknown) => factory.haushalt(database.sql, { [column]: value }),
      ] as const,
  ),
  ['leads', 'parsed_data', value => factory.lead(database.sql, { parsed_data: value })],
  [
    'meeting_intelligence',
    'next_steps',
    value => factory.meeting(database.sql, { next_steps: value }),
  ],
] as [string, string, (value: unknown) => Promise<unknown>][]

test.each(columns)('%s.%s is cleaned on insert and on update', async (table, column, insert) => {
  await insert(raw)
  expect(await stored(table, column)).toEqual(clean)
  await database.sql.unsafe(`update ${table} set ${column} = $1::text::jsonb`, [
    JSON.stringify({ ...raw, neu: 1 }),
  ])
  expect(await stored(table, column)).toEqual({ ...clean, neu: 1 })
})

test('a change of status does not look through the document again', async () => {
  await factory.lead(database.sql, { parsed_data: { notiz: 'Reihenhaus, 3 Kinder' } })
  await database.sql.begin(async transaction => {
    await transaction`set local track_functions = 'all'`
    const calls = async () => {
      const [row] = await transaction`
        select coalesce(pg_stat_get_xact_function_calls('redact_income(jsonb)'::regprocedure), 0)::integer as calls`
      return row?.calls
    }
    await transaction`update leads set status = 'won'`
    expect(await calls()).toBe(0)
    await transaction`update leads set parsed_data = '{"notiz": "Reihenhaus, 4 Kinder"}'`
    expect(await calls()).toBe(1)
  })
})

test('the summary of a meeting is cleaned', async () => {
  await factory.meeting(database.sql, { summary: 'Verdient 31.337 netto. Will 900 EUR sparen.' })
  expect(await stored('meeting_intelligence', 'summary')).toBe(
    'Verdient [entfernt] netto. Will 900 EUR sparen.',
  )
})

test('a result entry keeps every member: its value becomes null', async () => {
  const entry = factory.resultEntry({
    field_key: 'nettoeinkommen',
    value: 31337,
    rationale: 'Nannte 31.337 EUR.',
  })
  await factory.meeting(database.sql, { results: [entry, factory.resultEntry()] })
  expect(await stored('meeting_intelligence', 'results')).toEqual([
    { ...entry, value: null, rationale: 'Nannte [entfernt].' },
    factory.resultEntry(),
  ])
})

test('a result entry without a value is refused as before', async () => {
  const { value, ...entry } = factory.resultEntry({ field_key: 'gehalt', rationale: '31337' })
  expect(value).toBeDefined()
  await expect(factory.meeting(database.sql, { results: [entry] })).rejects.toMatchObject({
    code: '23514',
  })
})

test('numbers keep every digit', async () => {
  const digits = '{"gehalt": 1, "summe_eur": 123456789012345678901234567890.12345}'
  await database.sql.unsafe(`insert into leads (parsed_data) values ('${digits}')`)
  const [row] = await database.sql`select parsed_data::text as value from leads`
  expect(row?.value).toBe('{"summe_eur": 123456789012345678901234567890.12345}')
})

test('events carry what was stored, and emit_event cleans what it is given', async () => {
  await factory.analysis(database.sql, {
    analysis_v2: { kunde: raw },
    din_check: { text: 'Gehalt 31337' },
  })
  await factory.meeting(database.sql, {
    summary: 'Gehalt 31337',
    results: [factory.resultEntry({ field_key: 'gehalt', value: 31337 })],
  })
  await database.sql.unsafe(
    `select append_event('haushalt.updated', 'haushalt', 'x', '{}', '${JSON.stringify(raw)}')`,
  )
  const rows = await database.sql`select event_type, data::text as data from events order by log_id`
  expect(rows.map(row => row.data).join()).not.toMatch(/31.?337/)
  expect(JSON.parse(rows.at(-1)?.data)).toEqual(clean)
  expect(rows.map(row => row.event_type)).toContain('analysis.completed')
  expect(rows.map(row => row.event_type)).toContain('meeting.intelligence_ready')
})

/** The events of a change, without those of what was there before. */
const eventsOf = async (statement: string) => {
  await database.sql`truncate events`
  await database.sql.unsafe(statement)
  const rows = await database.sql`select event_type, data::text as data from events order by log_id`
  return rows.map(row => [row.event_type, JSON.parse(row.data)])
}

test('a change of nothing but removed income emits nothing', async () => {
  await factory.haushalt(database.sql, { haushalt: { a: 1, gehalt: 1 }, din_check: { a: 1 } })
  await factory.analysis(database.sql, { din_check: { a: 1, netto: 1 } })
  const rise = `update haushalte set haushalt = haushalt || '{"gehalt": 31337}', din_check = din_check || '{"netto": 31337}'`
  expect(await eventsOf(rise)).toEqual([])
  expect(
    await eventsOf(`update lead_analyses set din_check = din_check || '{"netto": 2}'`),
  ).toEqual([])
})

test('nor does the removal of what was stored with triggers off, and other changes show alone', async () => {
  await database.sql.unsafe(`
    set local session_replication_role = replica;
    insert into haushalte (kontakt_key, haushalt, din_check) values ('email:a@example.org', '{"a": {"b": 1}, "c": {"gehalt": 31337}}', '{"gehalt": 31337}')`)
  const before = `update haushalte set haushalt = haushalt, din_check = din_check`
  const raws = `set local session_replication_role = replica; update haushalte set haushalt = '{"a": {"b": 1}, "c": {"gehalt": 31337}}', din_check = '{"gehalt": 31337}'`
  expect(await eventsOf(before)).toEqual([])
  expect(await stored('haushalte', 'haushalt')).toEqual({ a: { b: 1 }, c: {} })
  await database.sql.unsafe(raws)
  const [changed] = await eventsOf(`update haushalte set haushalt = haushalt || '{"a": {"b": 2}}'`)
  expect(changed?.[1].geaenderte_abschnitte).toEqual(['a'])
})
