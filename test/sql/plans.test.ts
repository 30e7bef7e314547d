// Plans at 20,000 rows: which index a page comes from with the values at hand, and that one plan for all values is as good for
// every file that is not marked `@planned with values`.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openPool, type Pool } from '../../src/db/connect.ts'
import { type Arguments, asJson, asRows } from '../../src/db/database.ts'
import type { ParameterType } from '../../src/db/parameter_types.ts'
import { type QueryName, queries } from '../../src/db/queries.ts'
import { isReading, type QueryFile } from '../../src/db/query_file.ts'
import { useDatabase } from '../support/database/database.ts'
import { execution } from '../support/database/explaining.ts'

const database = useDatabase()
let pool: Pool

// A page of 50 leads is 50 rows of the heap at worst, a few index pages, and TOAST when documents are large.
const pageBuffersMax = 200

beforeAll(async () => {
  const limits = { connectionsMax: 1, statementTimeoutMs: 20_000 }
  pool = openPool({ url: database.url, applicationName: 'test', ...limits })
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
    order by md5(number::text);
    insert into haushalte (kontakt_key, haushalt, quelle, updated_at)
    select 'email:kunde.' || number || '@example.org', '{"vertraege": []}', 'crm_import',
      timestamptz '2026-01-01' + number * interval '1 minute' from generate_series(1, 20000) as number;
    insert into kontakt_aliases (alias_key, canonical_key)
    select 'email:alias.' || number || '@example.org', 'email:kunde.' || number || '@example.org'
    from generate_series(1, 2000) as number;
    insert into lead_analyses (lead_id, channel, source_id, analysis_schema_version, analysis, created_at)
    select id, 'chat', gen_random_uuid(), 'din_core_v2', '{}', created_at from leads;
    insert into appointments (title, status, starts_at, platform, source)
    select 'Termin', case when number % 200 = 0 then 'cancelled' else 'scheduled' end,
      timestamptz '2026-01-01' + number * interval '1 minute', 'zoom', 'calendar' from generate_series(1, 20000) as number;
    insert into signals (kind, title, status, score, detected_at, kontakt_key, quelle)
    select 'luecke', 'Lücke', case when number % 200 = 0 then 'done' else 'open' end, 50,
      timestamptz '2026-01-01' + number * interval '1 minute', 'email:kunde.' || number || '@example.org', 'crm_import'
    from generate_series(1, 20000) as number;
    with logged as (
      insert into events (event_type, schema_version, object_type, object_id, links, data)
      select case when number % 100 = 0 then 'lead.archived' else 'lead.created' end, '1', 'lead', md5(number::text), '{}', '{}'
      from generate_series(1, 20000) as number
      returning log_id, event_type
    )
    insert into event_cursors (cursor, log_id, event_type) select log_id, log_id, event_type from logged`)
  await database.sql.unsafe('vacuum analyze')
}, 60_000)
afterAll(() => pool.end())

type Node = Record<string, unknown> & { Plans?: Node[] }

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Runs what the service sends, under a plan for these values or for all. */
async function run(file: QueryFile, args: Arguments, mode: 'custom' | 'generic' = 'custom') {
  const { sql } = pool
  const types = file.parameters.map(({ type }) => type).join()
  const prepared = `prepare ${file.name}${types && `(${types})`} as ${isReading(file) ? asJson(file) : asRows(file)}`
  await sql.unsafe(`set plan_cache_mode = force_${mode}_plan; ${prepared}`).simple()
  const [row] = await sql.unsafe(
    `explain (analyze, buffers, format json) ${execution(file, args).replace('()', '')}`,
  )
  await sql.unsafe(`deallocate ${file.name}`)
  const [explained] = JSON.parse(row?.['QUERY PLAN'])
  const nodes = nodesOf(explained.Plan)
  return {
    indexes: nodes.map(node => node['Index Name']).filter(Boolean),
    buffers: explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks'],
    rows: nodes.find(node => node['Node Type'] === 'Limit')?.['Actual Rows'],
  }
}

const page = { search: null, status: null, include_archived: false, row_limit: 50, row_offset: 0 }

test.each<[name: QueryName, args: Arguments, indexes: string[], rows: number]>([
  ['listLeads', {}, ['leads_active_idx'], 50],
  ['listLeads', { include_archived: true }, ['leads_created_idx'], 50],
  ['listLeads', { status: 'won' }, ['leads_active_status_idx'], 50],
  ['listLeads', { status: 'won', include_archived: true }, ['leads_status_idx'], 50],
  ['listLeads', { status: 'lost' }, ['leads_active_status_idx'], 0],
  ['listLeads', { status: 'unheard of', include_archived: true }, ['leads_status_idx'], 0],
  // Where most leads have the status, walking all leads newest first costs as little.
  ['listLeads', { status: 'new' }, ['leads_active_status_idx', 'leads_active_idx'], 50],
  ['listLeads', { search: 'kunde.777@' }, ['leads_search_idx'], 1],
  ['listLeads', { search: '9+ 000' }, ['leads_search_idx'], 0],
  ['listLeads', { search: 'example.org' }, ['leads_active_idx'], 50],
  ['listLeads', { search: 'e' }, ['leads_active_idx'], 50],
  ['listAppointments', {}, ['appointments_starts_idx'], 50],
  ['listAppointments', { status: 'cancelled' }, ['appointments_status_idx'], 50],
  ['listSignals', { status: 'done' }, ['signals_status_idx'], 50],
])('%s of %j comes from one of %p', async (name, args, indexes, rows) => {
  const file: QueryFile = queries[name]
  const found = await run(file, { ...page, ...args })
  expect(indexes).toContain(`${found.indexes}`)
  expect(found.rows).toBe(rows)
  expect(found.buffers).toBeLessThan(pageBuffersMax)
})

// By the type of a parameter, and by its name where that decides.
const samples: Partial<Record<ParameterType, unknown>> = {
  text: 'email:kunde.5@example.org',
  integer: 50,
  bigint: 5,
  boolean: false,
  timestamptz: new Date('2026-01-03'),
  'text[]': ['lead.archived'],
  'bigint[]': [5],
}

const named: Arguments = { row_offset: 0, digest: '00', after: 5, bytes_max: 100_000 }

async function argumentsOf({ parameters }: QueryFile): Promise<Arguments> {
  const [lead] = await database.sql`select id from leads limit 1`
  const ofType = { ...samples, uuid: lead?.id, 'uuid[]': [lead?.id], jsonb: {} }
  return Object.fromEntries(
    parameters.map(({ name, type, nullable }) => [
      name,
      // An optional one is left out: a plan for all values must serve that as well.
      named[name] ?? (nullable ? null : (ofType[type as 'text'] ?? null)),
    ]),
  ) as Arguments
}

/** Whether one plan for all values reads far more than the plan for these. */
async function isWorseForAll(file: QueryFile, given: Arguments = {}): Promise<boolean> {
  const args = { ...(await argumentsOf(file)), ...given }
  const own = await run(file, args)
  const shared = await run(file, args, 'generic')
  return shared.buffers > 2 * own.buffers + 50
}

test('one plan serves all values, but for files that are planned with them', async () => {
  const files = Object.values<QueryFile>(queries).filter(isReading)
  const worse: string[] = []
  for (const file of files) if (await isWorseForAll(file)) worse.push(file.path)
  expect(files.length).toBeGreaterThan(40)
  const marked = files.filter(({ withValues }) => withValues).map(({ path }) => path)
  expect(worse.filter(path => !marked.includes(path))).toEqual([])
}, 30_000)

test('the list of leads is such a file', async () => {
  expect(queries.listLeads.withValues).toBe(true)
  expect(await isWorseForAll(queries.listLeads, { status: 'won' })).toBe(true)
})
