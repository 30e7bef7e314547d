// One amount, written in every form into every column that may hold an income, is found nowhere: not in an
// answer of the API, not in a log line, not in a dump of any table.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { loadDemo } from '../../src/demo/load.ts'
import { eventTypes } from '../../src/model/event_type.ts'
import { basePath, routes } from '../../src/operations/contract.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { bearer, sendTo, useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'
import { insertCanary } from './canary.ts'

const api = useService()
let child: ReturnType<typeof start>
let logged = ''
let base = ''

/** 31337 and 31337.77 in any spelling; 31,3k, 31 TEUR; in words. Keys and ids are hexadecimal, so not inside those, nor in a moment. */
const canary =
  /(?<![0-9a-f-]|\d\d:\d\d:(?:\d\d\.\d*)?)31[.,\s]?337|31,3\s?k|31-32k|31 TEUR|einunddrei(ß|ss)igtausend/gi

const start = () =>
  Bun.spawn(['bun', join(import.meta.dir, '../../src/main.ts')], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: api.url,
      PORT: '0',
      LOG_LEVEL: 'debug',
      RATE_LIMIT_PER_MINUTE: '100000',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const follow = async (stream: ReadableStream<Uint8Array>) => {
  for await (const chunk of stream) logged += new TextDecoder().decode(chunk)
}

beforeAll(async () => {
  await loadDemo(api.sql, 100, () => {})
  await insertCanary(api.sql)
  // The producer's door, which the demo data do not use.
  await api.sql.unsafe(`
    select emit_event('analysis.completed', 'analysis', 'canary', '{}', '{"channel": "chat", "analysis_schema_version": null,
      "analysis": {"gehalt": 31337.77, "notiz": "verdient 31.337,77 EUR", "angaben": [{"art": "netto", "wert": 31337}]}}')`)
  child = start()
  void follow(child.stdout)
  void follow(child.stderr)
  base = await until(() => /http:\S+\/api\/v1(?=\n)/.exec(logged)?.[0], 30_000)
  // The worker brings every event into the feed.
  await until(() => isSequenced(api.sql), 60_000)
}, 180_000)

afterAll(async () => {
  child?.kill('SIGTERM')
  await child?.exited
})

/** Ids are random: one may begin with the amount. */
const found = (text: string) =>
  [...text.replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '').matchAll(canary)].map(
    ({ index, input }) => input.slice(Math.max(0, index - 80), index + 40),
  )

const read = async (path: string) => await sendTo(base, path, bearer(api.key))

/** Every page of a list, as text. */
async function readAll(path: string): Promise<string> {
  let text = ''
  for (let offset = 0; ; offset += 200) {
    const page = await read(`${path}${path.includes('?') ? '&' : '?'}limit=200&offset=${offset}`)
    expect([path, page.status]).toEqual([path, 200])
    text += page.text
    if (page.body.data.length < 200) return text
  }
}

async function readFeed(): Promise<{ text: string; types: Set<string> }> {
  let text = ''
  const types = new Set<string>()
  for (let after: number | undefined; ; ) {
    const page = await read(`/events?limit=200${after === undefined ? '' : `&after=${after}`}`)
    text += page.text
    for (const event of page.body.data) types.add(event.event_type)
    if (page.body.data.length === 0) return { text, types }
    after = page.body.meta.next_cursor
  }
}

const values = async (statement: string): Promise<string[]> =>
  (await api.sql.unsafe(statement)).map(row => encodeURIComponent(row.value))

