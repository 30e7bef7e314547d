// Spec part 6 and design 3: which change makes which event, with which payload.
import { expect, test } from 'bun:test'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { payloads } from '../../src/model/event.ts'
import { type EventType, eventTypes, schemaVersions } from '../../src/model/event_type.ts'
import { useDatabase } from '../support/database/database.ts'

for (const format of ['uuid', 'date-time', 'uri']) FormatRegistry.Set(format, () => true)

const database = useDatabase()
const uuid = /^[0-9a-f-]{36}$/

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

const typesOf = (events: Emitted[]) => events.map(({ event_type }) => event_type)
const lead = '11111111-1111-4111-8111-111111111111'
const session = '22222222-2222-4222-8222-222222222222'
const other = '33333333-3333-4333-8333-333333333333'

test('a new lead emits lead.created with its contact data', async () => {
  const [event, ...rest] = await emittedBy(
    `insert into leads (id, name, email, session_id, source_type, product_domain) values ('${lead}', 'Anna', 'a@example.org', '${session}', 'chat', 'hausrat')`,
  )
  expect(rest).toEqual([])
  expect(event).toEqual({
    event_type: 'lead.created',
    schema_version: '1',
    object_type: 'lead',
    object_id: lead,
    links: { lead_id: lead, session_id: session },
    data: {
      lead_id: lead,
      name: 'Anna',
      email: 'a@example.org',
      phone: null,
      source_type: 'chat',
      status: 'new',
      product_domain: 'hausrat',
    },
  })
})

test('a stage change names both stages and the transaction’s trigger', async () => {
  const [event] = await emittedBy(
    `set local app.trigger = 'import'; update leads set status = 'won' where id = '${lead}'`,
  )
  expect(event?.data).toEqual({
    lead_id: lead,
    status_before: 'new',
    status_after: 'won',
    trigger: 'import',
  })
  const [second] = await emittedBy(`update leads set status = 'lost' where id = '${lead}'`)
  expect(second?.data.trigger).toBeNull()
})

test('what a transaction gives as its trigger is under the rule of income', async () => {
  const [event] = await emittedBy(
    `set local app.trigger = 'Nettoeinkommen 3.200 EUR erfasst'; update leads set status = 'trigger' where id = '${lead}'`,
  )
  expect(event?.data.trigger).toBe('Nettoeinkommen [entfernt] erfasst')
})

test('archiving emits lead.archived once, with the reason', async () => {
  const events = await emittedBy(
    `update leads set archived_at = now(), archive_reason_code = 'spam' where id = '${lead}'`,
    `update leads set archived_at = now() + interval '1 day' where id = '${lead}'`,
  )
  expect(typesOf(events)).toEqual(['lead.archived'])
  expect(events[0]?.data).toEqual({ lead_id: lead, archive_reason_code: 'spam' })
})

test('a finished analysis carries the nested form with the DIN check inside, and the check itself', async () => {
  const check = {
    bewertung: {
      params_version: '2026.1',
      luecken_nach_stufe: [{ stufe: 2, themen: ['a', 'b'] }],
      unbekannt_in_analyse: ['c'],
    },
  }
  const events = await emittedBy(
    `insert into lead_analyses (lead_id, channel, source_id, analysis_schema_version, analysis_v2, din_check, kontakt_key, session_id)
     values ('${lead}', 'call', 's1', 'din_core_v2', '{"meta": {"version": "din_core_v2"}}', '${JSON.stringify(check)}', 'email:a@example.org', '${session}')`,
  )
  expect(typesOf(events)).toEqual(['analysis.completed', 'din.check_completed'])
  expect(events[0]?.object_type).toBe('analysis')
  expect(events[0]?.object_id).toMatch(uuid)
  expect(events[0]?.links).toEqual({ lead_id: lead, session_id: session })
  expect(events[0]?.data).toEqual({
    channel: 'call',
    analysis_schema_version: 'din_core_v2',
    analysis: { meta: { version: 'din_core_v2' }, din_check: check },
  })
  expect(events[1]?.data).toEqual({
    channel: 'call',
    quelle: null,
    kontakt_key: 'email:a@example.org',
    params_version: '2026.1',
    luecken_nach_stufe: [
      { stufe: 1, anzahl: 0 },
      { stufe: 2, anzahl: 2 },
      { stufe: 3, anzahl: 0 },
    ],
    unbekannt_anzahl: 1,
  })
})

test('a new check on an old analysis emits din.check_completed alone', async () => {
  const events = await emittedBy(`update lead_analyses set din_check = '{"bewertung": {}}'`)
  expect(typesOf(events)).toEqual(['din.check_completed'])
})

