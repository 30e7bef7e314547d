// The demo workspace through the API: every row of it, in every list and by its id, is held against the document; and one amount,
// written in every form into every column that may hold an income, is in no answer and no table.
import { beforeAll, expect, test } from 'bun:test'
import { basePath, restRoutes } from '../../src/api/rest/routes.ts'
import { eventTypes } from '../../src/model/event_type.ts'
import { demoTemplate } from '../support/database/database.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService({}, demoTemplate)
useWorker(api)

/** 31337 and 31337.77 in any spelling; 31,3k, 31 TEUR; in words. Keys and ids are hexadecimal, so not inside those, nor in a moment. */
const canary =
  /(?<![0-9a-f-]|\d\d:\d\d:(?:\d\d\.\d*)?)31[.,\s]?337|31,3\s?k|31-32k|31 TEUR|einunddrei(ß|ss)igtausend/gi

const found = (text: string) =>
  [...text.matchAll(canary)].map(({ index }) => text.slice(Math.max(0, index - 80), index + 40))

beforeAll(async () => {
  // The producer's door, which the demo data do not use.
  await api.sql`
    select append_event('haushalt.updated', 'haushalt', 'canary', '{}', '{"gehalt": 31337.77, "notiz": "verdient 31.337,77 EUR", "angaben": [{"art": "netto", "wert": 31337}]}')`
  await until(() => isSequenced(api.sql), 60_000)
}, 120_000)

type Row = Record<string, unknown>

async function read(path: string) {
  const reply = await api.send(path)
  expect([path, reply.status, found(reply.text)]).toEqual([path, 200, []])
  return reply.body
}

/** Every row of a list; of the feed, by cursor. */
async function all(path: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let next = ''; ; ) {
    const { data, meta } = await read(`${path}${path.includes('?') ? '&' : '?'}limit=200${next}`)
    rows.push(...data)
    if (data.length === 0 || (data.length < 200 && !path.startsWith('/events'))) return rows
    next = path.startsWith('/events') ? `&after=${meta.next_cursor}` : `&offset=${rows.length}`
  }
}

/** Of rows that the lists have shown: every seventh, by itself. */
const some = <Value>(rows: Value[]) => rows.filter((_, place) => place % 7 === 0)

const valuesOf = async (statement: string) =>
  (await api.sql.unsafe(statement)).map(row => String(row.value))

/** By the paths of the registry: what answers each, and how many rows that are. */
const outputs: Record<string, () => Promise<number>> = {
  '/leads': async () => (await all('/leads?include_archived=true')).length,
  async '/leads/{leadId}'() {
    const rows = await all('/leads?include_archived=true')
    for (const row of some(rows)) expect((await read(`/leads/${row.id}`)).data).toEqual(row)
    return rows.length
  },
  async '/leads/{leadId}/analysis'() {
    const ids = await valuesOf('select distinct lead_id as value from lead_analyses')
    for (const id of ids) expect((await read(`/leads/${id}/analysis`)).data.lead_id).toBe(id)
    return ids.length
  },
  '/kontakte': async () => (await all('/kontakte')).length,
  async '/kontakte/{key}'() {
    const rows = await all('/kontakte?include=haushalt')
    for (const { kontakt_key, haushalt } of some(rows))
      expect((await read(`/kontakte/${encodeURIComponent(`${kontakt_key}`)}`)).data).toEqual(
        haushalt,
      )
    return rows.length
  },
  async '/kontakte/{key}/haushalt'() {
    const keys = await valuesOf('select kontakt_key as value from haushalte')
    for (const key of some(keys)) await read(`/kontakte/${encodeURIComponent(key)}/haushalt`)
    return keys.length
  },
  '/appointments': async () => (await all('/appointments')).length,
  async '/meetings/{meetingId}/intelligence'() {
    const rows = await all('/appointments')
    for (const row of rows)
      expect((await read(`/meetings/${row.id}/intelligence`)).data.appointment).toEqual(row)
    return rows.length
  },
  '/signals': async () => (await all('/signals')).length,
  async '/events'() {
    const events = await all('/events')
    expect(events.some(({ event_type }) => event_type === 'analysis.completed')).toBe(true)
    expect(JSON.stringify(events.find(({ object_id }) => object_id === 'canary'))).toContain(
      '[entfernt]',
    )
    return events.length
  },
  async '/hooks/sample'() {
    for (const type of eventTypes) await read(`/hooks/sample?type=${type}`)
    return (await read('/hooks/sample')).data.length
  },
  '/schemas/analysis': async () => Object.keys((await read('/schemas/analysis')).data).length,
}

test('every readable path of the registry is looked at', () => {
  const readable = restRoutes.filter(({ method }) => method === 'GET').map(({ path }) => path)
  // Subscriptions hold addresses and types of events; their deliveries carry the feed's payloads.
  expect(readable.filter(path => !(path in outputs) && !path.startsWith('/hooks'))).toEqual([])
})

test.each(Object.keys(outputs))(
  '%s has every row, and shows no income',
  async path => {
    const count = await outputs[path]?.()
    expect(count).toBeGreaterThan(path.startsWith('/schemas') || path.startsWith('/hooks') ? 3 : 90)
    const table = { '/leads': 'leads', '/appointments': 'appointments', '/signals': 'signals' }[
      path
    ]
    if (table)
      expect(await valuesOf(`select count(*) as value from ${table}`)).toEqual([`${count}`])
  },
  60_000,
)

test('what was written next to the amounts is still there', async () => {
  const { data } = await read('/kontakte/email%3Aeinkommen%40example.org/haushalt')
  expect(data.haushalt.beitrag_netto).toBe(45)
  expect(data.haushalt.sollwert).toEqual({
    typ: 'anteil_netto',
    wert_eur: 2560,
    beschreibung: '80 % von [entfernt] Nettoeinkommen',
  })
})

test('a dump of every table and the documents about the API hold none', async () => {
  const tables = await valuesOf(
    `select oid::regclass as value from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  expect(tables.length).toBeGreaterThan(15)
  for (const name of tables) {
    const rows = await valuesOf(`select dumped::text as value from ${name} as dumped`)
    expect([name, rows.flatMap(found)]).toEqual([name, []])
  }
  for (const path of [`${basePath}/openapi.json`, '/docs', '/llms.txt', '/healthz', '/readyz'])
    expect(found(await (await fetch(api.service.url + path)).text())).toEqual([])
}, 60_000)

test.each([
  ...['31337', '31337.77', '31.337,77', '"x":31337', '31 337 €', '31,3k', '31 TEUR'],
  'Einunddreißigtausend',
])('the search finds %j', text => {
  expect(found(text)).not.toEqual([])
})

test.each(['10:31:31.337', '10:31:56.313374+00', '"T10:00:31.337"'])(
  'the search does not take the moment %j for the amount',
  text => {
    expect(found(text)).toEqual([])
  },
)
