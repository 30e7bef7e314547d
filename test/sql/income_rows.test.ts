// Every column that holds text is under the rule about raw income, by any writer: a session with any settings,
// the command redact for what was stored before. Logical replication: test/process/standby.test.ts.
import { beforeEach, expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const database = useDatabase()

beforeEach(async () => {
  await database.sql`truncate leads, haushalte, appointments, signals, advisory_docs, events cascade`
})

const { lead, analysis, haushalt, appointment, meeting, signal, advisoryDoc } = factory

/** Each table with its helper, its texts and its documents. */
const places = [
  ['leads', lead, 'name status source_type archive_reason_code product_domain', 'parsed_data'],
  ['lead_analyses', analysis, '', 'analysis analysis_v2 din_check'],
  ['haushalte', haushalt, 'quelle', 'haushalt provenance din_check empfehlungen_aktuell'],
  [
    ...(['appointments', appointment] as const),
    ...['title status platform customer_display_name source intelligence_status', ''],
  ],
  [
    ...(['meeting_intelligence', meeting] as const),
    ...['failure_reason customer_persona conversation_type summary', 'next_steps'],
  ],
  ['signals', signal, 'kind title quelle outcome', ''],
  ['advisory_docs', advisoryDoc, 'title', ''],
  ['events', factory.outboxEvent, 'object_type object_id', ''],
] as const
const split = (list = '') => list.split(/\s+/).filter(Boolean)
const columnsOf = (kind: 0 | 1) =>
  places.flatMap(([table, insert, ...lists]) =>
    split(lists[kind]).map(column => [`${table}.${column}`, table, column, insert] as const),
  )

/** With digits removed it would be another one, and the person could not be reached. */
const addresses = `leads.email leads.phone appointments.meeting_url haushalte.kontakt_key lead_analyses.kontakt_key
  signals.kontakt_key kontakt_aliases.alias_key kontakt_aliases.canonical_key`
/** Written by programs: enumerations, versions, ids, checksums, and what is made of cleaned columns. */
const machines = `meeting_intelligence.status meeting_intelligence.results signals.status lead_analyses.channel
  lead_analyses.source_id lead_analyses.analysis_schema_version leads.search_text haushalte.params_version
  haushalte.luecken_nach_stufe events.event_type events.schema_version events.links events.data`
/** Of customers; what other tables hold is about programs and the owner. */
const customers =
  /^(leads|lead_analyses|haushalte|appointments|meeting_intelligence|signals|advisory_docs|events|kontakt_.*)\./

test('every text column of a customer is under the rule, or a reason is given', async () => {
  const rows = await database.sql`
    select pg_class.relname || '.' || attname as name
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace and attnum > 0
      and not attisdropped and atttypid in ('text'::regtype, 'jsonb'::regtype, 'text[]'::regtype, 'varchar'::regtype)`
  const cleaned = ([0, 1] as const).flatMap(columnsOf).map(([name]) => name as string)
  const listed = [...split(addresses), ...split(machines), ...cleaned]
  const found = rows.map(row => row.name as string).filter(name => customers.test(name))
  expect(found.sort()).toEqual(listed.sort())
})

const stored = async (table: string, column: string) => {
  const [row] = await database.sql.unsafe(
    `select to_jsonb(${column})::text as value from ${table} limit 1`,
  )
  return JSON.parse(row?.value)
}

test.each(columnsOf(0))(
  '%s is cleaned on insert and update, and keeps what is no income',
  async (_, table, column, insert) => {
    await insert(database.sql, { [column]: 'Max, verdient 31.337 EUR netto' })
    expect(await stored(table, column)).toBe('Max, verdient [entfernt] netto')
    if (table === 'events') return
    const changes = {
      'Jahresbonus 31.337 EUR': 'Jahresbonus [entfernt]',
      'BU-Rente 1.500 EUR, Beitrag 45,90': 'BU-Rente 1.500 EUR, Beitrag 45,90',
    }
    for (const [written, left] of Object.entries(changes)) {
      await database.sql.unsafe(`update ${table} set ${column} = '${written}'`)
      expect(await stored(table, column)).toBe(left)
    }
  },
)

const raw = { einkommen: { netto: 31337 }, notiz: 'Gehalt 31.337 EUR', beitrag_eur: 45 }
const clean = { notiz: 'Gehalt [entfernt]', beitrag_eur: 45 }

test.each(columnsOf(1))('%s is cleaned on insert and update', async (_, table, column, insert) => {
  await insert(database.sql, { [column]: raw })
  expect(await stored(table, column)).toEqual(clean)
  const changed = JSON.stringify({ ...raw, neu: 1 })
  await database.sql.unsafe(`update ${table} set ${column} = $1::text::jsonb`, [changed])
  expect(await stored(table, column)).toEqual({ ...clean, neu: 1 })
})

test('the kind of a signal is the name of the value in its title', async () => {
  const columns = {
    kind: 'einkommensaenderung',
    quelle: 'call-4711',
    title: 'Neu: 3211 statt 2900',
  }
  const row = await factory.signal(database.sql, { ...columns, outcome: '3211 bestätigt' })
  const [title, outcome] = ['Neu: [entfernt] statt [entfernt]', '[entfernt] bestätigt']
  expect(row).toMatchObject({ ...columns, title, outcome })
  await database.sql`update signals set kind = 'deckungsluecke', title = 'Neu: 3211 statt 2900'`
  expect(await stored('signals', 'title')).toBe('Neu: 3211 statt 2900')
})

test('a result entry keeps every member; a score beyond 0 to 100 under an income is the income', async () => {
  const given = { value: 31337, rationale: 'Nannte 31.337 EUR.', score: 31337 }
  const cleaned = { value: null, rationale: 'Nannte [entfernt].', score: null }
  const income = (members: object) =>
    factory.resultEntry({ field_key: 'nettoeinkommen', ...members })
  const scores = [
    factory.resultEntry({ field_key: 'gehalt', value: null, score: 80 }),
    factory.resultEntry({ field_key: 'bedarf', value: null, score: 31337 }),
  ]
  await factory.meeting(database.sql, { results: [income(given), ...scores] })
  expect(await stored('meeting_intelligence', 'results')).toEqual([income(cleaned), ...scores])
  const { value: _, ...without } = income({ rationale: '31337' })
  await expect(factory.meeting(database.sql, { results: [without] })).rejects.toMatchObject({
    code: '23514',
  })
})

test('addresses and keys stay whole, and numbers keep every digit', async () => {
  const digits = '{"gehalt": 1, "summe_eur": 123456789012345678901234567890.12345}'
  await database.sql.unsafe(
    `insert into leads (email, phone, parsed_data) values ('gehalt3200@example.org', '+493023125042', '${digits}')`,
  )
  const [row] = await database.sql`select email, phone, parsed_data::text as document from leads`
  expect(row).toEqual({
    email: 'gehalt3200@example.org',
    phone: '+493023125042',
    document: '{"summe_eur": 123456789012345678901234567890.12345}',
  })
  await factory.haushalt(database.sql, { kontakt_key: 'email:netto3200@example.org' })
  const events = await database.sql`select object_id from events where object_id like 'email:%'`
  expect(events.map(event => event.object_id)).toEqual(['email:netto3200@example.org'])
})

test("events carry what was stored, and the producers' door cleans what it is given", async () => {
  await factory.analysis(database.sql, {
    analysis_v2: { kunde: raw },
    din_check: { text: 'Gehalt 31337' },
  })
  await factory.meeting(database.sql, { summary: 'Gehalt 31337' })
  const data = { channel: 'chat', analysis_schema_version: null, analysis: raw }
  await database.sql.unsafe(
    `select emit_event('analysis.completed', 'analysis', 'x', '{}', '${JSON.stringify(data)}')`,
  )
  const rows = await database.sql`select data::text as data from events order by log_id`
  expect(rows.length).toBeGreaterThan(4)
  expect(rows.map(row => row.data).join()).not.toMatch(/31.?337/)
  expect(JSON.parse(rows.at(-1)?.data).analysis).toEqual(clean)
})

/** Stores what an older rule let through. */
const pastTriggers = async (table: string, statement: string) => {
  const names =
    await database.sql`select tgname as name from pg_trigger where tgrelid = ${table}::regclass and tgenabled = 'A'`
  await database.sql.begin(async sql => {
    for (const { name } of names) await sql.unsafe(`alter table ${table} disable trigger ${name}`)
    await sql.unsafe(`set local session_replication_role = replica; ${statement}`)
    for (const { name } of names)
      await sql.unsafe(`alter table ${table} enable always trigger ${name}`)
  })
}

test('a change of nothing but removed income emits nothing; another one shows alone', async () => {
  await factory.haushalt(database.sql, {
    haushalt: { a: { b: 1 }, gehalt: 1 },
    din_check: { a: 1 },
  })
  await factory.signal(database.sql, { kind: 'x', title: 'y' })
  const events = async (statement: string) => {
    await database.sql`truncate events`
    await database.sql.unsafe(statement)
    const rows = await database.sql`select data::text as data from events order by log_id`
    return rows.map(row => JSON.parse(row.data))
  }
  expect(
    await events(
      `update haushalte set haushalt = haushalt || '{"gehalt": 31337}', din_check = din_check || '{"netto": 1}'`,
    ),
  ).toEqual([])
  await pastTriggers(
    'haushalte',
    `update haushalte set haushalt = haushalt || '{"c": {"gehalt": 31337}}'`,
  )
  await pastTriggers('signals', `update signals set outcome = 'verdient 31337'`)
  expect(
    await events('update haushalte set haushalt = haushalt; update signals set outcome = outcome'),
  ).toEqual([])
  expect(await stored('haushalte', 'haushalt')).toEqual({ a: { b: 1 }, c: {} })
  expect(await stored('signals', 'outcome')).toBe('verdient [entfernt]')
  const [changed] = await events(`update haushalte set haushalt = haushalt || '{"a": {"b": 2}}'`)
  expect(changed.geaenderte_abschnitte).toEqual(['a'])
})

test('every trigger of income is enabled always, and only those', async () => {
  const rows = await database.sql`
    select tgname as name, tgenabled as enabled from pg_trigger
    where not tgisinternal and (tgname like '%\\_income%' or tgenabled = 'A' and tgname !~ '_(documents|begin)$') order by tgname`
  expect(rows.length).toBe(8)
  expect(rows.filter(({ name, enabled }) => enabled !== 'A' || !name.includes('_income'))).toEqual(
    [],
  )
})

const parsed = `'{"gehalt": 31337, "t": "verdient 31.337 EUR"}'`
const insertAs = (n: number) =>
  `insert into public.leads (name, parsed_data) values ('Max ${n}, verdient 31.337 EUR', ${parsed})`

test.each([
  'session_replication_role = replica',
  'search_path = pg_catalog',
  "search_path = ''",
  'standard_conforming_strings = off',
  'DateStyle = german',
])('a session with %s is cleaned as well', async setting => {
  await database.sql.begin(async sql => {
    await sql.unsafe(`set local ${setting}`)
    await sql.unsafe(insertAs(1))
  })
  expect(await stored('leads', 'name')).toBe('Max 1, verdient [entfernt]')
  expect(await stored('leads', 'parsed_data')).toEqual({ t: 'verdient [entfernt]' })
})
