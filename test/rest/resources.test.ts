// Spec part 4: leads, contacts, appointments, meetings and signals over HTTP, each with exactly the members of the contract.
import { beforeAll, expect, test } from 'bun:test'
import { seeded } from '../support/fuzz/seeded.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const at = (day: number, hour = 0) =>
  `2026-01-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00.000000Z`
const anna = 'email:anna@example.org'
const leadKey = 'lead:0a1b2c3d-4e5f-4071-8293-a4b5c6d7e8f9'
const number = '12345678901234567890.12345678901234567890'
const entry = {
  ...{ field_key: 'need', label: 'Bedarf', kind: 'scored', output_type: 'number', status: 'ready' },
  ...{ value: [1, { a: null }], score: 7.5, level: 'hoch', rationale: 'Sie sagte es.' },
  ...{ recommendation: null, generated_at: at(1, 10) },
}
const check = {
  bewertung: {
    params_version: '2026.1',
    luecken_nach_stufe: [
      { stufe: 1, themen: ['Haftung', 'Krankheit'] },
      { stufe: 2, themen: [] },
    ],
  },
}

beforeAll(async () => {
  await api.sql`
    insert into leads (id, name, email, phone, status, archived_at, parsed_data, created_at) values
    (${id(1)}, 'Jürgen Groß', 'juergen@example.org', '+49 30 23125001', 'new', null, '{"plz": "10115"}', ${at(1, 10)}),
    (${id(2)}, '100% Sicher_AG', 'info@example.com', null, 'won', null, ${`{"n": ${number}}`}, ${at(2, 10)}),
    (${id(3)}, 'Archi Viert', 'archi@example.org', null, 'lost', ${at(5)}, null, ${at(3, 10)}),
    (${id(4)}, null, null, null, 'new', null, null, ${at(3, 10)})`
  await api.sql`
    insert into lead_analyses (lead_id, channel, source_id, analysis, analysis_v2, din_check, created_at) values
    (${id(1)}, 'chat', 'chat-1', '{"kunde_name": "alt"}', null, null, ${at(2)}),
    (${id(1)}, 'call', 'call-1', '{"kunde_name": "Jürgen Groß"}', '{"meta": {}}', '{"bewertung": {}}', ${at(3)})`
  await api.sql`
    insert into haushalte (kontakt_key, haushalt, provenance, din_check, updated_at) values
    (${anna}, '{"vertraege": [{"sparte": "hausrat"}, {"sparte": "kfz_kasko"}]}', '{"a": 1}', ${JSON.stringify(check)}, ${at(2)}),
    ('phone:+491713920002', '{}', null, null, ${at(3)}),
    ('email:merged@example.org', '{}', null, null, ${at(4)})`
  await api.sql`
    insert into kontakt_aliases (alias_key, canonical_key) values
    ('phone:+491713920001', ${anna}), (${leadKey}, ${anna}), ('email:merged@example.org', ${anna})`
  await api.sql`
    insert into appointments (id, title, status, platform, meeting_url, starts_at, created_at) values
    (${id(1)}, 'Erstgespräch', 'completed', 'zoom', 'https://meet.example.com/1', ${at(1, 9)}, ${at(1)}),
    (${id(2)}, null, 'scheduled', 'phone', null, ${at(9)}, ${at(1)}),
    (${id(3)}, null, 'scheduled', 'phone', null, ${at(9)}, ${at(1)})`
  await api.sql`
    insert into meeting_intelligence (appointment_id, status, overall_score, customer_persona, summary, next_steps, results, created_at) values
    (${id(1)}, 'ready', 78.25, 'vorsichtig', 'Es ging um die Haftung.', '["Angebot senden"]', ${JSON.stringify([entry])}, ${at(1, 10)})`
  await api.sql`
    insert into signals (id, kind, title, status, score, detected_at, updated_at) values
    (${id(1)}, 'vertragsablauf', 'Hausrat läuft aus', 'open', 64.5, ${at(1)}, ${at(1)}),
    (${id(2)}, 'cross_sell', 'Haftung fehlt', 'done', 12, ${at(2)}, ${at(2)})`
})

