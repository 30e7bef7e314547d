// Spec part 4: /leads over HTTP.
import { beforeAll, expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'

const api = useService()
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

beforeAll(async () => {
  await api.sql`
    insert into leads (id, name, email, phone, status, archived_at, parsed_data, created_at) values
    (${id(1)}, 'Jürgen Groß', 'juergen@example.org', '+49 30 23125001', 'new', null, '{"plz": "10115"}', '2026-01-01T10:00:00Z'),
    (${id(2)}, '100% Sicher_AG', 'info@example.com', null, 'won', null, null, '2026-01-02T10:00:00Z'),
    (${id(3)}, 'Archi Viert', 'archi@example.org', null, 'lost', '2026-01-05T10:00:00Z', null, '2026-01-03T10:00:00Z'),
    (${id(4)}, null, null, null, 'new', null, null, '2026-01-03T10:00:00Z')`
  await api.sql`
    insert into lead_analyses (lead_id, channel, source_id, analysis, analysis_v2, din_check, created_at) values
    (${id(1)}, 'chat', 'chat-1', '{"kunde_name": "alt"}', null, null, '2026-01-02T00:00:00Z'),
    (${id(1)}, 'call', 'call-1', '{"kunde_name": "Jürgen Groß"}', '{"meta": {}}', '{"bewertung": {}}', '2026-01-03T00:00:00Z')`
})

const idsOf = async (query: string) =>
  (await api.send(`/leads${query}`)).body.data.map((lead: { id: string }) =>
    Number(lead.id.slice(-2)),
  )

test('a lead has exactly the fields of the contract', async () => {
  const { body } = await api.send(`/leads/${id(1)}`)
  expect(body).toEqual({
    api_version: 'v1',
    data: {
      id: id(1),
      name: 'Jürgen Groß',
      email: 'juergen@example.org',
      phone: '+49 30 23125001',
      status: 'new',
      source_type: null,
      contacted_at: null,
      archived_at: null,
      archive_reason_code: null,
      parsed_data: { plz: '10115' },
      created_at: '2026-01-01T10:00:00.000000Z',
    },
  })
})

test('leads come newest first, equal moments by id, archived ones only when asked for', async () => {
  expect(await idsOf('')).toEqual([4, 2, 1])
  expect(await idsOf('?include_archived=true')).toEqual([4, 3, 2, 1])
  expect(await idsOf('?include_archived=false')).toEqual([4, 2, 1])
})

test('meta counts the entries of the page', async () => {
  const { body } = await api.send('/leads?limit=2&offset=1')
  expect(body.meta).toEqual({ count: 2, limit: 2, offset: 1 })
  expect(body.data.map((lead: { id: string }) => lead.id)).toEqual([id(2), id(1)])
  expect((await api.send('/leads?offset=10')).body.meta).toEqual({
    count: 0,
    limit: 50,
    offset: 10,
  })
})

test('status filters, and an unknown status finds none', async () => {
  expect(await idsOf('?status=won')).toEqual([2])
  expect(await idsOf('?status=lost')).toEqual([])
  expect(await idsOf('?status=lost&include_archived=true')).toEqual([3])
  expect(await idsOf('?status=unheard-of')).toEqual([])
})

test('search is a case-insensitive substring of name, email or phone, taken literally', async () => {
  const search = (text: string) => idsOf(`?search=${encodeURIComponent(text)}`)
  expect(await search('jÜRGEN')).toEqual([1])
  expect(await search('EXAMPLE.ORG')).toEqual([1])
  expect(await search('23125001')).toEqual([1])
  expect(await search('%')).toEqual([2])
  expect(await search('r_A')).toEqual([2])
  expect(await search('_')).toEqual([2])
  expect(await search('\\')).toEqual([])
  expect(await search('ju\u0308rgen')).toEqual([1])
  expect(await search('GROSS')).toEqual([1])
  expect(await idsOf('?search=archi')).toEqual([])
  expect(await idsOf('?search=archi&include_archived=true')).toEqual([3])
  expect(await idsOf('?search=a&status=won')).toEqual([2])
})

test('an empty search or status is no filter, a space is one', async () => {
  expect(await idsOf('?search=')).toEqual([4, 2, 1])
  expect(await idsOf('?status=&search=&include_archived=true')).toEqual([4, 3, 2, 1])
  expect(await idsOf('?status=won&search=')).toEqual([2])
  expect(await idsOf('?search=%20')).toEqual([2, 1])
})

test('a whole email address of any length is found', async () => {
  const email = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(53)}.example`
  expect(email).toHaveLength(254)
  const [stored] = await api.sql`
    insert into leads (email) values (${email}) returning id, kontakt_key(email) as key`
  expect(stored?.key).toBe(`email:${email}`)
  const { body } = await api.send(`/leads?search=${email}`)
  expect(body.data).toEqual([expect.objectContaining({ id: stored?.id, email })])
  await api.sql`delete from leads where id = ${stored?.id}`
})

test('an archived lead answers by id, and an id counts in either case', async () => {
  expect((await api.send(`/leads/${id(3)}`)).body.data.archived_at).toBe(
    '2026-01-05T10:00:00.000000Z',
  )
  const upper = 'AAAAAAAA-0000-4000-8000-00000000000A'
  await api.sql`insert into leads (id) values (${upper})`
  expect((await api.send(`/leads/${upper}`)).body.data.id).toBe(upper.toLowerCase())
  await api.sql`delete from leads where id = ${upper}`
})

test('the analysis of a lead is the newest one, flat and nested', async () => {
  const { body } = await api.send(`/leads/${id(1)}/analysis`)
  expect(body.data).toEqual({
    lead_id: id(1),
    channel: 'call',
    source_id: 'call-1',
    analysis_schema_version: null,
    analysis: { kunde_name: 'Jürgen Groß' },
    analysis_v2: { meta: {} },
    din_check: { bewertung: {} },
    created_at: '2026-01-03T00:00:00.000000Z',
  })
})

test('numbers in documents come out digit for digit', async () => {
  const number = '12345678901234567890.12345678901234567890'
  await api.sql`update leads set parsed_data = ${`{"n": ${number}}`} where id = ${id(2)}`
  expect((await api.send(`/leads/${id(2)}`)).text).toContain(number)
})
