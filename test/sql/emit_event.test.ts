// emit_event takes what was published for the event type, and nothing else; a refusal repeats nothing of it.
import { describe, expect, test } from 'bun:test'
import { payloads } from '../../src/model/event.ts'
import { eventTypes } from '../../src/model/event_type.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()

const emit = (type: string, data: unknown) =>
  database.sql`
    select emit_event(${type}, 'signal', 'x', '{}', ${JSON.stringify(data)}::text::jsonb) as id`

/** The sentence of a refusal; null: it was taken. */
const refusal = (type: string, data: unknown): Promise<string | null> =>
  emit(type, data).then(
    () => null,
    error => {
      expect(error.code).toBe('22023')
      return error.message
    },
  )

const signal = {
  signal_id: '3f2b8c1e-9d4a-4b7e-8f6a-1c2d3e4f5a6b',
  kind: 'kuendigung',
  title: 'Vertrag läuft aus',
  score: 1.5,
  status: 'open',
  kontakt_key: null,
  lead_id: null,
  quelle: null,
}

test('a title that names an income leaves what identifies something as it was given', async () => {
  const data = {
    ...signal,
    title: 'Einkommen absichern: 4.200 EUR',
    kontakt_key: 'phone:+491713920001',
    lead_id: '4bd572d2-e142-411c-95f0-3cc7e98871cc',
  }
  const [row] = await emit('signal.opened', data)
  const [stored] = await database.sql`select data::text as data from events where id = ${row?.id}`
  expect(JSON.parse(stored?.data)).toEqual({ ...data, title: 'Einkommen absichern: [entfernt]' })
})

const withoutDescriptions = (schema: object) =>
  JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === 'description' || key === '$id' ? undefined : value,
    ),
  )

test('the schemas in the database are the ones that /openapi.json publishes', async () => {
  const rows = await database.sql`select event_type, payload::text as payload from event_types`
  const stored = Object.fromEntries(rows.map(row => [row.event_type, JSON.parse(row.payload)]))
  expect(stored).toEqual(withoutDescriptions(payloads))
})

test('the sample of every type is taken', async () => {
  const samples = await database.sql`select event_type, data::text as data from sample_events`
  expect(samples.map(row => row.event_type).toSorted()).toEqual([...eventTypes].toSorted())
  for (const { event_type, data } of samples)
    expect([event_type, await refusal(event_type, JSON.parse(data))]).toEqual([event_type, null])
})

test('of every type an empty payload and one with another member are refused', async () => {
  const samples = await database.sql`select event_type, data::text as data from sample_events`
  for (const { event_type, data } of samples) {
    expect(await refusal(event_type, {})).toMatch(/^data of [\w.]+ is not as published: data lacks/)
    const more = { ...JSON.parse(data), geheim_4711: 1 }
    const said = await refusal(event_type, more)
    expect(said).toEndWith('data has a member that is not published')
    expect(said).not.toContain('4711')
  }
})

const check = {
  channel: 'chat',
  quelle: null,
  kontakt_key: null,
  params_version: null,
  luecken_nach_stufe: [{ stufe: 1, anzahl: 0 }],
  unbekannt_anzahl: 0,
}
const sent = { advisory_doc_id: signal.signal_id, lead_id: null, title: null }

describe('a value', () => {
  const faults: [type: string, data: object, fault: string][] = [
    ['signal.opened', { ...signal, signal_id: 'geheim' }, 'data.signal_id must be a uuid'],
    ['signal.opened', { ...signal, signal_id: null }, 'data.signal_id must be of type string'],
    ['signal.opened', { ...signal, score: '1' }, 'data.score must be of type number'],
    ['signal.opened', { ...signal, status: 'zu' }, 'data.status has a value that it may not have'],
    ['signal.opened', { ...signal, title: null }, 'data.title must be of type string'],
    ['signal.opened', { ...signal, title: ['geheim'] }, 'data.title must be of type string'],
    ['signal.opened', { ...signal, lead_id: 'x' }, 'data.lead_id has a value that it may not have'],
    [
      'din.check_completed',
      { ...check, unbekannt_anzahl: 1.5 },
      'data.unbekannt_anzahl must be of type integer',
    ],
    [
      'din.check_completed',
      { ...check, unbekannt_anzahl: -1 },
      'data.unbekannt_anzahl has a value that it may not have',
    ],
    [
      'din.check_completed',
      { ...check, luecken_nach_stufe: [{ stufe: 1 }] },
      'data.luecken_nach_stufe[] lacks anzahl',
    ],
    [
      'din.check_completed',
      { ...check, channel: 'fax' },
      'data.channel has a value that it may not have',
    ],
    ['advisory_doc.sent', { ...sent, sent_at: 'gestern' }, 'data.sent_at must be a date-time'],
  ]

  test.each(faults)('of %s: %j is refused', async (type, data, fault) => {
    expect(await refusal(type, data)).toBe(`data of ${type} is not as published: ${fault}`)
  })

  test('that may be null is taken either way', async () => {
    for (const quelle of [null, 'crm_import'])
      expect(await refusal('signal.opened', { ...signal, quelle })).toBeNull()
    expect(await refusal('din.check_completed', { ...check, channel: null })).toBeNull()
    const at = { ...sent, sent_at: '2026-03-01T09:00:00.5+01:00' }
    expect(await refusal('advisory_doc.sent', at)).toBeNull()
  })
})

test('what triggers emit would be taken, too', async () => {
  await database.sql`
    insert into leads (name, email, status) values ('Anna Beispiel', 'anna@example.org', 'neu')`
  await database.sql`update leads set status = 'kontaktiert'`
  await database.sql`select merge_kontakte('email:a@example.org', 'email:b@example.org')`
  const rows = await database.sql`
    select events.event_type, json_fault(event_types.payload, events.data, 'data') as fault
    from events join event_types on event_types.event_type = events.event_type`
  expect(rows.length).toBeGreaterThan(15)
  expect(rows.filter(row => row.fault !== null)).toEqual([])
})

test('what stands for an object is one of the published kinds, with its id', async () => {
  const data = JSON.stringify(signal)
  for (const [type, id] of [
    ['foo', 'x'],
    ['', 'x'],
    [null, 'x'],
    ['signal', ''],
    ['signal', null],
  ])
    expect(
      await database.sql`select emit_event('signal.opened', ${type ?? null}::text, ${id ?? null}::text, '{}', ${data}::text::jsonb)`.then(
        () => null,
        error => [error.code, error.message.split(' ')[0]],
      ),
    ).toEqual(['22023', 'object_type'])
})

test('a moment that no calendar has and a number that no double holds are refused', async () => {
  const document = {
    advisory_doc_id: signal.signal_id,
    lead_id: null,
    title: null,
    sent_at: '2026-02-30T12:00:00Z',
  }
  expect(await refusal('advisory_doc.sent', document)).toContain('must be a date-time')
  const sent_at = '2026-02-28T12:00:00.5+01:00'
  expect(await refusal('advisory_doc.sent', { ...document, sent_at })).toBeNull()
  const [row] =
    await database.sql`select json_fault('{"type": "number"}', '1e400', 'data.score') as fault`
  expect(row?.fault).toBe('data.score has a value that it may not have')
})