const haushalt = {
  ...{ kontakt_key: anna, canonical_key: anna },
  aliases: ['email:merged@example.org', leadKey, 'phone:+491713920001'],
  haushalt: { vertraege: [{ sparte: 'hausrat' }, { sparte: 'kfz_kasko' }] },
  ...{ provenance: { a: 1 }, din_check: check, empfehlungen_aktuell: null, updated_at: at(2) },
}
const appointment = {
  ...{ id: id(1), title: 'Erstgespräch', status: 'completed', platform: 'zoom' },
  ...{ meeting_url: 'https://meet.example.com/1', starts_at: at(1, 9), ends_at: null },
  ...{ customer_display_name: null, source: null, intelligence_status: null },
  created_at: at(1),
}

// [path, data]
const answers: [string, unknown][] = [
  [
    `/leads/${id(1)}`,
    {
      ...{ id: id(1), name: 'Jürgen Groß', email: 'juergen@example.org', status: 'new' },
      ...{ phone: '+49 30 23125001', source_type: null, contacted_at: null, archived_at: null },
      ...{ archive_reason_code: null, parsed_data: { plz: '10115' }, created_at: at(1, 10) },
    },
  ],
  [
    `/leads/${id(1)}/analysis`,
    {
      ...{ lead_id: id(1), channel: 'call', source_id: 'call-1', analysis_schema_version: null },
      ...{ analysis: { kunde_name: 'Jürgen Groß' }, analysis_v2: { meta: {} } },
      ...{ din_check: { bewertung: {} }, created_at: at(3) },
    },
  ],
  [
    '/kontakte',
    [
      {
        ...{ kontakt_key: 'phone:+491713920002', vertraege_anzahl: 0, luecken_nach_stufe: [] },
        ...{ params_version: null, updated_at: at(3) },
      },
      {
        ...{ kontakt_key: anna, vertraege_anzahl: 2, params_version: '2026.1', updated_at: at(2) },
        luecken_nach_stufe: [
          { stufe: 1, anzahl: 2 },
          { stufe: 2, anzahl: 0 },
          { stufe: 3, anzahl: 0 },
        ],
      },
    ],
  ],
  [`/kontakte/${anna}`, haushalt],
  [`/kontakte/${anna}/haushalt`, haushalt],
  ['/appointments?status=completed', [appointment]],
  [
    '/signals?status=open',
    [
      {
        ...{ id: id(1), kind: 'vertragsablauf', title: 'Hausrat läuft aus', status: 'open' },
        ...{ score: 64.5, lead_id: null, detected_at: at(1), updated_at: at(1) },
      },
    ],
  ],
]

test.each(answers)('%s', async (path, data) => {
  expect((await api.send(path)).body.data).toEqual(data)
})

test('a meeting has summary and next steps as result entries, then the findings; or none', async () => {
  const { results, ...rest } = (await api.send(`/meetings/${id(1)}/intelligence`)).body.data
  expect(rest).toEqual({
    ...{ overall_score: 78.25, customer_persona: 'vorsichtig', conversation_type: null },
    appointment,
  })
  expect(results.slice(2)).toEqual([entry])
  expect(
    results.map(({ field_key, value }: typeof entry) => [field_key, value]).slice(0, 2),
  ).toEqual([
    ['summary', 'Es ging um die Haftung.'],
    ['next_steps', ['Angebot senden']],
  ])
  const none = (await api.send(`/meetings/${id(2)}/intelligence`)).body.data
  expect([none.results, none.overall_score]).toEqual([[], null])
})

const q = encodeURIComponent

// [path, the ids it lists, in their order]
const lists: [string, number[]][] = [
  ['/leads', [4, 2, 1]],
  ['/leads?include_archived=true', [4, 3, 2, 1]],
  ['/leads?limit=2&offset=1', [2, 1]],
  ['/leads?offset=10', []],
  ['/leads?status=won', [2]],
  ['/leads?status=lost', []],
  ['/leads?status=lost&include_archived=true', [3]],
  ['/leads?status=unheard-of', []],
  ['/leads?search=&status=', [4, 2, 1]],
  ['/leads?search=%20', [2, 1]],
  ['/leads?search=a&status=won', [2]],
  ['/leads?search=archi', []],
  [`/leads?search=${q('jÜRGEN')}`, [1]],
  ['/leads?search=%25', [2]],
  ['/appointments', [3, 2, 1]],
  ['/appointments?limit=1&offset=1', [2]],
  ['/appointments?status=scheduled', [3, 2]],
  ['/appointments?status=', [3, 2, 1]],
  ['/signals', [2, 1]],
  ['/signals?status=resolved', []],
]

