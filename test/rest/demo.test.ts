// The demo workspace through the API: every row of it in every list and by its id, held against the document.
import { expect, test } from 'bun:test'
import { isEmpty } from '../../src/demo/load.ts'
import { demoTemplate } from '../support/database/demo.ts'
import { useService } from '../support/http/service.ts'

const api = useService({}, demoTemplate)

/** Every entry of a list; each page is held against the document as it comes. */
async function all(path: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
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

test('every lead answers in the list and by its id', async () => {
  const leads = await all('/leads?include_archived=true')
  expect(leads.length).toBe(await countOf('leads'))
  expect(leads.length).toBeGreaterThan(500)
  for (const lead of leads) {
    const { status, body } = await api.send(`/leads/${lead.id}`)
    expect([status, body.data]).toEqual([200, lead])
  }
}, 30_000)

test('every analysis is found through its lead', async () => {
  const rows = await api.sql`select distinct lead_id from lead_analyses`
  expect(rows.length).toBeGreaterThan(100)
  for (const { lead_id } of rows) {
    const { status, body } = await api.send(`/leads/${lead_id}/analysis`)
    expect([status, body.data.lead_id]).toEqual([200, lead_id])
  }
}, 30_000)

test('every contact answers by its key and by every alias', async () => {
  const kontakte = await all('/kontakte')
  expect(kontakte.length).toBeGreaterThan(350)
  for (const kontakt of kontakte) {
    const key = encodeURIComponent(String(kontakt.kontakt_key))
    const { status, body } = await api.send(`/kontakte/${key}/haushalt`)
    expect([status, body.data.canonical_key]).toEqual([200, kontakt.kontakt_key])
    for (const alias of body.data.aliases.slice(0, 3)) {
      const found = await api.send(`/kontakte/${encodeURIComponent(alias)}`)
      expect(found.body.data.canonical_key).toBe(kontakt.kontakt_key)
    }
  }
}, 30_000)

test('every appointment and what was found in it', async () => {
  const appointments = await all('/appointments')
  expect(appointments.length).toBe(await countOf('appointments'))
  for (const appointment of appointments) {
    const { status, body } = await api.send(`/meetings/${appointment.id}/intelligence`)
    expect([status, body.data.appointment]).toEqual([200, appointment])
  }
}, 30_000)

test('every signal, in total and by status', async () => {
  const signals = await all('/signals')
  expect(signals.length).toBe(await countOf('signals'))
  let byStatus = 0
  for (const status of ['open', 'dismissed', 'done', 'resolved'])
    byStatus += (await all(`/signals?status=${status}`)).length
  expect(byStatus).toBe(signals.length)
})

test('the demo is the same on every machine', async () => {
  const [row] = await api.sql`
    select md5(string_agg(leads::text, e'\n' order by id)) as checksum from (select * from leads order by id limit 300) as leads`
  expect(row?.checksum).toBe('671885df3d08b2c7c08a6f5f5ffb20c5')
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
