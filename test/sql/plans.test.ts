// Which index a page of leads comes from, at 20,000 leads and with the values at hand, as the service asks.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { type Arguments, asJsonArray } from '../../src/db/database.ts'
import { encodeParameter, oidOf } from '../../src/db/parameter_types.ts'
import { openPools, type Pools } from '../../src/db/pools.ts'
import { type QueryName, queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()
let pools: Pools

// A page of 50 leads is 50 rows of the heap at worst, a few index pages, and TOAST when documents are large.
const pageBuffersMax = 200

beforeAll(async () => {
  pools = openPools({
    url: database.url,
    connectionsMax: 1,
    applicationName: 'test',
    statementTimeoutMs: 20_000,
  })
  // One in 75 is won, one in 500 lost, one in four archived; the newest lead is number 20,000.
  // Without triggers, which do not affect plans.
  await database.sql.unsafe(`
    set local session_replication_role = replica;
    alter table leads disable trigger user;
    insert into leads (name, email, phone, status, archived_at, archive_reason_code, parsed_data, created_at)
    select 'Kunde ' || md5(number::text), 'kunde.' || number || '@example.org', '+4917139' || lpad(number::text, 5, '0'),
      case when number % 500 = 0 then 'lost' when number % 75 = 1 then 'won' else 'new' end,
      case when number % 4 = 0 then timestamptz '2026-03-01' end,
      case when number % 4 = 0 then 'not_reachable' end,
      jsonb_build_object('stadt', 'Leipzig', 'text', repeat('x', 200)),
      timestamptz '2026-01-01' + number * interval '1 minute'
    from generate_series(1, 20000) as number
    order by md5(number::text)`)
  await database.sql.unsafe('vacuum analyze leads')
})
afterAll(() => pools.end({ timeout: 1 }))

type Node = Record<string, unknown> & { Plans?: Node[] }
type Run = { indexes: unknown[]; nodes: unknown[]; buffers: number; rows: unknown }

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Runs what the service sends, with these values, in the pool it sends it to. */
async function run(name: QueryName, args: Arguments): Promise<Run> {
  const file = queries[name]
  const sql = file.plannedOnce ? pools.once : pools.sql
  const values = file.parameters.map(({ name: parameter, type }) =>
    sql.typed(encodeParameter(type, args[parameter] ?? null) as never, oidOf(type)),
  )
  const explain = `explain (analyze, buffers, format json) ${asJsonArray(file)}`
  const [row] = await sql.unsafe(explain, values as never[], { prepare: true })
  const [explained] = JSON.parse(row?.['QUERY PLAN'])
  const nodes = nodesOf(explained.Plan)
  return {
    nodes: nodes.map(node => node['Node Type']),
    indexes: nodes.map(node => node['Index Name']).filter(Boolean),
    buffers: explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks'],
    rows: nodes.find(node => node['Node Type'] === 'Limit')?.['Actual Rows'],
  }
}

const page = { search: null, row_limit: 50, row_offset: 0 }

type Filter = [status: string | null, include_archived: boolean, index: string, rows: number]

const selective: Filter[] = [
  [null, false, 'leads_active_idx', 50],
  [null, true, 'leads_created_idx', 50],
  ['won', false, 'leads_active_status_idx', 50],
  ['won', true, 'leads_status_idx', 50],
  ['lost', false, 'leads_active_status_idx', 0],
  ['lost', true, 'leads_status_idx', 40],
  ['unheard of', true, 'leads_status_idx', 0],
]

test.each(selective)(
  'leads of status %p, archived ones %p, come from %s',
  async (status, include_archived, index, rows) => {
    const found = await run('listLeads', { status, include_archived, ...page })
    expect(found.indexes).toEqual([index])
    expect(found.rows).toBe(rows)
    expect(found.buffers).toBeLessThan(pageBuffersMax)
  },
)

// Where most leads have the status, walking all leads newest first costs as little.
test.each([
  [false, ['leads_active_status_idx', 'leads_active_idx']],
  [true, ['leads_status_idx', 'leads_created_idx']],
])('leads of a common status, archived ones %p, come from one of %p', async (archived, indexes) => {
  const found = await run('listLeads', { status: 'new', include_archived: archived, ...page })
  expect(indexes).toContain(`${found.indexes}`)
  expect(found.rows).toBe(50)
  expect(found.buffers).toBeLessThan(pageBuffersMax)
})

test.each([
  ['kunde.777@', 'leads_search_idx', 1],
  ['9+ 000', 'leads_search_idx', 0],
  ['example.org', 'leads_active_idx', 50],
  ['e', 'leads_active_idx', 50],
])('leads that have %p come from %s', async (search, index, rows) => {
  const found = await run('listLeads', { ...page, search, status: null, include_archived: false })
  expect(found.indexes).toEqual([index])
  expect(found.rows).toBe(rows)
  expect(found.buffers).toBeLessThan(pageBuffersMax)
})

test('one lead is read through its key', async () => {
  const [row] = await database.sql`select id from leads limit 1`
  const found = await run('getLead', { lead_id: row?.id })
  expect(found.indexes).toEqual(['leads_pkey'])
  expect(found.buffers).toBeLessThan(10)
})

test('files that are planned once have a pool to themselves', async () => {
  const mode = async (sql: Sql) => (await sql`show plan_cache_mode`)[0]?.plan_cache_mode
  expect(await mode(pools.sql)).toBe('force_custom_plan')
  expect(await mode(pools.once)).toBe('force_generic_plan')
})
