// What every list has in common over HTTP: pages with a link to the next, parameters that there are not, compression, and the
// filters that integrators copy by.
import { beforeAll, expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'

const api = useService()
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
