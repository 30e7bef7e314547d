// Spec part 4: /kontakte over HTTP.
import { beforeAll, expect, test } from 'bun:test'
import { seeded } from '../support/fuzz/seeded.ts'
import { useService } from '../support/http/service.ts'

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
      updated_at: '2026-01-03T00:00:00.000000Z',
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
      updated_at: '2026-01-02T00:00:00.000000Z',
    },
  ])
  expect(body.meta).toEqual({ count: 2, limit: 50, offset: 0 })
})

/** As it would be typed or stored; `/kontakte/{key}` takes it URL-encoded. */
const spellings = [
  'email:anna@example.org',
  'EMAIL:Anna@Example.ORG',
  'email: anna@example.org',
  'anna@example.org',
  ' Anna@Example.org \n',
  'mailto:anna@example.org',
  'phone:+491713920001',
  'Phone: 0171 3920001',
  '+491713920001',
  '0171/392 0001',
  '0171  392 00 01',
  '491713920001',
  '0049171 3920001',
  '+49 (0)171/3920001',
  '０１７１ ３９２０００１',
  leadKey,
  leadKey.slice(5),
  leadKey.toUpperCase(),
  'email:merged@example.org',
]

const random = seeded(8)
const hexOf = (character: string, upper: boolean) =>
  [...new TextEncoder().encode(character)]
    .map(byte => `%${byte.toString(16).padStart(2, '0')}`)
    .map(code => (upper ? code.toUpperCase() : code))
    .join('')
// RFC 3986: what may stand in a path segment as it is.
const isPlain = (character: string) => /[\w.~!$&'()*+,;=:@-]/.test(character)

/** Every legal way: nothing encoded that need not be, everything, both cases of hex digits, and mixtures. */
const encodings = (text: string): string[] => [
  encodeURIComponent(text),
  [...text].map(character => (isPlain(character) ? character : hexOf(character, true))).join(''),
  [...text].map(character => hexOf(character, true)).join(''),
  [...text].map(character => hexOf(character, false)).join(''),
  ...Array.from({ length: 3 }, () =>
    [...text]
      .map(character =>
        isPlain(character) && random.below(2) ? character : hexOf(character, random.below(2) > 0),
      )
      .join(''),
  ),
]

test.each(spellings)('/kontakte/%p finds the contact, in every legal encoding', async spelling => {
  for (const encoded of encodings(spelling)) {
    const { status, body } = await api.send(`/kontakte/${encoded}`)
    expect([encoded, status, body.data?.canonical_key]).toEqual([encoded, 200, canonical])
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
  }
})

test.each([canonical, 'phone:+491713920001', leadKey, 'email:merged@example.org'])(
  '/kontakte/%s/haushalt finds the contact by its exact key or alias, in every legal encoding',
  async key => {
    for (const encoded of encodings(key)) {
      const { status, body } = await api.send(`/kontakte/${encoded}/haushalt`)
      expect([encoded, status, body.data?.canonical_key]).toEqual([encoded, 200, canonical])
    }
  },
)

test.each([
  ['email:Anna@example.org', 404, 'not_found', 'an address, but not as the key has it'],
  ['email: anna@example.org', 400, 'invalid_request', 'a space is no part of a key'],
  ['email:anna@example.org ', 404, 'not_found', 'nothing is trimmed'],
  ['phone:01713920001', 404, 'not_found', 'a number, but not as the key has it'],
  ['phone:+49 1713920001', 404, 'not_found', 'a number, but not as the key has it'],
  [leadKey.toUpperCase(), 400, 'invalid_request', 'no prefix is in capitals'],
  [`lead:${leadKey.slice(5).toUpperCase()}`, 404, 'not_found', 'nothing is made lower case'],
  ['anna@example.org', 400, 'invalid_request', 'the prefix is required'],
  ['+491713920001', 400, 'invalid_request', 'the prefix is required'],
  [leadKey.slice(5), 400, 'invalid_request', 'the prefix is required'],
  ['konto:1', 400, 'invalid_request', 'no such prefix'],
  ['email:', 400, 'invalid_request', 'no value'],
  ['email:anna', 400, 'invalid_request', 'no address'],
  ['phone:abc', 400, 'invalid_request', 'no number'],
  ['lead:17', 400, 'invalid_request', 'no UUID'],
  ['email:nobody@example.org', 404, 'not_found', 'no contact has it'],
  ['phone:+491719999999', 404, 'not_found', 'no contact has it'],
])('/kontakte/%p/haushalt answers %p %s: %s', async (key, status, code) => {
  const answer = await api.send(`/kontakte/${encodeURIComponent(key)}/haushalt`)
  expect([answer.status, answer.body.error.code]).toEqual([status, code])
})

test('a key that is spelled otherwise is not found, and the answer says where it would be', async () => {
  const messageOf = async (key: string) =>
    (await api.send(`/kontakte/${key}/haushalt`)).body.error.message
  for (const key of ['email:Anna@example.org', 'phone:01713920001'])
    expect(await messageOf(key)).toEndWith('/kontakte/{key} takes every spelling.')
  expect(await messageOf('phone:+491719999999')).toBe(
    'There is no household record under this key.',
  )
})

test.each([
  ...[
    'nobody',
    'a@b',
    'foo:bar',
    '110',
    '0800 1234567',
    'email:',
    'phone:abc',
    'lead:17',
    ' ',
    '\n',
  ],
  ...[
    'anna@example.org, max@example.org',
    '0171 3920001 (privat)',
    '%2B491713920001',
    'x'.repeat(2_000),
  ],
])('/kontakte/%p is no identity and answers 400', async key => {
  const { status, body } = await api.send(`/kontakte/${encodeURIComponent(key)}`)
  expect([status, body.error.code]).toEqual([400, 'invalid_request'])
})

test.each(['nobody@example.org', '0171 9999999', '00000000-0000-4000-8000-000000000000'])(
  '/kontakte/%p is an identity that no contact has and answers 404',
  async key => {
    const { status, body } = await api.send(`/kontakte/${encodeURIComponent(key)}`)
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  },
)

test.each(['%', '%2', '%zz', '%ff', '%c3', '%00', 'anna%40example.org%00'])(
  '/kontakte/%s is no valid encoding and answers 400',
  async encoded => {
    for (const path of [`/kontakte/${encoded}`, `/kontakte/email:${encoded}/haushalt`])
      expect((await api.send(path)).body.error.code).toBe('invalid_request')
  },
)

test('a slash that is not encoded makes another path', async () => {
  expect((await api.send('/kontakte/0171/3920001')).status).toBe(404)
})