/** For each path of the registry, every output it has. */
const outputs: Record<string, () => Promise<string[]>> = {
  '/leads': async () => [
    await readAll('/leads?include_archived=true'),
    await readAll('/leads?search=einkommen'),
  ],
  '/leads/{leadId}': async () => await each('/leads/', '', 'select id as value from leads'),
  '/leads/{leadId}/analysis': async () =>
    await each('/leads/', '/analysis', 'select distinct lead_id as value from lead_analyses'),
  '/kontakte': async () => [await readAll('/kontakte')],
  '/kontakte/{key}': async () =>
    await each('/kontakte/', '', 'select kontakt_key as value from haushalte'),
  '/kontakte/{key}/haushalt': async () =>
    await each('/kontakte/', '/haushalt', 'select kontakt_key as value from haushalte'),
  '/appointments': async () => [await readAll('/appointments')],
  '/meetings/{meetingId}/intelligence': async () =>
    await each('/meetings/', '/intelligence', 'select id as value from appointments'),
  '/signals': async () => [await readAll('/signals')],
  '/events': async () => [(await readFeed()).text],
  '/hooks/sample': async () => [
    (await read('/hooks/sample')).text,
    ...(await Promise.all(
      eventTypes.map(async type => (await read(`/hooks/sample?type=${type}`)).text),
    )),
  ],
  '/schemas/analysis': async () => [(await read('/schemas/analysis')).text],
}

async function each(before: string, after: string, statement: string): Promise<string[]> {
  const texts: string[] = []
  for (const value of await values(statement)) {
    const reply = await read(before + value + after)
    expect([before + value + after, reply.status]).toEqual([before + value + after, 200])
    texts.push(reply.text)
  }
  return texts
}

test('every readable path of the registry is looked at', () => {
  const readable = routes.filter(({ method }) => method === 'GET').map(({ path }) => path)
  // Subscriptions hold addresses and types of events; their deliveries carry the feed's payloads.
  expect(readable.filter(path => !(path in outputs) && !path.startsWith('/hooks'))).toEqual([])
})

test.each(Object.keys(outputs))(
  '%s shows no income',
  async path => {
    const texts = (await outputs[path]?.()) ?? []
    expect(texts.join('').length).toBeGreaterThan(100)
    expect(texts.flatMap(found)).toEqual([])
  },
  60_000,
)

test('the feed holds what the demo data and the producer put into it', async () => {
  const { text, types } = await readFeed()
  expect([...types]).toContain('analysis.completed')
  expect(text).toContain('"object_id":"canary"')
  expect(text).toContain('[entfernt]')
}, 60_000)

test('what was written next to the amounts is still there', async () => {
  const { body } = await read('/kontakte/email%3Aeinkommen%40example.org/haushalt')
  expect(body.data.haushalt.beitrag_netto).toBe(45)
  expect(body.data.haushalt.sollwert).toEqual({
    typ: 'anteil_netto',
    wert_eur: 2560,
    beschreibung: '80 % von [entfernt] Nettoeinkommen',
  })
})

test('the documents about the API show none', async () => {
  const origin = base.slice(0, -basePath.length)
  for (const path of ['/api/v1/openapi.json', '/docs', '/healthz', '/readyz'])
    expect(found(await (await fetch(origin + path)).text())).toEqual([])
})

test('a dump of every table holds none', async () => {
  const tables = await api.sql`
    select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`
  expect(tables.length).toBeGreaterThan(15)
  let rows = 0
  for (const { name } of tables) {
    const dumped = await api.sql.unsafe(`select dumped::text as row from ${name} as dumped`)
    rows += dumped.length
    expect([name, dumped.flatMap(({ row }) => found(row))]).toEqual([name, []])
  }
  expect(rows).toBeGreaterThan(1000)
}, 60_000)

test('no log line shows one', async () => {
  await until(
    () => logged.split('\n').filter(line => line.includes('"request"')).length > 300,
    10_000,
  )
  expect(found(logged)).toEqual([])
})

test('the search itself finds the amount in every form, and takes no moment for it', () => {
  const forms = ['31337', '31337.77', '31.337,77', '"x":31337', '31 337 €', '31,3k', '31 TEUR']
  const moments = ['10:31:31.337', '10:31:56.313374+00', '"T10:00:31.337"']
  const wanted = [...forms, 'Einunddreißigtausend']
  expect([...wanted, ...moments].filter(text => found(text).length > 0)).toEqual(wanted)
})
