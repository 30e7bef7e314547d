// The guide "Copy everything": its program loses nothing while rows are merged, archived, changed
// and erased between its pages, and meets a mistake, a service that is away, or itself.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import * as program from '../../docs/guides/copy/copy.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { eraseKontakt } from '../../src/operations/erasure.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { until } from '../support/until.ts'

type Row = Record<string, unknown>

const api = useService()
useWorker(api)
const dir = makeDataDir('copy')

const guide = join(import.meta.dir, '../../docs/guides/copy')
const rowsOfEach = 450

beforeAll(async () => {
  for (const name of ['copy.ts', 'run.ts']) copyFileSync(join(guide, name), join(dir, name))
  const { sql } = api
  await sql`
    insert into leads (name, email, created_at)
    select 'Lead ' || n, 'lead' || n || '@example.org', now() - n * interval '1 minute' from generate_series(1, ${rowsOfEach}) as n`
  await sql`
    insert into haushalte (kontakt_key, haushalt, updated_at)
    select 'email:lead' || n || '@example.org', '{"vertraege": []}', now() - n * interval '1 minute'
    from generate_series(1, ${rowsOfEach}) as n`
  await sql`
    insert into appointments (title, status, platform, starts_at)
    select 'Termin ' || n, 'scheduled', 'zoom', now() + n * interval '1 hour' from generate_series(1, ${rowsOfEach}) as n`
  await sql`
    insert into signals (kind, title, score, status, detected_at)
    select 'k', 'Signal ' || n, 1, 'open', now() - n * interval '1 minute' from generate_series(1, ${rowsOfEach}) as n`
  await until(() => isSequenced(sql), 20_000)
}, 60_000)

afterAll(() => removeDataDir(dir))

function memory() {
  const kinds = new Map<string, Map<string, Row>>()
  const of = (kind: string) => {
    const found = kinds.get(kind) ?? new Map<string, Row>()
    kinds.set(kind, found)
    return found
  }
  const store: program.Store = {
    put: async (kind, id, row) => void of(kind).set(id, row),
    get: async (kind, id) => of(kind).get(id),
    remove: async (kind, id) => void of(kind).delete(id),
    ids: async kind => [...of(kind).keys()],
    keepCursor: async () => {},
  }
  return { store, of }
}

/** The client of the guide, with the workspace at work between its pages. */
function disturbed(work: (path: string, page: number) => Promise<void>): program.Get {
  const get = program.client(api.base, api.key)
  let page = 0
  return async <Data>(path: string) => {
    const answer = await get<Data>(path)
    if (/[?&]offset=/.test(path)) {
      page += 1
      await work(path, page)
    }
    return answer
  }
}

const keysInOrder = async () =>
  (await api.sql`select kontakt_key from haushalte order by updated_at desc, kontakt_key`)
    .map(row => row.kontakt_key as string)
    .filter(key => key.startsWith('email:lead'))

const leadsInOrder = async () =>
  (await api.sql`select id from leads order by created_at desc, id desc`).map(
    row => row.id as string,
  )

const pick = <Value>(list: Value[], at: number) => list[at % list.length] as Value

async function workInKontakte(page: number) {
  const { sql } = api
  const keys = await keysInOrder()
  // In front of the page that was read, so that what is behind moves up over its edge.
  await sql`select merge_kontakte(${pick(keys, 10)}, ${pick(keys, 11)})`
  await sql`select merge_kontakte(${pick(keys, 20)}, ${pick(keys, 300)})`
  await sql`update haushalte set haushalt = ${`{"personen": [${page}]}`}::text::jsonb where kontakt_key = ${pick(keys, 350)}`
  await sql`update haushalte set empfehlungen_aktuell = ${`{"n": ${page}}`}::text::jsonb where kontakt_key = ${pick(keys, 340)}`
  await eraseKontakt(openDatabase(sql, queries), pick(keys, 30))
  await sql`insert into haushalte (kontakt_key, haushalt) values (${`email:neu${page}@example.org`}, '{}')`
}