test('a household emits haushalt.updated with the changed sections and its quelle', async () => {
  const events = await emittedBy(
    `insert into haushalte (kontakt_key, haushalt, quelle) values ('email:a@example.org', '{"haushalt": {"n": 1}, "vertraege": [{}]}', 'crm_import')`,
    `update haushalte set haushalt = '{"haushalt": {"n": 2}, "vertraege": [{}], "ziele": []}', quelle = 'kontakt_edit'`,
    `update haushalte set din_check = '{"bewertung": {"luecken_nach_stufe": [{"stufe": 1, "themen": ["x"]}]}}'`,
  )
  expect(events.map(({ event_type, object_id, data }) => [event_type, object_id, data])).toEqual([
    [
      'haushalt.updated',
      'email:a@example.org',
      {
        kontakt_key: 'email:a@example.org',
        quelle: 'crm_import',
        geaenderte_abschnitte: ['haushalt', 'vertraege'],
        vertraege_anzahl: 1,
        luecken_anzahl: 0,
      },
    ],
    [
      'haushalt.updated',
      'email:a@example.org',
      {
        kontakt_key: 'email:a@example.org',
        quelle: 'kontakt_edit',
        geaenderte_abschnitte: ['haushalt', 'ziele'],
        vertraege_anzahl: 1,
        luecken_anzahl: 0,
      },
    ],
    [
      'din.check_completed',
      'email:a@example.org',
      {
        channel: null,
        quelle: 'kontakt_edit',
        kontakt_key: 'email:a@example.org',
        params_version: null,
        luecken_nach_stufe: [
          { stufe: 1, anzahl: 1 },
          { stufe: 2, anzahl: 0 },
          { stufe: 3, anzahl: 0 },
        ],
        unbekannt_anzahl: 0,
      },
    ],
  ])
  const links = { lead_id: null, session_id: null }
  expect(events.at(-1)).toMatchObject({ object_type: 'haushalt', links })
})

test('a merge names both keys, and merging again or the other way round emits nothing', async () => {
  const events = await emittedBy(
    `select merge_kontakte('0171 3920001', 'A@Example.org')`,
    `select merge_kontakte('phone:+491713920001', 'email:a@example.org')`,
    `select merge_kontakte('email:a@example.org', 'phone:+491713920001')`,
    `select merge_kontakte('a@example.org', 'a@example.org')`,
  )
  expect(
    events.map(({ event_type, object_type, object_id, data }) => [
      event_type,
      object_type,
      object_id,
      data,
    ]),
  ).toEqual([
    [
      'kontakt.merged',
      'kontakt',
      'email:a@example.org',
      { canonical_key: 'email:a@example.org', alias_key: 'phone:+491713920001' },
    ],
  ])
})

test('an appointment is scheduled, updated and cancelled', async () => {
  const events = await emittedBy(
    `insert into appointments (id, title, platform, starts_at, lead_id, source) values ('${other}', 'Termin', 'zoom', '2026-03-01T10:00:00+01:00', '${lead}', 'calendar')`,
    `update appointments set starts_at = '2026-03-02T10:00:00+01:00'`,
    `update appointments set customer_display_name = 'Anna'`,
    `update appointments set status = 'cancelled'`,
    `update appointments set status = 'cancelled'`,
  )
  expect(typesOf(events)).toEqual([
    'appointment.scheduled',
    'appointment.updated',
    'appointment.cancelled',
  ])
  expect(events[0]?.data).toEqual({
    appointment_id: other,
    title: 'Termin',
    starts_at: '2026-03-01T09:00:00+00:00',
    ends_at: null,
    platform: 'zoom',
    meeting_url: null,
    customer_display_name: null,
    source: 'calendar',
  })
  expect(events[2]?.data.customer_display_name).toBe('Anna')
  expect(events[0]?.links).toEqual({ lead_id: lead, session_id: null })
})

test('meeting intelligence fails, then is ready', async () => {
  const events = await emittedBy(
    `insert into meeting_intelligence (appointment_id, status, failure_reason) values ('${other}', 'failed', 'no audio')`,
    `update meeting_intelligence set failure_reason = 'silence'`,
    `update meeting_intelligence set status = 'ready', summary = 'Gut.', next_steps = '["Angebot"]', overall_score = 7.5`,
  )
  expect(
    events.map(({ event_type, object_type, object_id, data }) => [
      event_type,
      object_type,
      object_id,
      data,
    ]),
  ).toEqual([
    [
      'meeting.intelligence_failed',
      'meeting',
      other,
      { appointment_id: other, failure_reason: 'no audio' },
    ],
    [
      'meeting.intelligence_ready',
      'meeting',
      other,
      {
        appointment_id: other,
        summary: 'Gut.',
        next_steps: ['Angebot'],
        overall_score: 7.5,
        results: [],
      },
    ],
  ])
})

