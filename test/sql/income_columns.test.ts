// Every column that holds text is under the rule about raw income, or is listed here with the reason why not.
import { beforeEach, expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const database = useDatabase()

beforeEach(async () => {
  await database.sql`truncate leads, haushalte, appointments, signals, advisory_docs, events cascade`
})

type Insert = (columns: factory.Columns) => Promise<unknown>
type Place = { table: string; insert: Insert; texts: string[]; documents: string[] }

const places: Place[] = [
  {
    table: 'leads',
    insert: columns => factory.lead(database.sql, columns),
    texts: ['name', 'status', 'source_type', 'archive_reason_code', 'product_domain'],
    documents: ['parsed_data'],
  },
  {
    table: 'lead_analyses',
    insert: columns => factory.analysis(database.sql, columns),
    texts: [],
    documents: ['analysis', 'analysis_v2', 'din_check'],
  },
  {
    table: 'haushalte',
    insert: columns => factory.haushalt(database.sql, columns),
    texts: ['quelle'],
    documents: ['haushalt', 'provenance', 'din_check', 'empfehlungen_aktuell'],
  },
  {
    table: 'appointments',
    insert: columns => factory.appointment(database.sql, columns),
    texts: [
      'title',
      'status',
      'platform',
      'customer_display_name',
      'source',
      'intelligence_status',
    ],
    documents: [],
  },
  {
    table: 'meeting_intelligence',
    insert: columns => factory.meeting(database.sql, columns),
    texts: ['failure_reason', 'customer_persona', 'conversation_type', 'summary'],
    documents: ['next_steps', 'results'],
  },
  {
    table: 'signals',
    insert: columns => factory.signal(database.sql, columns),
    texts: ['kind', 'title', 'quelle', 'outcome'],
    documents: [],
  },
  {
    table: 'advisory_docs',
    insert: columns => factory.advisoryDoc(database.sql, columns),
    texts: ['title'],
    documents: [],
  },
  {
    table: 'events',
    insert: columns => factory.outboxEvent(database.sql, columns),
    texts: ['object_type', 'object_id'],
    documents: ['data'],
  },
]

/** With digits removed it would be another one, and the person could not be reached. */
const addresses =
  'leads.email leads.phone appointments.meeting_url haushalte.kontakt_key lead_analyses.kontakt_key signals.kontakt_key kontakt_aliases.alias_key kontakt_aliases.canonical_key hook_subscriptions.target_url'
/** Written by programs: enumerations, versions, ids, checksums, and what is made of cleaned columns. */
const machines =
  'meeting_intelligence.status signals.status lead_analyses.channel lead_analyses.source_id lead_analyses.analysis_schema_version leads.search_text haushalte.params_version haushalte.luecken_nach_stufe events.event_type events.schema_version events.links event_cursors.event_type event_types.event_type event_types.schema_version sample_events.event_type sample_events.schema_version sample_events.object_type sample_events.object_id sample_events.links sample_events.data feed.identity feed.late redaction_progress.table_name redaction_progress.after_key schema_migrations.name schema_migrations.sha256 schema_functions.path schema_functions.sha256 schema_functions.version event_types.payload write_locks.name search_shares.part'
/** About programs that connect, never about a customer. */
const connections =
  'api_keys.prefix api_keys.label api_keys.scopes hook_subscriptions.event_types hook_subscriptions.label hook_subscriptions.source hook_subscriptions.secret hook_subscriptions.old_secret hook_attempts.error_class hook_attempts.excerpt hook_skips.reason hook_test_events.envelope'

/** Tables of the owner, notices, keys, webhooks and workers hold nothing that a customer says; what they hold is said where they are made. */
const judged = (table: string) => !/^(owner|hook|worker|notice|key)_/.test(table)

test('every text column is under the rule, or a reason is given', async () => {
  const rows = await database.sql`
    select pg_class.relname as table_name, attname as column_name
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where pg_class.relkind in ('r', 'p') and not pg_class.relispartition
      and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
      and atttypid in ('text'::regtype, 'jsonb'::regtype, 'text[]'::regtype, 'varchar'::regtype)`
  const listed = new Set([
    ...`${addresses} ${machines} ${connections}`.split(' '),
    ...places.flatMap(({ table, texts, documents }) =>
      [...texts, ...documents].map(column => `${table}.${column}`),
    ),
  ])
  const found = rows.map(row => `${row.table_name}.${row.column_name}`)
  expect(found.length).toBeGreaterThan(50)
  expect(found.filter(name => judged(name.split('.')[0] ?? '') && !listed.has(name))).toEqual([])
  expect(places.flatMap(({ table, texts }) => texts.map(text => `${table}.${text}`))).toSatisfy(
    names => names.every(name => found.includes(name)),
  )
})

const stored = async (table: string, column: string) => {
  const [row] = await database.sql.unsafe(`select ${column} as value from ${table} limit 1`)
  return row?.value
}

const textColumns = places.flatMap(({ table, insert, texts }) =>
  texts.map(column => [`${table}.${column}`, table, column, insert] as const),
)

test.each(textColumns)('%s is cleaned on insert', async (_, table, column, insert) => {
  await insert({ [column]: 'Max, verdient 31.337 EUR netto' })
  expect(await stored(table, column)).toBe('Max, verdient [entfernt] netto')
})

test.each(textColumns)('%s keeps what is no income', async (_, table, column, insert) => {
  await insert({ [column]: 'BU-Rente 1.500 EUR, Beitrag 45,90' })
  expect(await stored(table, column)).toBe('BU-Rente 1.500 EUR, Beitrag 45,90')
})

const changing = textColumns.filter(([, table]) => table !== 'events')

test.each(changing)('%s is cleaned on update', async (_, table, column, insert) => {
  await insert({})
  await database.sql.unsafe(`update ${table} set ${column} = 'Jahresbonus 31.337 EUR'`)
  expect(await stored(table, column)).toBe('Jahresbonus [entfernt]')
})

test('addresses and keys stay whole', async () => {
  await factory.lead(database.sql, { email: 'gehalt3200@example.org', phone: '+49 30 23125042' })
  await factory.appointment(database.sql, {
    meeting_url: 'https://meet.example.com/gehalt-3200',
  })
  await factory.haushalt(database.sql, { kontakt_key: 'email:netto3200@example.org' })
  expect(await stored('leads', 'email')).toBe('gehalt3200@example.org')
  expect(await stored('appointments', 'meeting_url')).toBe('https://meet.example.com/gehalt-3200')
  const rows = await database.sql`select object_id from events where object_id like 'email:%'`
  expect(rows.map(row => row.object_id)).toEqual(['email:netto3200@example.org'])
})

test('a score beyond 0 to 100 under an income is the income, and becomes null', async () => {
  await factory.meeting(database.sql, {
    results: [
      factory.resultEntry({ field_key: 'netto', value: null, score: 31337 }),
      factory.resultEntry({ field_key: 'gehalt', value: null, score: 80 }),
      factory.resultEntry({ field_key: 'bedarf', value: null, score: 31337 }),
    ],
  })
  const results = (await stored('meeting_intelligence', 'results::text')) as string
  expect(JSON.parse(results).map((entry: { score: unknown }) => entry.score)).toEqual([
    null,
    80,
    31337,
  ])
})

/** The events of a change, without those of what was there before. */
const eventsOf = async (statement: string) => {
  await database.sql`truncate events`
  await database.sql.unsafe(statement)
  const rows = await database.sql`select event_type, data::text as data from events order by log_id`
  return rows.map(row => [row.event_type, JSON.parse(row.data)])
}

test('a title or a status that only loses its income emits no event; another change shows the cleaned one', async () => {
  await database.sql.unsafe(`
    set local session_replication_role = replica;
    insert into leads (status) values ('netto 31337');
    insert into appointments (title, platform, starts_at) values ('Gehalt 31337 EUR', 'zoom', now());
    insert into signals (kind, title, score, outcome) values ('x', 'y', 1, 'verdient 31337')`)
  expect(
    await eventsOf(
      'update leads set status = status; update appointments set title = title; update signals set outcome = outcome',
    ),
  ).toEqual([])
  expect(await stored('appointments', 'title')).toBe('Gehalt [entfernt]')
  await database.sql.unsafe(
    `set local session_replication_role = replica; update leads set status = 'netto 31337'`,
  )
  const [[type, data]] = (await eventsOf(`update leads set status = 'won'`)) as [
    [string, Record<string, unknown>],
  ]
  expect([type, data.status_before, data.status_after]).toEqual([
    'lead.stage_changed',
    'netto [entfernt]',
    'won',
  ])
})
