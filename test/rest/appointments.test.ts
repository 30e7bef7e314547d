// Spec part 4: /appointments, /meetings and /signals over HTTP.
import { beforeAll, expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'

const api = useService()
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

beforeAll(async () => {
  await api.sql`
    insert into appointments (id, title, status, platform, meeting_url, starts_at, ends_at, created_at) values
    (${id(1)}, 'Erstgespräch', 'completed', 'zoom', 'https://meet.example.com/1', '2026-01-01T09:00:00Z', null, '2025-12-01T00:00:00Z'),
    (${id(2)}, null, 'scheduled', 'phone', null, '2026-03-29T00:30:00Z', '2026-03-28T00:30:00Z', '2025-12-01T00:00:00Z'),
    (${id(3)}, null, 'scheduled', 'phone', null, '2026-03-29T00:30:00Z', null, '2025-12-01T00:00:00Z')`
  const entry = {
    field_key: 'need',
    label: 'Bedarf',
    kind: 'scored',
    output_type: 'number',
    status: 'ready',
    value: [1, { a: null }],
    score: 7.5,
    level: 'hoch',
    rationale: 'Sie sagte es.',
    recommendation: null,
    generated_at: '2026-01-01T10:00:00Z',
  }
  await api.sql`
    insert into meeting_intelligence (appointment_id, status, overall_score, customer_persona, summary, next_steps, results, created_at) values
    (${id(1)}, 'ready', 78.25, 'vorsichtig', 'Es ging um die Haftung.', '["Angebot senden"]', ${JSON.stringify([entry])}, '2026-01-01T10:00:00Z')`
  await api.sql`
    insert into signals (id, kind, title, status, score, detected_at, updated_at) values
    (${id(1)}, 'vertragsablauf', 'Hausrat läuft aus', 'open', 64.5, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
    (${id(2)}, 'cross_sell', 'Haftung fehlt', 'done', 12, '2026-01-02T00:00:00Z', '2026-01-02T00:00:00Z')`
})

const idsOf = async (path: string) =>
  (await api.send(path)).body.data.map((row: { id: string }) => Number(row.id.slice(-2)))

test('appointments come latest start first, and from keeps those at or after it', async () => {
  expect(await idsOf('/appointments')).toEqual([3, 2, 1])
  expect(await idsOf('/appointments?status=scheduled')).toEqual([3, 2])
  expect(await idsOf('/appointments?status=')).toEqual(await idsOf('/appointments'))
  expect(await idsOf('/appointments?from=2026-03-29T00:30:00Z')).toEqual([3, 2])
  expect(await idsOf('/appointments?from=2026-03-29T02:30:01%2B02:00')).toEqual([])
  expect(await idsOf('/appointments?limit=1&offset=1')).toEqual([2])
})

test('meeting intelligence carries summary and next steps as result entries, then the findings', async () => {
  const { body } = await api.send(`/meetings/${id(1)}/intelligence`)
  expect(Object.keys(body.data)).toEqual([
    'appointment',
    'overall_score',
    'customer_persona',
    'conversation_type',
    'results',
  ])
  expect(body.data.appointment).toEqual(
    (await api.send('/appointments?status=completed')).body.data[0],
  )
  expect(body.data.overall_score).toBe(78.25)
  expect(body.data.results.map((entry: { field_key: string }) => entry.field_key)).toEqual([
    'summary',
    'next_steps',
    'need',
  ])
  expect(body.data.results[0].value).toBe('Es ging um die Haftung.')
  expect(body.data.results[1].value).toEqual(['Angebot senden'])
  expect(body.data.results[2].value).toEqual([1, { a: null }])
})

test('a meeting without findings answers with empty results', async () => {
  const { status, body } = await api.send(`/meetings/${id(2)}/intelligence`)
  expect(status).toBe(200)
  expect(body.data.results).toEqual([])
  expect(body.data.overall_score).toBeNull()
})

test('signals come latest detected first, by status when asked', async () => {
  expect(await idsOf('/signals')).toEqual([2, 1])
  expect(await idsOf('/signals?status=open')).toEqual([1])
  expect(await idsOf('/signals?status=resolved')).toEqual([])
  const { body } = await api.send('/signals?status=open')
  expect(body.data[0]).toEqual({
    id: id(1),
    kind: 'vertragsablauf',
    title: 'Hausrat läuft aus',
    status: 'open',
    score: 64.5,
    lead_id: null,
    detected_at: '2026-01-01T00:00:00.000000Z',
    updated_at: '2026-01-01T00:00:00.000000Z',
  })
})

test('the analysis schemas name core, fragments, DIN check and flat columns', async () => {
  const { body } = await api.send('/schemas/analysis')
  expect(body.data.analysis_schema_version).toBe('din_core_v2')
  expect(body.data.versionen.fragmente.hausrat).toBe('hausrat_v1')
  expect(Object.keys(body.data.extraktion.properties)).toContain('haushalt')
  expect(body.data.din_check.properties).toHaveProperty('bewertung')
  expect(body.data.flach.columns[0]).toHaveProperty('key')
})
