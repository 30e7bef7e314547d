// The demo data: the same everywhere, and of people who do not exist. Its rows through the API: test/rest/income_canary.test.ts.
import { expect, test } from 'bun:test'
import { demoTemplate } from '../support/database/database.ts'
import { useService } from '../support/http/service.ts'

const api = useService({}, demoTemplate)

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
