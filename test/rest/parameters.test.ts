// What every list has in common over HTTP: pages with a link to the next, parameters that there are not, compression, and the
// filters that integrators copy by.
import { beforeAll, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Json } from '../../src/api/http/json_schema.ts'
import { absolute, operationsOf, withResponses } from '../support/http/document.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const ajv = addFormats(new Ajv2020({ allowUnionTypes: true, strict: false }))
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const anna = 'email:anna@example.org'

beforeAll(async () => {
  await api.sql`
    insert into leads (id, name, email, created_at)
    select ('00000000-0000-4000-8000-' || lpad(number::text, 12, '0'))::uuid, 'Lead ' || number, 'lead@example.org',
      timestamptz '2026-01-01' + number * interval '1 hour'
    from generate_series(1, 30) as number`
  await api.sql`
    insert into appointments (id, lead_id, platform, starts_at) values
    (${id(1)}, ${id(1)}, 'zoom', '2026-03-01T00:00:00Z'),
    (${id(2)}, ${id(2)}, 'zoom', '2026-03-02T00:00:00Z'),
    (${id(3)}, ${id(1)}, 'zoom', '2026-03-03T00:00:00Z')`
  await api.sql`
    insert into signals (id, kind, title, lead_id, kontakt_key, score, detected_at) values
    (${id(1)}, 'vertragsablauf', 'A', ${id(1)}, ${anna}, 1, '2026-03-01T00:00:00Z'),
    (${id(2)}, 'vertragsablauf', 'B', ${id(2)}, 'phone:+491713920001', 1, '2026-03-02T00:00:00Z'),
    (${id(3)}, 'vertragsablauf', 'C', null, 'email:other@example.org', 1, '2026-03-03T00:00:00Z')`
  await api.sql`
    insert into haushalte (kontakt_key, haushalt, provenance, updated_at) values
    (${anna}, '{"vertraege": [{"sparte": "hausrat"}]}', '{"a": 1}', '2026-03-01T00:00:00Z'),
    ('email:merged@example.org', '{}', null, '2026-03-02T00:00:00Z'),
    ('email:old@example.org', '{}', null, '2026-02-01T00:00:00Z')`
  await api.sql`
    insert into kontakt_aliases (alias_key, canonical_key) values
    ('phone:+491713920001', ${anna}), ('email:merged@example.org', 'email:gone@example.org')`
})

const listed = async (path: string) => (await api.send(path)).body.data
const numbersOf = async (path: string) =>
  (await listed(path)).map((row: { id: string }) => Number(row.id.slice(-2)))

// [path, ids in their order]
const filtered: [string, number[]][] = [
  ['/appointments', [3, 2, 1]],
  ['/appointments?from=2026-03-02', [3, 2]],
  ['/appointments?from=2026-03-02T02:00+0200', [3, 2]],
  ['/appointments?to=2026-03-02', [1]],
  ['/appointments?from=2026-03-02&to=2026-03-03', [2]],
  [`/appointments?lead_id=${id(1)}`, [3, 1]],
  [`/appointments?lead_id=${id(1)}&to=2026-03-02`, [1]],
  [`/appointments?lead_id=${id(9)}`, []],
  [`/signals?lead_id=${id(1)}`, [1]],
  ['/signals?kontakt_key=Anna%40Example.org', [2, 1]],
  ['/signals?kontakt_key=0171%203920001', [2, 1]],
  [`/signals?kontakt_key=${anna}&lead_id=${id(2)}`, [2]],
  ['/signals?kontakt_key=nobody%40example.org', []],
]

test.each(filtered)('%s', async (path, numbers) => {
  expect(await numbersOf(path)).toEqual(numbers)
})

test('kontakte that changed since a moment, each with its record as /kontakte/{key} answers', async () => {
  const plain = await listed('/kontakte?updated_since=2026-03-01')
  expect(plain.map((one: { kontakt_key: string }) => one.kontakt_key)).toEqual([
    'email:gone@example.org',
    anna,
  ])
  const included = await listed('/kontakte?updated_since=2026-03-01&include=haushalt')
  expect(included).toHaveLength(2)
  for (const [index, { haushalt, ...rest }] of included.entries()) {
    expect(rest).toEqual(plain[index])
    expect(haushalt).toEqual(await listed(`/kontakte/${encodeURIComponent(rest.kontakt_key)}`))
  }
  expect(await listed('/kontakte?include=haushalt&limit=1&offset=2')).toMatchObject([
    { kontakt_key: 'email:old@example.org', haushalt: { canonical_key: 'email:old@example.org' } },
  ])
})

/** Follows the links of a list to its end. */
async function follow(path: string): Promise<{ pages: number; rows: unknown[] }> {
  let next: string | undefined = path
  let pages = 0
  const rows: unknown[] = []
  while (next !== undefined) {
    const reply = await api.send(next)
    rows.push(...reply.body.data)
    pages += 1
    next = /^<\/api\/v1(\S+)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1]
  }
  return { pages, rows }
}

test('a link leads from page to page, with the filters that were sent, and ends with the list', async () => {
  const whole = await follow('/leads?limit=200&search=Lead')
  const byPage = await follow('/leads?search=Lead&limit=7&offset=0')
  expect([whole.pages, byPage.pages]).toEqual([1, 5])
  expect(byPage.rows).toEqual(whole.rows)
  expect(byPage.rows).toHaveLength(30)
})

