// Spec part 4: /kontakte over HTTP.
import { beforeAll, expect, test } from 'bun:test'
import { useService } from '../support/service.ts'

const api = useService()
const canonical = 'email:anna@example.org'
const leadKey = 'lead:0a1b2c3d-4e5f-4071-8293-a4b5c6d7e8f9'

beforeAll(async () => {
  const check = JSON.stringify({
    bewertung: {
      params_version: '2026.1',
      luecken_nach_stufe: [
        { stufe: 1, themen: ['Haftung', 'Krankheit'] },
        { stufe: 2, themen: [] },
      ],
    },
  })
  await api.sql`
    insert into haushalte (kontakt_key, haushalt, provenance, din_check, updated_at) values
    (${canonical}, '{"vertraege": [{"sparte": "hausrat"}, {"sparte": "kfz_kasko"}]}', '{"a": 1}', ${check}, '2026-01-02T00:00:00Z'),
    ('phone:+491713920002', '{}', null, null, '2026-01-03T00:00:00Z'),
    ('email:merged@example.org', '{}', null, null, '2026-01-04T00:00:00Z')`
  await api.sql`
    insert into kontakt_aliases (alias_key, canonical_key) values
    ('phone:+491713920001', ${canonical}),
    (${leadKey}, ${canonical}),
    ('email:merged@example.org', ${canonical})`
})

test('the list has one entry per person, last changed first', async () => {
  const { body } = await api.send('/kontakte')
  expect(body.data).toEqual([
    {
      kontakt_key: 'phone:+491713920002',
      vertraege_anzahl: 0,
      luecken_nach_stufe: [],
      params_version: null,
      updated_at: '2026-01-03T00:00:00+00:00',
    },
    {
      kontakt_key: canonical,
      vertraege_anzahl: 2,
      luecken_nach_stufe: [
        { stufe: 1, anzahl: 2 },
        { stufe: 2, anzahl: 0 },
        { stufe: 3, anzahl: 0 },
      ],
      params_version: '2026.1',
      updated_at: '2026-01-02T00:00:00+00:00',
    },
  ])
  expect(body.meta).toEqual({ count: 2, limit: 50, offset: 0 })
})

const spellings = [
  'email%3Aanna%40example.org',
  'email:anna@example.org',
  'EMAIL:Anna@Example.ORG',
  'anna@example.org',
  '%20Anna%40Example.org%20',
  'mailto:anna@example.org',
  'phone%3A%2B491713920001',
  'phone:+491713920001',
  '+491713920001',
  '0171%2F392%200001',
  '0171%20%20392%2000%2001',
  '491713920001',
  '%2B49%20(0)171%203920001',
  leadKey,
  leadKey.slice(5),
  leadKey.slice(5).toUpperCase(),
  'email%3Amerged%40example.org',
]

for (const spelling of spellings)
  test(`/kontakte/${spelling} finds the contact`, async () => {
    const { status, body } = await api.send(`/kontakte/${spelling}`)
    expect(status).toBe(200)
    expect(body.data.canonical_key).toBe(canonical)
    expect(body.data.aliases).toEqual(['email:merged@example.org', leadKey, 'phone:+491713920001'])
    expect(Object.keys(body.data)).toEqual([
      'kontakt_key',
      'canonical_key',
      'aliases',
      'haushalt',
      'provenance',
      'din_check',
      'empfehlungen_aktuell',
      'updated_at',
    ])
  })

test('an exact key is not normalised, and an exact alias key resolves', async () => {
  const haushalt = (key: string) => api.send(`/kontakte/${encodeURIComponent(key)}/haushalt`)
  expect((await haushalt(canonical)).body.data.kontakt_key).toBe(canonical)
  expect((await haushalt('phone:+491713920001')).body.data.kontakt_key).toBe(canonical)
  expect((await haushalt('email:Anna@example.org')).status).toBe(404)
  expect((await haushalt('phone:01713920001')).status).toBe(404)
  expect((await haushalt('anna@example.org')).status).toBe(400)
  expect((await haushalt('konto:1')).status).toBe(400)
})

for (const key of [
  'nobody',
  'a@b',
  'foo:bar',
  '110',
  '0800%201234567',
  'email:',
  'phone:abc',
  '%20',
])
  test(`/kontakte/${key} is no identity and answers 400`, async () => {
    expect((await api.send(`/kontakte/${key}`)).body.error.code).toBe('invalid_request')
  })