test.each(lists)('%s lists %j', async (path, ids) => {
  const { data, meta } = (await api.send(path)).body
  expect(data.map((row: { id: string }) => Number(row.id.slice(-2)))).toEqual(ids)
  expect(meta.count).toBe(ids.length)
})

test('an archived lead answers by id, an id counts in either case, a number has every digit', async () => {
  expect((await api.send(`/leads/${id(3)}`)).body.data.archived_at).toBe(at(5))
  expect((await api.send(`/leads/${id(2)}`)).text).toContain(number)
  const upper = 'AAAAAAAA-0000-4000-8000-00000000000A'
  await api.sql`insert into leads (id) values (${upper})`
  expect((await api.send(`/leads/${upper}`)).body.data.id).toBe(upper.toLowerCase())
  await api.sql`delete from leads where id = ${upper}`
})

test('a whole email address of any length is found', async () => {
  const email = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(53)}.example`
  const [stored] = await api.sql`insert into leads (email) values (${email}) returning id`
  expect((await api.send(`/leads?search=${email}`)).body.data).toMatchObject([{ id: stored?.id }])
  await api.sql`delete from leads where id = ${stored?.id}`
})

const random = seeded(8)
const hexOf = (character: string) =>
  [...new TextEncoder().encode(character)]
    .map(byte => `%${byte.toString(16).padStart(2, '0')}`)
    .map(code => (random.below(2) ? code.toUpperCase() : code))
    .join('')
// RFC 3986: what may stand in a path segment as it is.
const isPlain = (character: string) => /[\w.~!$&'()*+,;=:@-]/.test(character)

/** Legal ways to write it in a path: as a library does, everything encoded, and mixtures. */
const encodings = (text: string): string[] => [
  q(text),
  [...text].map(hexOf).join(''),
  ...Array.from({ length: 3 }, () =>
    [...text].map(one => (isPlain(one) && random.below(2) ? one : hexOf(one))).join(''),
  ),
]

test.each([
  ...['email:anna@example.org', 'EMAIL:Anna@Example.ORG', 'email: anna@example.org'],
  ...[' Anna@Example.org \n', 'mailto:anna@example.org', 'phone:+491713920001', '+491713920001'],
  ...['Phone: 0171 3920001', '0171/392 0001', '0049171 3920001', '+49 (0)171/3920001'],
  ...['０１７１ ３９２０００１', leadKey, leadKey.slice(5), leadKey.toUpperCase()],
  'email:merged@example.org',
])('/kontakte/%j finds the contact, in every legal encoding', async spelling => {
  for (const encoded of encodings(spelling))
    expect((await api.send(`/kontakte/${encoded}`)).body.data).toEqual(haushalt)
})

test.each([anna, 'phone:+491713920001', leadKey, 'email:merged@example.org'])(
  '/kontakte/%s/haushalt finds it by an exact key or alias',
  async key => {
    for (const encoded of encodings(key))
      expect((await api.send(`/kontakte/${encoded}/haushalt`)).body.data).toEqual(haushalt)
  },
)

// [exact key, status]: nothing is trimmed, normalised or guessed.
test.each([
  ...['email:Anna@example.org', 'email:anna@example.org ', 'phone:01713920001'].map(key => [
    key,
    404,
  ]),
  ...['phone:+49 1713920001', 'phone:+491719999999'].map(key => [key, 404]),
  ...['email: anna@example.org', 'anna@example.org', '+491713920001', leadKey.slice(5)].map(key => [
    key,
    400,
  ]),
  ...[leadKey.toUpperCase(), 'konto:1', 'email:', 'email:anna', 'phone:abc', 'lead:17'].map(key => [
    key,
    400,
  ]),
] as [string, number][])('/kontakte/%j/haushalt is %i', async (key, status) => {
  expect((await api.send(`/kontakte/${q(key)}/haushalt`)).status).toBe(status)
})