test('parameters that a path does not have are named in a header and in the meta of lists', async () => {
  const plain = await api.send('/leads')
  const { body, headers } = await api.send('/leads?stauts=new&page=2')
  expect(headers.get('x-ignored-parameters')).toBe('stauts, page')
  expect(body).toEqual({
    ...plain.body,
    meta: { ...plain.body.meta, ignored_parameters: ['stauts', 'page'] },
  })
  for (const path of ['/events?since=5', '/hooks?limit=0'])
    expect((await api.send(path)).body.meta.ignored_parameters).toHaveLength(1)
  expect((await api.send(`/leads/${id(1)}?a%0d%0ab=1`)).headers.get('x-ignored-parameters')).toBe(
    'a%0D%0Ab',
  )
  expect((await api.send('/leads?limit=x&page=2')).status).toBe(400)
  expect(plain.headers.has('x-ignored-parameters')).toBe(false)
})

const moments = /"\w+_at" ?: ?"(?!\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")/

test('every moment ends in Z and has six digits of a second', async () => {
  await api.sql`
    insert into meeting_intelligence (appointment_id, status, summary) values (${id(1)}, 'ready', 'Haftung')`
  const paths = [
    ...['/leads?limit=2', `/leads/${id(1)}`, '/kontakte?include=haushalt', `/kontakte/${anna}`],
    ...['/appointments', `/meetings/${id(1)}/intelligence`, '/signals', '/hooks/sample'],
  ]
  for (const path of paths) {
    const { text, status } = await api.send(path)
    expect([path, status, moments.exec(text)]).toEqual([path, 200, null])
    expect(text).toMatch(/"\w+_at" ?: ?"/)
  }
  // As the feed and webhooks send them.
  const sent = await api.sql`select event_body(events) as body from events`
  expect(sent.filter(({ body }) => moments.test(body))).toEqual([])
})

/** A query carries text; it stands for a number or boolean only in the form JSON writes it. */
function meantBy(text: string, { type }: Json): unknown {
  if (type === 'integer' && String(Number(text)) === text) return Number(text)
  if (type === 'array') return text.split(',')
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text
}

const texts = [
  ...['0', '1', '2', '200', '201', '1000000', '1000001', '-1', '-0', '+1', '01', '1.0', '1e2'],
  ...['0x10', '١', '９', 'NaN', '9007199254740991', '9007199254740993', '1'.repeat(200)],
  ...['true', 'false', 'True', 'null', 'constructor', 'lead.created', 'lead.created,signal.opened'],
  ...['lead.created,', 'lead.deleted', 'open', 'resolved', 'OPEN', 'open ', 'closed'],
  ...['', 'haushalt', '00000000-0000-4000-8000-000000000017', '17', 'a@example.org', '0171 39200'],
  ...['2026-03-01T09:00:00Z', '2026-03-01T09:00:00.123456+05:30', '2026-02-29T00:00:00Z'],
  ...['%', "'", '\\', "'; drop table leads; --", '$1', 'Müller', '😀', 'a\ufffd', '\n', 'a\0b'],
  ...['a'.repeat(254), 'a'.repeat(255), '😀'.repeat(254), '\u0085', '\u200b'],
]

// A cursor that this feed has not given out, or has let go, has the form of one; what is an identity, the database knows.
const mayDo: Record<string, number[]> = { after: [200, 400, 410], kontakt_key: [200, 400] }

test('every query parameter agrees with its schema on every text of the table', async () => {
  const wrong: string[] = []
  const document = withResponses((await api.send('/openapi.json')).body)
  ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } })
  for (const { path, operation } of operationsOf(document))
    for (const { name, schema, in: place } of operation.parameters) {
      if (place !== 'query') continue
      const allows = ajv.compile(absolute(schema))
      const accepted = texts.map(text => allows(meantBy(text, schema)) as boolean)
      expect([name, accepted.includes(true), accepted.includes(false)]).toEqual([name, true, true])
      for (const [index, text] of texts.entries()) {
        const { status } = await api.send(`${path}?${name}=${encodeURIComponent(text)}`)
        const expected = !accepted[index] ? [400] : (mayDo[name] ?? [200])
        if (!expected.includes(status))
          wrong.push(`${path} ${name}=${JSON.stringify(text)}: ${status}`)
      }
      if (schema.default === undefined) continue
      const given = await api.send(`${path}?${name}=${schema.default}`)
      expect(given.body).toEqual((await api.send(path)).body)
    }
  expect(wrong).toEqual([])
}, 60_000)

// Last: the tests above read these leads many times, and small.
test('answers above 1 KB are compressed where the client takes gzip, large ones as they are read', async () => {
  const note = 'Jörg ließ sich beraten 🏡 '.repeat(1_000)
  await api.sql`update leads set parsed_data = jsonb_build_object('notiz', ${note}::text)`
  const ask = (path: string, coding: string) =>
    fetch(api.base + path, {
      decompress: false,
      headers: { authorization: `Bearer ${api.key}`, 'accept-encoding': coding },
    } as RequestInit)
  for (const path of ['/leads?limit=1', '/leads?limit=30']) {
    const plain = await (await ask(path, 'identity')).text()
    const packed = await ask(path, 'br, gzip;q=0.5')
    const bytes = await packed.bytes()
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(bytes.length).toBeLessThan(plain.length / 10)
    expect(Buffer.from(Bun.gunzipSync(bytes)).toString()).toBe(plain)
    const refused = await ask(path, 'gzip;q=0, identity')
    expect([refused.headers.get('content-encoding'), await refused.text()]).toEqual([null, plain])
  }
  expect((await ask('/signals?limit=1', 'gzip')).headers.get('content-encoding')).toBeNull()
})
