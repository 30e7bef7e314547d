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
  // One in 40 is a Weber, one in 400 a Quandt, each among the oldest too; all but 200 others have an address at example.org.
  // Without triggers, which do not affect plans.
  await sql.unsafe(`
    set local session_replication_role = replica;
    insert into leads (name, email, phone, status, archived_at, created_at)
    select 'Kunde ' || case when number % 400 = 0 then 'Quandt' when number % 40 = 0 then 'Weber' else md5(number::text) end || ' - - -',
      case when number % 97 > 0 or number % 40 = 0 then 'kunde.' || number || '@example.org' end, '+4917139' || lpad(number::text, 5, '0'),
      case when number % 160 = 0 then 'won' when number % 97 > 0 or number % 40 = 0 then 'new' else 'no address' end, case when number % 3 = 0 then timestamptz '2026-03-01' end,
      timestamptz '2026-01-01' + number * interval '1 minute'
    from generate_series(1, 20000) as number
    order by md5(number::text)`)
  await sql.unsafe('vacuum analyze leads')
  await sql`select refresh_search_shares()`
  // The sample is random; how many spans are looked up follows from what it found.
  await sql`update search_shares set share = 0.025 where part = 'weber'`
})
afterAll(() => pools.end({ timeout: 1 }))

/** How often an index of leads was read by the open transaction, and blocks of leads and all its indexes. */
async function readSoFar() {
  const [row] = await pools.once.unsafe(`
    select pg_stat_get_xact_numscans('leads_created_idx'::regclass)::integer as walks,
      pg_stat_get_xact_numscans('leads_search_idx'::regclass)::integer as looks,
      (select sum(pg_stat_get_xact_blocks_fetched(oid))::integer from pg_class
        where oid = 'leads'::regclass or oid in (select indexrelid from pg_index where indrelid = 'leads'::regclass)) as blocks`)
  return row as unknown as { walks: number; looks: number; blocks: number }
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
  await pools.once.unsafe('begin')
  const before = await readSoFar()
  const [answer] = await pools.once.unsafe(asJsonArray(file), values as never[], { prepare: true })
  const after = await readSoFar()
  await pools.once.unsafe('commit')
  return {
    walks: after.walks - before.walks,
    looks: after.looks - before.looks,
    blocks: after.blocks - before.blocks,
    rows: Number(answer?.count),
  }
}

// Of seven characters on, once for each of the three places that its pieces may have.
test.each([
  ['a name', 'KUNDE 827CCB0EEA8A706C4C34A16891F84E7B', 3, 1],
  ['an address', 'kunde.12345@', 3, 1],
  ['a number', '3912345', 3, 1],
  ['what no lead has', 'zyxwvut', 3, 0],
  ['a word of one lead in 400', 'quandt', 1, 50],
  ['six characters that no lead has', 'zyxwvu', 1, 0],
  ['what no lead has, of which all have the beginning and the end', 'orgorg', 1, 0],
  ['what no lead has, of which all have all but the end', '@example.zy', 1, 0],
  ['what no lead has, of which all have all but the beginning', 'zyxample', 1, 0],
  ['a name of which all have the beginning', 'kunde qu', 1, 50],
  ['an address with a rare beginning', '12345@example', 3, 1],
])('a rare text, %s, is looked up in the index alone', async (_, search, looks, rows) => {
  const found = await read(search)
  expect(found).toMatchObject({ walks: 0, looks, rows })
  expect(found.blocks).toBeLessThan(450)
})

test('a text of few leads, of which all leads have all but the end, is looked up by its trigrams too', async () => {
  await database.sql`insert into search_shares (part, share) values ('ple.z', 0.001)`
  const found = await read('@example.z').finally(
    () => database.sql`delete from search_shares where part = 'ple.z'`,
  )
  expect(found).toMatchObject({ walks: 0, looks: 1, rows: 0 })
  expect(found.blocks).toBeLessThan(450)
})

test('the index is leads_search_idx, and each lead that has the text is read once', async () => {
  const [row] = await database.sql.begin(async sql => {
    await sql`set local enable_seqscan = off`
    return await sql`
      explain (analyze, format json) select from leads where search_text like '%qua%' and search_text like '%ndt%'`
  })
  const [{ Plan }] = JSON.parse(row?.['QUERY PLAN'])
  expect(Plan).toMatchObject({ 'Actual Rows': 50, Plans: [{ 'Index Name': 'leads_search_idx' }] })
})

