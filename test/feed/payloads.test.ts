// Spec part 6 and design 3: which change makes which event, with which payload.
import { expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { payloads } from '../../src/model/event.ts'
import { type EventType, schemaVersions } from '../../src/model/event_type.ts'
import { useDatabase } from '../support/database/database.ts'

for (const format of ['uuid', 'date-time', 'uri']) FormatRegistry.Set(format, () => true)

const database = useDatabase()

type Emitted = {
  event_type: EventType
  schema_version: string
  object_type: string
  object_id: string
  links: { lead_id: string | null; session_id: string | null }
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  data: any
}

/** What the statements emitted; every payload is held against its published schema. */
async function emittedBy(...statements: string[]): Promise<Emitted[]> {
  await database.sql`delete from events`
  for (const statement of statements) await database.sql.unsafe(statement)
  const rows = await database.sql`
    select event_type, schema_version, object_type, object_id, links, data from events order by log_id`
  const events = rows.map(row => ({
    ...row,
    links: JSON.parse(row.links),
    data: JSON.parse(row.data),
  })) as Emitted[]
  for (const { event_type, schema_version, data } of events) {
    expect([...Value.Errors(payloads[event_type], data)]).toEqual([])
    expect(schema_version).toBe(schemaVersions[event_type])
  }
  return events
}

const lead = '11111111-1111-4111-8111-111111111111'
const session = '22222222-2222-4222-8222-222222222222'
const other = '33333333-3333-4333-8333-333333333333'
const person = 'email:a@example.org'

const noLinks = { lead_id: null, session_id: null }
const ofBoth = { lead_id: lead, session_id: session }
const ofLead = { lead_id: lead, session_id: null }
const gaps = (...counts: number[]) => counts.map((anzahl, at) => ({ stufe: at + 1, anzahl }))
const stage = (status_before: string, status_after: string, trigger: string | null) => ({
  lead_id: lead,
  status_before,
  status_after,
  trigger,
})
const check = {
  bewertung: {
    params_version: '2026.1',
    luecken_nach_stufe: [{ stufe: 2, themen: ['a', 'b'] }],
    unbekannt_in_analyse: ['c'],
  },
}
const termin = {
  appointment_id: other,
  title: 'Termin',
  starts_at: '2026-03-01T09:00:00.000000Z',
  ends_at: null,
  platform: 'zoom',
  meeting_url: null,
  customer_display_name: null,
  source: 'calendar',
}
const moved = { ...termin, starts_at: '2026-03-02T09:00:00.000000Z' }
const signal = {
  signal_id: other,
  kind: 'cross_sell',
  title: 'Haftung',
  score: 12.5,
  status: 'open',
  kontakt_key: person,
  lead_id: lead,
  quelle: 'crm_import',
}
const haushalt = {
  kontakt_key: person,
  quelle: 'crm_import',
  geaenderte_abschnitte: ['haushalt', 'vertraege'],
  vertraege_anzahl: 1,
  luecken_anzahl: 0,
}
const checked = (members: object) => ({
  ...{ channel: 'call', quelle: null, kontakt_key: person, params_version: null },
  ...{ luecken_nach_stufe: gaps(0, 0, 0), unbekannt_anzahl: 0 },
  ...members,
})
const created = {
  ...{ lead_id: lead, name: 'Anna', email: 'a@example.org', phone: null },
  ...{ source_type: 'chat', status: 'new', product_domain: 'hausrat' },
}
const completed = {
  ...{ channel: 'call', analysis_schema_version: 'din_core_v2' },
  analysis: { meta: { version: 'din_core_v2' }, din_check: check },
}
const ready = {
  ...{ appointment_id: other, summary: 'Gut.', next_steps: ['Angebot'] },
  ...{ overall_score: 7.5, results: [] },
}
const doc = { advisory_doc_id: other, lead_id: lead, title: 'Doku' }

/** What an event is about, its links and its data; null: an id of its own. */
type Expected = [EventType, object_id: string | null, links: object, data: object]

/** Statements in the order of their rows: each goes on from what those above it left. */
const changes: [statement: string, ...expected: Expected[]][] = [
  [
    `insert into leads (id, name, email, session_id, source_type, product_domain) values ('${lead}', 'Anna', 'a@example.org', '${session}', 'chat', 'hausrat')`,
    ['lead.created', lead, ofBoth, created],
  ],
  [
    `set local app.trigger = 'import'; update leads set status = 'won'`,
    ['lead.stage_changed', lead, ofBoth, stage('new', 'won', 'import')],
  ],
  [
    `update leads set status = 'lost'`,
    ['lead.stage_changed', lead, ofBoth, stage('won', 'lost', null)],
  ],
  [
    `set local app.trigger = 'Nettoeinkommen 3.200 EUR erfasst'; update leads set status = 'open'`,
    [
      'lead.stage_changed',
      lead,
      ofBoth,
      stage('lost', 'open', 'Nettoeinkommen [entfernt] erfasst'),
    ],
  ],
  [
    `update leads set archived_at = now(), archive_reason_code = 'spam'`,
    ['lead.archived', lead, ofBoth, { lead_id: lead, archive_reason_code: 'spam' }],
  ],
  [`update leads set archived_at = now() + interval '1 day'`],
  [
    `insert into lead_analyses (lead_id, channel, source_id, analysis_schema_version, analysis_v2, din_check, kontakt_key, session_id)
     values ('${lead}', 'call', 's1', 'din_core_v2', '{"meta": {"version": "din_core_v2"}}', '${JSON.stringify(check)}', '${person}', '${session}')`,
    ['analysis.completed', null, ofBoth, completed],
    [
      ...(['din.check_completed', null, ofBoth] as const),
      checked({
        params_version: '2026.1',
        luecken_nach_stufe: gaps(0, 2, 0),
        unbekannt_anzahl: 1,
      }),
    ],
  ],
  [
    `update lead_analyses set din_check = '{"bewertung": {}}'`,
    ['din.check_completed', null, ofBoth, checked({})],
  ],
  [
    `insert into haushalte (kontakt_key, haushalt, quelle) values ('${person}', '{"haushalt": {"n": 1}, "vertraege": [{}]}', 'crm_import')`,
    ['haushalt.updated', person, noLinks, haushalt],
  ],
  [
    `update haushalte set haushalt = '{"haushalt": {"n": 2}, "vertraege": [{}], "ziele": []}', quelle = 'kontakt_edit'`,
    [
      'haushalt.updated',
      person,
      noLinks,
      { ...haushalt, quelle: 'kontakt_edit', geaenderte_abschnitte: ['haushalt', 'ziele'] },
    ],
  ],
  [
    `update haushalte set din_check = '{"bewertung": {"luecken_nach_stufe": [{"stufe": 1, "themen": ["x"]}]}}'`,
    [
      ...(['din.check_completed', person, noLinks] as const),
      checked({ channel: null, quelle: 'kontakt_edit', luecken_nach_stufe: gaps(1, 0, 0) }),
    ],
  ],
  [
    `select merge_kontakte('0171 3920001', 'A@Example.org')`,
    [
      'kontakt.merged',
      person,
      noLinks,
      { canonical_key: person, alias_key: 'phone:+491713920001' },
    ],
  ],
  [
    `insert into appointments (id, title, platform, starts_at, lead_id, source) values ('${other}', 'Termin', 'zoom', '2026-03-01T10:00:00+01:00', '${lead}', 'calendar')`,
    ['appointment.scheduled', other, ofLead, termin],
  ],
  [
    `update appointments set starts_at = '2026-03-02T10:00:00+01:00'`,
    ['appointment.updated', other, ofLead, moved],
  ],
  [`update appointments set customer_display_name = 'Anna'`],
  [
    `update appointments set status = 'cancelled'`,
    ['appointment.cancelled', other, ofLead, { ...moved, customer_display_name: 'Anna' }],
  ],
  [`update appointments set status = 'cancelled'`],
  [
    `insert into meeting_intelligence (appointment_id, status, failure_reason) values ('${other}', 'failed', 'no audio')`,
    [
      'meeting.intelligence_failed',
      other,
      noLinks,
      { appointment_id: other, failure_reason: 'no audio' },
    ],
  ],
  [`update meeting_intelligence set failure_reason = 'silence'`],
  [
    `update meeting_intelligence set status = 'ready', summary = 'Gut.', next_steps = '["Angebot"]', overall_score = 7.5`,
    ['meeting.intelligence_ready', other, noLinks, ready],
  ],
  [
    `insert into signals (id, kind, title, score, lead_id, kontakt_key, quelle) values ('${other}', 'cross_sell', 'Haftung', 12.5, '${lead}', '${person}', 'crm_import')`,
    ['signal.opened', other, ofLead, signal],
  ],
  [
    `update signals set status = 'done', outcome = 'verkauft'`,
    ['signal.status_changed', other, ofLead, { ...signal, status: 'done' }],
    ['signal.outcome_recorded', other, ofLead, { ...signal, status: 'done', outcome: 'verkauft' }],
  ],
  [`update signals set outcome = 'verkauft'`],
  [`insert into advisory_docs (id, lead_id, title) values ('${other}', '${lead}', 'Doku')`],
  [
    `update advisory_docs set approved_at = '2026-03-01T10:00:00Z'`,
    [
      'advisory_doc.approved',
      other,
      ofLead,
      { ...doc, approved_at: '2026-03-01T10:00:00.000000Z' },
    ],
  ],
  [
    `update advisory_docs set sent_at = '2026-03-02T10:00:00Z', approved_at = approved_at`,
    ['advisory_doc.sent', other, ofLead, { ...doc, sent_at: '2026-03-02T10:00:00.000000Z' }],
  ],
  [`update leads set status = status, name = name, phone = '1'`],
  [`update haushalte set haushalt = haushalt, din_check = din_check, updated_at = now()`],
  [`update lead_analyses set din_check = din_check, source_id = source_id`],
  [`update appointments set title = title`],
  [`update signals set status = status, score = score + 1`],
  [`insert into leads (name) values ('x'); rollback`],
  [
    `select emit_event('lead.archived', 'lead', '${other}', '{"lead_id": "${lead}"}', '{"lead_id": "${lead}", "archive_reason_code": null}')`,
    ['lead.archived', other, ofLead, { lead_id: lead, archive_reason_code: null }],
  ],
]

test.each(changes)('%s', async (statement, ...expected) => {
  const events = await emittedBy(statement)
  const found = events.map(({ event_type, object_id, links, data }, at) => {
    const isOwn = expected[at]?.[1] === null && /^[0-9a-f-]{36}$/.test(object_id)
    return [event_type, isOwn ? null : object_id, links, data]
  })
  expect(found).toEqual(expected as never)
  for (const { event_type, object_id, object_type } of events) {
    const [about = ''] = event_type.split('.')
    const checked = object_id === person ? 'haushalt' : 'analysis'
    expect(object_type).toBe(about === 'din' ? checked : about)
  }
})

test('payloads are the same whatever the writer’s session has set', async () => {
  const [event] = await emittedBy(
    `set local timezone = 'Asia/Tokyo'; set local datestyle = 'German'; set local search_path = ''; insert into public.appointments (platform, starts_at) values ('phone', '2026-03-01T00:00:00Z')`,
  )
  expect(event?.data.starts_at).toBe('2026-03-01T00:00:00.000000Z')
})

test('a bulk insert of 10,000 leads is one statement for the log', async () => {
  await database.sql`delete from events`
  await database.sql.begin(async sql => {
    await sql`set local track_functions = 'all'`
    await sql`insert into leads (name) select 'Bulk ' || n from generate_series(1, 10000) as n`
    const calls =
      await sql`select calls::integer as calls from pg_stat_xact_user_functions where funcname = 'emit_created'`
    expect(calls.map(row => row.calls)).toEqual([1])
  })
  const [row] = await database.sql`select count(*)::integer as count from events`
  expect(row?.count).toBe(10_000)
  await database.sql`truncate events`
})
