// The description says what the service does: one run over all routes and every kind of failure is held against it, headers
// included, and what the schema of a parameter allows is accepted, all else refused.
import { beforeAll, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Json } from '../../src/api/http/json_schema.ts'
import { loadDemo } from '../../src/demo/load.ts'
import { whileLocked } from '../support/database/database.ts'
import { event } from '../support/database/factory.ts'
import { absolute, type Document, operationsOf, withResponses } from '../support/http/document.ts'
import { bearer, sendTo, type TestReply, useService, useUpLimit } from '../support/http/service.ts'

const api = useService({ RATE_LIMIT_PER_MINUTE: '1000000', STATEMENT_TIMEOUT_MS: '1000' })
const ajv = addFormats(new Ajv2020({ allowUnionTypes: true, strict: false }))
let document: Document

beforeAll(async () => {
  document = withResponses((await api.send('/openapi.json')).body)
  ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } })
  await loadDemo(api.sql, 50, () => {})
  await api.sql`update feed set head_floor = 3, horizon = 2`
  await event(api.sql, { cursor: 3, links: { lead_id: null, session_id: null }, data: {} })
}, 60_000)

const unknownId = '00000000-0000-4000-8000-000000000000'
const hook = { target_url: 'https://hooks.example.com/a', event_types: ['lead.created'] }
const post = (body: unknown) => api.send('/hooks', { method: 'POST', body: JSON.stringify(body) })
const as = (key: string, path: string) => sendTo(api.base, path, bearer(key))

async function whereKnown(operation: string): Promise<TestReply> {
  const [method = '', path = ''] = operation.split(' ')
  const [found] = await api.sql`
    select (select lead_id from lead_analyses limit 1) as "leadId", (select kontakt_key from haushalte limit 1) as key,
      (select id from appointments limit 1) as "meetingId"`
  const { data } = method === 'DELETE' ? (await post(hook)).body : { data: {} }
  const known: Record<string, string> = { ...found, hookId: data.id }
  const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(known[name] ?? ''))
  return operation === 'POST /hooks' ? await post(hook) : await api.send(url, { method })
}

const failures: [operation: string, status: number, ask: () => Promise<TestReply>][] = [
  ['GET /leads', 400, () => api.send('/leads?limit=0')],
  ['GET /leads/{leadId}', 400, () => api.send('/leads/17')],
  ['GET /events', 400, () => api.send('/events?after=4711')],
  ['POST /hooks', 400, () => post({})],
  ['GET /hooks/sample', 400, () => api.send('/hooks/sample?type=lead.deleted')],
  ['GET /leads', 401, () => sendTo(api.base, '/leads')],
  ['GET /leads', 403, async () => as(await api.makeKey('read:signals'), '/leads')],
  ['GET /leads/{leadId}', 404, () => api.send(`/leads/${unknownId}`)],
  ['GET /events', 410, () => api.send('/events?after=1')],
  ['POST /hooks', 413, () => post('a'.repeat(66_000))],
  [
    'GET /leads',
    429,
    async () => {
      const key = await api.makeKey('read:leads')
      await useUpLimit(api.sql, key, 1_000_000)
      return await as(key, '/leads')
    },
  ],
  ['GET /leads', 503, () => whileLocked(api.url, 'leads', () => api.send('/leads'))],
  [
    'GET /signals',
    500,
    async () => {
      await api.sql`alter table signals rename to signals_away`
      const reply = await api.send('/signals')
      await api.sql`alter table signals_away rename to signals`
      return reply
    },
  ],
]

const sometimes = ['Link', 'X-Ignored-Parameters']

/** Every answer was held against its schema as it came. */
function expectDescribed(operation: string, status: number, reply: TestReply) {
  const operations = operationsOf(document)
  const names = operations.flatMap(({ operation: { responses } }) =>
    Object.values(responses).flatMap(({ headers }) => Object.keys(headers)),
  )
  const found = operations.find(({ name }) => name === operation)
  const { headers = {} } = found?.operation.responses[status] ?? {}
  const sent = [...new Set(names)].filter(name => reply.headers.has(name))
  const always = Object.keys(headers).filter(
    name => !sometimes.includes(name) || sent.includes(name),
  )
  expect([operation, reply.status, sent.toSorted()]).toEqual([operation, status, always.toSorted()])
}

test('every route answers as it is described', async () => {
  for (const { name } of operationsOf(document))
    expectDescribed(name, name === 'POST /hooks' ? 201 : 200, await whereKnown(name))
})

test.each(failures)('%s fails with %i as it is described', async (operation, status, ask) => {
  expectDescribed(operation, status, await ask())
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