test('a signal is opened, changes its status, and gets an outcome', async () => {
  const events = await emittedBy(
    `insert into signals (id, kind, title, score, lead_id, kontakt_key, quelle) values ('${other}', 'cross_sell', 'Haftung', 12.5, '${lead}', 'email:a@example.org', 'crm_import')`,
    `update signals set status = 'done', outcome = 'verkauft'`,
    `update signals set outcome = 'verkauft'`,
  )
  expect(typesOf(events)).toEqual([
    'signal.opened',
    'signal.status_changed',
    'signal.outcome_recorded',
  ])
  expect(events[2]?.data).toEqual({
    signal_id: other,
    kind: 'cross_sell',
    title: 'Haftung',
    score: 12.5,
    status: 'done',
    kontakt_key: 'email:a@example.org',
    lead_id: lead,
    quelle: 'crm_import',
    outcome: 'verkauft',
  })
})

test('an advisory document is approved, then sent', async () => {
  const events = await emittedBy(
    `insert into advisory_docs (id, lead_id, title) values ('${other}', '${lead}', 'Doku')`,
    `update advisory_docs set approved_at = '2026-03-01T10:00:00Z'`,
    `update advisory_docs set sent_at = '2026-03-02T10:00:00Z', approved_at = approved_at`,
  )
  expect(events.map(({ event_type, data }) => [event_type, data])).toEqual([
    [
      'advisory_doc.approved',
      {
        advisory_doc_id: other,
        lead_id: lead,
        title: 'Doku',
        approved_at: '2026-03-01T10:00:00+00:00',
      },
    ],
    [
      'advisory_doc.sent',
      {
        advisory_doc_id: other,
        lead_id: lead,
        title: 'Doku',
        sent_at: '2026-03-02T10:00:00+00:00',
      },
    ],
  ])
})

test('an update that changes nothing, a rollback and a change of other columns emit nothing', async () => {
  const events = await emittedBy(
    `update leads set status = status, name = name`,
    `update haushalte set haushalt = haushalt, din_check = din_check, updated_at = now()`,
    `update lead_analyses set din_check = din_check, source_id = source_id`,
    `update appointments set title = title`,
    `update signals set status = status, score = score + 1`,
    `update leads set phone = '1'`,
    `insert into leads (name) values ('x'); rollback`,
  )
  expect(events).toEqual([])
})

test('payloads are the same whatever the writer’s session has set', async () => {
  const [event] = await emittedBy(
    `set local timezone = 'Asia/Tokyo'; set local datestyle = 'German'; set local search_path = ''; insert into public.appointments (platform, starts_at) values ('phone', '2026-03-01T00:00:00Z')`,
  )
  expect(event?.data.starts_at).toBe('2026-03-01T00:00:00+00:00')
})

test('a bulk insert of 10,000 leads is one statement for the log', async () => {
  await database.sql`delete from events`
  await database.sql.begin(async sql => {
    await sql`set local track_functions = 'all'`
    await sql`insert into leads (name) select 'Bulk ' || n from generate_series(1, 10000) as n`
    const calls =
      await sql`select calls::integer as calls from pg_stat_xact_user_functions where funcname = 'emit_lead_created'`
    expect(calls.map(row => row.calls)).toEqual([1])
  })
  const [row] = await database.sql`select count(*)::integer as count from events`
  expect(row?.count).toBe(10_000)
  await database.sql`truncate events`
})

test('emit_event takes a known type alone and an object as data', async () => {
  const [event] = await emittedBy(
    `select emit_event('signal.outcome_recorded', 'signal', '${other}', '{"lead_id": "${lead}"}', '{"signal_id": "${other}", "kind": "k", "title": "t", "score": 1, "status": "open", "kontakt_key": null, "lead_id": null, "quelle": null, "outcome": "o"}')`,
  )
  expect(event?.links).toEqual({ lead_id: lead, session_id: null })
  expect(
    database.sql`select emit_event('lead.deleted', 'lead', 'x', '{}', '{}')`.execute(),
  ).rejects.toThrow('There is no event type lead.deleted')
  expect(
    database.sql`select emit_event('lead.created', 'lead', 'x', '{}', '[]')`.execute(),
  ).rejects.toThrow('data of an event must be a JSON object')
})

test('the database and the program know the same event types and versions', async () => {
  const rows =
    await database.sql`select event_type, schema_version from event_types order by position`
  expect(rows.map(row => [row.event_type, row.schema_version])).toEqual(
    eventTypes.map(type => [type, schemaVersions[type]]),
  )
})