test.each([
  ['the address of all', 'example.org', {}],
  ['the same without archived leads', 'example.org', { include_archived: false }],
  ['two letters', 'ku', {}],
  ['one', 'e', {}],
])('a common text, %s, is found among the newest leads', async (_, search, args) => {
  const found = await read(search, args)
  expect(found).toMatchObject({ walks: 1, looks: 0, rows: 50 })
  expect(found.blocks).toBeLessThan(450)
})

test('of a text of many leads the newest spans of time alone are looked up', async () => {
  const found = await read('weber', { row_limit: 20 })
  // How old the oldest and the newest lead are is asked of the other index.
  expect(found).toMatchObject({ walks: 2, looks: 1, rows: 20 })
  const all = await read('weber', { row_limit: 500 })
  expect(all).toMatchObject({ walks: 0, looks: 1, rows: 450 })
  expect(found.blocks).toBeLessThan(all.blocks / 2)
})

test('spans are looked up by the rarest trigram alone, where that lets few other leads through', async () => {
  const patternOf = async (form: string, leads: number) => {
    const [row] =
      await database.sql`select span_pattern(${form}, ${`%${form}%`}, ${leads}::float8) as pattern`
    return row?.pattern
  }
  const { sql } = database
  // Of 1,000, 400 and 2,000 leads; no text in the sample has others.
  await sql`insert into search_shares (part, share) values ('yps', 0.05), ('psi', 0.02), ('sil', 0.1)`
  const patterns = await Promise.all([
    patternOf('ypsil', 110),
    patternOf('ypsil', 90),
    patternOf('ypsilo', 90),
    // Not of letters and digits alone.
    patternOf('o’ypsil', 110),
    patternOf('- - - -', 90),
  ]).finally(() => sql`delete from search_shares where part in ('yps', 'psi', 'sil')`)
  expect(patterns).toEqual(['%psi%', '%ypsil%', '%ilo%', '%o’ypsil%', '%- - - -%'])
})

test('a search of spans reads fewer blocks by the rarest trigram', async () => {
  const { sql } = database
  const found = await read('weber', { row_limit: 20 })
  // As if each of its trigrams let half of all leads through.
  const trigrams =
    await sql`select part, share from search_shares where part in ('web', 'ebe', 'ber')`
  await sql`update search_shares set share = 0.5 where part in ('web', 'ebe', 'ber')`
  const all = await read('weber', { row_limit: 20 }).finally(async () => {
    for (const { part, share } of trigrams)
      await sql`update search_shares set share = ${share} where part = ${part}`
  })
  expect(all).toMatchObject({ looks: found.looks, rows: found.rows })
  expect(found.blocks).toBeLessThan(all.blocks)
})

test('spans that do not fill the page are followed by older ones, up to the oldest lead', async () => {
  const none = { status: 'no address', row_limit: 20 }
  expect(await read('weber', none)).toMatchObject({ looks: 2, rows: 0 })
  // A quarter of them is won, which search_plan does not know.
  expect(await read('weber', { status: 'won', row_limit: 20 })).toMatchObject({
    looks: 2,
    rows: 20,
  })
})

test('pieces of a text that spans show to be rare are looked up in the whole index at once', async () => {
  const text = 'weber - - -'
  expect(await read(text, { row_limit: 20 })).toMatchObject({ walks: 2, looks: 1, rows: 20 })
  const none = { status: 'no address', row_limit: 20 }
  expect(await read(text, none)).toMatchObject({ walks: 2, looks: 4, rows: 0 })
})

test('a walk that finds too few goes on with spans, behind what it found', async () => {
  const { sql } = database
  const shareOf = (share: number) =>
    sql`update search_shares set share = ${share}::float8 where part = 'weber'`
  await shareOf(0.5)
  expect(await read('weber', { row_limit: 20 })).toMatchObject({ walks: 3, looks: 1, rows: 20 })
  const [row] = await sql`
    select array(select id from leads_with_text('weber', null, true, 20, 0)) as found,
      array(select id from leads where strpos(search_text, 'weber') > 0 order by created_at desc, id desc limit 20) as plain`
  expect(row?.found).toEqual(row?.plain)
  await shareOf(0.025)
})