async function workInLeads(page: number) {
  const { sql } = api
  const ids = await leadsInOrder()
  await sql`insert into leads (name) values (${`Neu ${page}`})`
  await sql`update leads set archived_at = now() where id = ${pick(ids, 5)}`
  await sql`update leads set status = 'won' where id = ${pick(ids, 250)}`
  await eraseKontakt(openDatabase(sql, queries), `lead:${pick(ids, 40)}`)
  await eraseKontakt(openDatabase(sql, queries), `lead:${pick(ids, 41)}`)
}

async function workElsewhere(page: number) {
  const { sql } = api
  await sql`
    update appointments set starts_at = starts_at + interval '900 hours'
    where id = (select id from appointments order by starts_at offset ${page} limit 1)`
  await sql`
    delete from appointments where id = (select id from appointments order by starts_at desc offset 3 limit 1)`
  await sql`update signals set status = 'done' where title = ${`Signal ${page}`}`
  await sql`insert into signals (kind, title, score) values ('k', 'neu', 1)`
}

async function work(path: string, page: number) {
  if (path.startsWith('/kontakte')) await workInKontakte(page)
  else if (path.startsWith('/leads')) await workInLeads(page)
  else await workElsewhere(page)
  await until(() => isSequenced(api.sql), 20_000)
}

const truth = {
  lead: () => api.sql`select id from leads order by id`,
  haushalt: () => api.sql`select kontakt_key as id from haushalte order by kontakt_key`,
  appointment: () => api.sql`select id from appointments order by id`,
  signal: () => api.sql`select id from signals order by id`,
}

const lost = async (of: (kind: string) => Map<string, Row>) => {
  const missing: string[] = []
  for (const [kind, rows] of Object.entries(truth))
    for (const { id } of await rows()) if (!of(kind).has(id)) missing.push(`${kind} ${id}`)
  return missing
}

test('the program of the guide loses nothing, and after a sweep the copy is the workspace', async () => {
  const { store, of } = memory()
  let after = await program.firstCopy(disturbed(work), store)
  expect(await lost(of)).toEqual([])
  const get = program.client(api.base, api.key)
  // Changes that send no event, and one person who is erased, are for the sweep.
  await api.sql`update leads set name = 'Umbenannt' where id = (select id from leads limit 1)`
  await api.sql`update appointments set status = 'no_show' where id = (select id from appointments limit 1)`
  await eraseKontakt(openDatabase(api.sql, queries), `lead:${(await leadsInOrder())[7]}`)
  await until(() => isSequenced(api.sql), 20_000)
  after = await program.tail(get, store, after)
  await program.sweep(get, store)
  for (const [kind, rows] of Object.entries(truth)) {
    const expected = (await rows()).map(({ id }) => id as string)
    expect([kind, [...of(kind).keys()].toSorted()]).toEqual([kind, expected.toSorted()])
  }
  for (const [path, kind] of [
    ['/leads?include_archived=true&limit=200', 'lead'],
    ['/appointments?limit=200', 'appointment'],
    ['/signals?limit=200', 'signal'],
  ] as const)
    for (const row of (await api.send(path)).body.data) expect(of(kind).get(row.id)).toEqual(row)
  const [{ kontakt_key: key }] = (await api.send('/kontakte?limit=1')).body.data
  const { body } = await api.send(`/kontakte/${encodeURIComponent(key)}/haushalt`)
  expect(of('haushalt').get(key)).toEqual(body.data)
  expect(after).toBe(Number((await api.send('/events?limit=1')).headers.get('x-feed-head')))
}, 120_000)

