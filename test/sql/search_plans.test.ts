// What a search reads at 20,000 leads, by how common its text is: no more than its page, or than the leads that have it.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { asJsonArray } from '../../src/db/database.ts'
import { encodeParameter, oidOf } from '../../src/db/parameter_types.ts'
import { openPools, type Pools } from '../../src/db/pools.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()
let pools: Pools

beforeAll(async () => {
  const { sql, url } = database
  const options = { url, connectionsMax: 1, applicationName: 'test', statementTimeoutMs: 20_000 }
  pools = openPools(options)
  // A plan made for an empty table stays, and must still be the right one when the table is full.
  await read('anything')
  // One in 40 is a Weber, one in 400 a Quandt, each among the oldest too; all of them have an address at example.org.
  await sql.unsafe(`
    insert into leads (name, email, phone, archived_at, created_at)
    select 'Kunde ' || case when number % 400 = 0 then 'Quandt' when number % 40 = 0 then 'Weber' else md5(number::text) end,
      'kunde.' || number || '@example.org', '+4917139' || lpad(number::text, 5, '0'),
      case when number % 3 = 0 then timestamptz '2026-03-01' end,
      timestamptz '2026-01-01' + number * interval '1 minute'
    from generate_series(1, 20000) as number
    order by md5(number::text)`)
  await sql.unsafe('vacuum analyze leads')
  await sql`select refresh_search_shares()`
})
afterAll(() => pools.end({ timeout: 1 }))

type Node = Record<string, unknown> & { Plans?: Node[] }

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Blocks of leads and its indexes that the open transaction read; those of the catalogue depend on what other tests do. */
async function leadBlocks(): Promise<number> {
  const [row] = await pools.once.unsafe(`
    select sum(pg_stat_get_xact_blocks_fetched(oid))::integer as fetched from pg_class
    where oid = 'leads'::regclass or oid in (select indexrelid from pg_index where indrelid = 'leads'::regclass)`)
  return row?.fetched
}

/** Runs what the service sends where the service sends it: what it reads, and whether that was the newest leads or the index. */
async function read(search: string, args: object = {}) {
  const file = queries.searchLeads
  expect(file.plannedOnce).toBe(true)
  const all: Record<string, unknown> = {
    ...{ search, status: null, include_archived: true, row_limit: 50, row_offset: 0 },
    ...args,
  }
  const values = file.parameters.map(({ name, type }) =>
    pools.once.typed(encodeParameter(type, all[name] as never) as never, oidOf(type)),
  )
  const send = (text: string) => pools.once.unsafe(text, values as never[], { prepare: true })
  await pools.once.unsafe('begin')
  const blocksBefore = await leadBlocks()
  const [row] = await send(`explain (analyze, format json) ${asJsonArray(file)}`)
  const blocks = (await leadBlocks()) - blocksBefore
  await pools.once.unsafe('commit')
  const [explained] = JSON.parse(row?.['QUERY PLAN'])
  const nodes = nodesOf(explained.Plan)
  const looked = (name: string, value: string) =>
    nodes.some(node => node[name] === value && Number(node['Actual Loops']) > 0)
  const [answer] = await send(asJsonArray(file))
  return {
    walked: looked('Index Name', 'leads_created_idx'),
    lookedUp: looked('Function Name', 'leads_containing'),
    blocks,
    rows: Number(answer?.count),
  }
}

test.each([
  ['a name', 'KUNDE 827CCB0EEA8A706C4C34A16891F84E7B', 1],
  ['an address', 'kunde.12345@', 1],
  ['a number', '3912345', 1],
  ['a word of one lead in 400', 'quandt', 50],
  ['what no lead has', 'zyxwvu', 0],
])('a rare text, %s, is looked up in the index alone', async (_, search, rows) => {
  const found = await read(search)
  expect(found).toMatchObject({ walked: false, lookedUp: true, rows })
  expect(found.blocks).toBeLessThan(450)
})

test('the index is leads_search_idx, and each lead that has the text is read once', async () => {
  const [row] = await database.sql.begin(async sql => {
    await sql`set local enable_seqscan = off`
    return await sql`
      explain (analyze, format json) select from leads where search_text like '%qua%' and search_text like '%ndt%'`
  })
  const plan = nodesOf(JSON.parse(row?.['QUERY PLAN'])[0].Plan)
  expect(plan.map(node => node['Index Name']).filter(Boolean)).toEqual(['leads_search_idx'])
  expect(plan[0]?.['Actual Rows']).toBe(50)
})

test.each([
  ['the address of all', 'example.org', {}],
  ['the same without archived leads', 'example.org', { include_archived: false }],
  ['two letters', 'ku', {}],
  ['one', 'e', {}],
])('a common text, %s, is found among the newest leads', async (_, search, args) => {
  const found = await read(search, args)
  expect(found).toMatchObject({ walked: true, lookedUp: false, rows: 50 })
  expect(found.blocks).toBeLessThan(450)
})

test('of a text of many leads the newest spans of time alone are looked up', async () => {
  const found = await read('weber')
  expect(found).toMatchObject({ walked: false, lookedUp: true, rows: 50 })
  expect(found.blocks).toBeLessThan(450)
  const containing = (wanted: number, expected: number) => database.sql`
    select leads.id from leads_containing('weber', '{web,ebe}', null, true, ${wanted}, ${expected}) as containing
    join leads on leads.id = containing.id order by leads.created_at desc, leads.id desc`
  const all = await containing(50, 0)
  expect(all).toHaveLength(450)
  const newest = await containing(50, 500)
  expect(newest.length).toBeGreaterThanOrEqual(50)
  expect(newest.length).toBeLessThan(200)
  expect(all.slice(0, newest.length)).toEqual([...newest])
  // Where far too many were expected, the older spans complete them, without a lead twice.
  expect([...(await containing(449, 1_000_000))]).toEqual([...all])
  expect([...(await containing(2_000, 10_000_000))]).toEqual([...all])
})

test('a text that was taken for common and is not is looked up after all, for the same answer', async () => {
  // Both words are those of every lead, and no lead has them in this order.
  const found = await read('example kunde')
  expect(found).toMatchObject({ walked: true, lookedUp: true, rows: 0 })
  expect(await read('weber', { status: 'unheard of' })).toMatchObject({ rows: 0 })
})

test('what hardly any lead has is no share, so that none names a person', async () => {
  await database.sql`insert into leads (name) select 'Xyloqu' from generate_series(1, 4)`
  await database.sql`update leads set name = 'Zwölf Xylander' where name like '%Weber'`
  await database.sql`select refresh_search_shares()`
  const rows = await database.sql`
    select trigram from search_shares where trigram in ('xyl', 'and', 'yla', 'ylo', 'loq', 'web', 'wöl') order by trigram`
  expect(rows.map(row => row.trigram)).toEqual(['and', 'wöl', 'xyl', 'yla'])
})