test('of a table that was not analyzed a sample is read as well, by its size', async () => {
  const rolledBack = database.sql.begin(async sql => {
    // The pages of all 20,000 stay.
    await sql`set local session_replication_role = replica`
    await sql`delete from leads where hashtext(id::text) & 3 > 0`
    await sql`update pg_class set reltuples = -1 where oid = 'leads'::regclass`
    await sql`select refresh_search_shares()`
    // Of all leads every share would be a whole number of them.
    const [row] = await sql`
      select count(*)::integer as fractions
      from search_shares cross join (select count(*) as count from leads) as leads
      where abs(share * leads.count - round(share * leads.count)) > 0.05`
    expect(row?.fractions).toBeGreaterThan(100)
    throw new Error('roll back')
  })
  await expect(rolledBack).rejects.toThrow('roll back')
})

test('a common text that the newest leads do not answer is looked up after all', async () => {
  const none = { status: 'no address' }
  expect(await read('example.org', none)).toMatchObject({ walks: 1, looks: 3, rows: 0 })
})

test('two words that all leads have, but none in this order, are looked up at once', async () => {
  expect(await read('example kunde')).toMatchObject({ walks: 0, looks: 3, rows: 0 })
})

test.each(['a', 'kunde', '- - -'])(
  'where %j would be walked for, a status of few leads is looked through by itself',
  async text => {
    expect((await read(text, { status: 'nowhere' })).blocks).toBeLessThan(20)
  },
)

test('numbers and addresses of one lead read few blocks, however common their digits are', async () => {
  for (const search of ['3912345', '3913333', 'e.13333@', '49171391'])
    expect((await read(search, { row_limit: 5 })).blocks).toBeLessThan(200)
})

test('a text of separators alone is looked up as well, once it is not among the newest leads', async () => {
  expect(await read('- - - - -')).toMatchObject({ walks: 1, looks: 3, rows: 0 })
})

test('how it looks for a text can be asked', async () => {
  const planOf = async (form: string) =>
    (await database.sql`select walked_max, leads_expected, part from search_plan(${form}, 50)`)[0]
  const org = await planOf('example.org')
  expect(org?.walked_max).toBeWithin(100, 200)
  expect(org?.leads_expected).toBeCloseTo(20_000, -3)
  expect(await planOf('weber')).toMatchObject({ walked_max: 0, part: 'weber' })
  expect((await planOf('weber'))?.leads_expected).toBeWithin(300, 800)
  // A lead in 400 is too rare for five characters to be known, though each of its trigrams could be common.
  await database.sql`update search_shares set share = 0.5 where part in ('qua', 'uan', 'and')`
  expect(await planOf('quand')).toMatchObject({ walked_max: 0, leads_expected: 100 })
  expect(await planOf('- - -')).toMatchObject({ walked_max: null, part: null })
  expect(await planOf('ku')).toMatchObject({ walked_max: null, part: null })
  // Five characters that hardly any lead has end it.
  expect(await planOf('weber 1234')).toEqual({ walked_max: 0, leads_expected: 0, part: 'ber 1' })
})

test('what hardly any lead has is no share, so that none names a person', async () => {
  // Without triggers: the other leads are of no interest.
  await database.sql.unsafe(`
    set local session_replication_role = replica;
    delete from leads where name not like '%Weber%' and hashtext(id::text) & 15 > 0`)
  await database.sql`insert into leads (name) select 'Xyloqu' from generate_series(1, 4)`
  await database.sql`update leads set name = 'Zwölf Xylander' where name like '%Weber%'`
  await database.sql`select refresh_search_shares()`
  const rows = await database.sql`
    select part from search_shares
    where part in ('xyl', 'and', 'yla', 'ylo', 'loq', 'web', 'wöl', 'lf xy', 'xyloq', 'weber') order by part`
  expect(rows.map(row => row.part)).toEqual(['and', 'lf xy', 'wöl', 'xyl', 'yla'])
})
