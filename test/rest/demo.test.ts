// The demo workspace through the API: every row of it in every list and by its id, held against the document.
import { expect, test } from 'bun:test'
import { isEmpty } from '../../src/demo/load.ts'
import { demoTemplate } from '../support/database/demo.ts'
import { useService } from '../support/http/service.ts'

const api = useService({}, demoTemplate)

type Row = Record<string, unknown>

/** Every entry of a list; each page is held against the document as it comes. */
async function all(path: string): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const separator = path.includes('?') ? '&' : '?'
    const { status, body } = await api.send(`${path}${separator}limit=200&offset=${rows.length}`)
    expect(status).toBe(200)
    rows.push(...body.data)
    if (body.data.length < 200) return rows
  }
}

const countOf = async (table: string) => {
  const [row] = await api.sql`select count(*)::integer as count from ${api.sql(table)}`
  return row?.count
}

test('a workspace with demo data is not empty', async () => {
  expect(await isEmpty(api.sql)).toBe(false)
})

// [list, table, by id]
test.each([
  ['/leads?include_archived=true', 'leads', ({ id }: Row) => `/leads/${id}`],
  ['/appointments', 'appointments', ({ id }: Row) => `/meetings/${id}/intelligence`],
  ['/signals', 'signals', undefined],
  [
    '/kontakte?include=haushalt',
    undefined,
    ({ kontakt_key }: Row) => `/kontakte/${encodeURIComponent(String(kontakt_key))}`,
  ],
] as const)(
  'every row of %s, and by itself',
  async (list, table, pathOf) => {
    const rows = await all(list)
    expect(rows.length).toBeGreaterThan(100)
    if (table) expect(rows.length).toBe(await countOf(table))
    for (const row of pathOf ? rows : []) {
      const { status, body } = await api.send(pathOf?.(row) ?? '')
      const data = body.data.appointment ?? body.data
      expect([status, data]).toEqual([200, row.haushalt ?? row])
    }
  },
  30_000,
)

test('every analysis is found through its lead', async () => {
  const rows = await api.sql`select distinct lead_id from lead_analyses`
  expect(rows.length).toBeGreaterThan(100)
  for (const { lead_id } of rows)
    expect((await api.send(`/leads/${lead_id}/analysis`)).body.data.lead_id).toBe(lead_id)
}, 30_000)

test('the demo is the same on every machine', async () => {
  const [row] = await api.sql`
    select md5(string_agg(leads::text, e'\n' order by id)) as checksum from (select * from leads order by id limit 300) as leads`
  expect(row?.checksum).toBe('11f930732f85bc2a51fa826bd9c71731')
})

test('only fictional numbers and example domains appear', async () => {
  const rows = await api.sql`
    select email from leads where email <> '' and email !~* '@example\.(org|com|net)$'`
  expect([...rows]).toEqual([])
  const phones = await api.sql`
    select phone from leads where phone <> '' and regexp_replace(phone, '[^0-9]', '', 'g') !~ '^(49|0049|0)?(3023125|6990009|4066969|2214710|8999998|15228817386|171392|199)'`
  expect([...phones]).toEqual([])
})

test.each(['leads', 'appointments'])(
  'the description names every status of the demo’s %s without a space',
  async list => {
    const { body } = await api.send('/openapi.json')
    const parameters: { name: string; description: string }[] =
      body.paths[`/${list}`].get.parameters
    const described = parameters.find(({ name }) => name === 'status')?.description.split(/\W+/)
    // The others of the demo are one workspace's own, such as „wiedervorlage märz“.
    const rows = await api.sql`select distinct status from ${api.sql(list)} where status !~ ' '`
    expect(described).toEqual(expect.arrayContaining(rows.map(({ status }) => status)))
  },
)