test('a person whose record stands under an alias is in the copy once, under the surviving key', async () => {
  const { sql } = api
  const { store, of } = memory()
  const get = program.client(api.base, api.key)
  await sql`select merge_kontakte('email:x1@e.de', 'email:x2@e.de')`
  await sql`insert into haushalte (kontakt_key, haushalt) values ('email:x1@e.de', '{}')`
  await until(() => isSequenced(sql), 20_000)
  let after = await program.firstCopy(get, store)
  const copied = () => [...of('haushalt').keys()].filter(key => key.startsWith('email:x'))
  expect(copied()).toEqual(['email:x2@e.de'])
  // As a copy of the stored key had it.
  await store.put('haushalt', 'email:x1@e.de', {})
  await sql`insert into haushalte (kontakt_key, haushalt) values ('email:x2@e.de', '{"vertraege": []}')`
  await until(() => isSequenced(sql), 20_000)
  after = await program.tail(get, store, after)
  expect(of('haushalt').get('email:x2@e.de')?.haushalt).toEqual({ vertraege: [] })
  await program.sweep(get, store)
  expect(copied()).toEqual(['email:x2@e.de'])
  await sql`delete from haushalte where kontakt_key like 'email:x%'`
  await sql`delete from kontakt_aliases where alias_key = 'email:x1@e.de'`
}, 60_000)

async function runGuide(...args: string[]): Promise<string> {
  const env = { ...process.env, BASE: api.base, KEY: api.key }
  const child = Bun.spawn(['bun', 'run.ts', ...args], { cwd: dir, env, stderr: 'inherit' })
  expect(await child.exited).toBe(0)
  return await new Response(child.stdout).text()
}

test('run.ts copies all at first, then what has happened, and in a sweep what sends no event', async () => {
  const head = async () => (await api.send('/events?limit=1')).headers.get('x-feed-head')
  expect(await runGuide()).toBe(`copied up to cursor ${await head()}\n`)
  const copy = new Database(join(dir, 'copy.sqlite'))
  const ids = (kind: string) =>
    copy.query('select id from entries where kind = ?').values(kind).flat().toSorted()
  for (const [kind, rows] of Object.entries(truth))
    expect(ids(kind)).toEqual((await rows()).map(({ id }) => id as string).toSorted())
  const [id] = await leadsInOrder()
  const copied = () => {
    const [entry] = copy.query('select entry from entries where id = ?').values(id as string)
    const { name, status } = JSON.parse(String(entry))
    return { name, status }
  }
  const before = copied()
  await api.sql`update leads set name = 'Umgetauft', status = 'lost' where id = ${id as string}`
  await until(() => isSequenced(api.sql), 20_000)
  // The event says that the status changed, and the lead is read.
  await runGuide()
  expect(copied()).toEqual({ name: 'Umgetauft', status: 'lost' })
  await api.sql`update leads set name = ${before.name} where id = ${id as string}`
  await runGuide()
  expect(copied().name).toBe('Umgetauft')
  await runGuide('sweep')
  expect(copied().name).toBe(before.name)
  copy.close()
}, 120_000)

test('a base without the version, and what is not answered, end in a sentence or are tried again', async () => {
  const wrong = program.client(api.base.replace('/api/v1', ''), api.key)
  await expect(program.firstCopy(wrong, memory().store)).rejects.toThrow(
    'the base must end in /api/v1',
  )
  await expect(program.client(api.base, 'wda_wrong')('/leads')).rejects.toThrow('401: ')
  let asked = 0
  const away = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => {
      asked += 1
      return new Response(asked === 1 ? '{"data"' : '{"data":[]}', {
        status: asked === 2 ? 503 : 200,
      })
    },
  })
  expect((await program.client(`${away.url}`, 'k')('/leads'))?.data).toEqual([])
  expect(asked).toBe(3)
  await away.stop(true)
}, 20_000)

test('next to a running one, run.ts reports it and copies nothing', async () => {
  const elsewhere = makeDataDir('copy-lock')
  const lock = new Database(join(elsewhere, 'copy.lock'))
  lock.run('begin exclusive')
  const env = { ...process.env, BASE: api.base, KEY: api.key }
  const other = Bun.spawn(['bun', join(guide, 'run.ts')], { cwd: elsewhere, env, stderr: 'pipe' })
  expect(await new Response(other.stderr).text()).toBe('Another run.ts is at work here.\n')
  expect(await other.exited).toBe(1)
  expect(existsSync(join(elsewhere, 'copy.sqlite'))).toBe(false)
  lock.close()
  removeDataDir(elsewhere)
})
