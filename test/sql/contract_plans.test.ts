// How the server runs each query: what it writes, which index serves it, in which order rows come.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import type { QueryFile } from '../../src/db/query_file.ts'
import { useDatabase } from '../support/database/database.ts'
import {
  executeWithNulls,
  useSingleConnection,
  withPrepared,
} from '../support/database/own_session.ts'
import { serviceFiles } from '../support/repo/query_files.ts'

const database = useDatabase()
const single = useSingleConnection(database)

/** Tables that grow with the workspace; a page of them is never found by reading all of it. */
const largeTables = [
  'leads',
  'lead_analyses',
  'haushalte',
  'kontakt_aliases',
  'appointments',
  'meeting_intelligence',
  'signals',
  'events',
  'event_cursors',
  'hook_attempts',
  'hook_retries',
  'hook_failures',
]

const anyWrite = /^(Insert|Update|Delete)$/

/** What a writing verb promises to do; claim, record and sequence may do it in any way. */
const writes: Record<string, RegExp> = {
  insert: /^Insert$/,
  update: /^Update$/,
  delete: /^Delete$/,
  prune: /^Delete$/,
  claim: anyWrite,
  record: anyWrite,
  pause: /^Update$/,
  sequence: anyWrite,
  prepare: /^$/,
}

type Node = Record<string, unknown> & { Plans?: Node[] }

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
const verbOf = (file: QueryFile) => file.name.split('_')[0] ?? ''

/** A partition counts as its table. */
const tableRead = (node: Node): string =>
  String(node['Relation Name'] ?? '').replace(/_(\d+|other)$/, '')

/** The nodes of the plan for any value, on a server that reads a whole table only when it must. */
function genericPlan(file: QueryFile): Promise<Node[]> {
  return withPrepared(single.sql, file, async () => {
    await single.sql.unsafe('set enable_seqscan = off; set plan_cache_mode = force_generic_plan')
    const [row] = await single.sql.unsafe(`explain (format json) ${executeWithNulls(file)}`)
    const [explained] = JSON.parse(row?.['QUERY PLAN'])
    return nodesOf(explained.Plan)
  })
}

/** Every index with its table. */
async function existingIndexes(): Promise<Record<string, string>> {
  const rows = await database.sql`
    select indexname, tablename from pg_indexes where schemaname = 'public'`
  return Object.fromEntries(rows.map(row => [row.indexname, row.tablename]))
}

const indexesNamedIn = ({ uses, adds }: QueryFile): string[] => [...uses, ...adds]

test('an index serves every query on a large table', async () => {
  for (const file of serviceFiles) {
    const whole = (await genericPlan(file))
      .filter(node => node['Node Type'] === 'Seq Scan')
      .map(tableRead)
    expect([file.path, ...whole.filter(table => largeTables.includes(table))]).toEqual([file.path])
  }
})

test('a head names an index of every large table its query reads', async () => {
  const tableOf = await existingIndexes()
  for (const file of serviceFiles) {
    const read = new Set((await genericPlan(file)).map(tableRead))
    const named = indexesNamedIn(file).map(index => tableOf[index])
    const silent = [...read].filter(table => largeTables.includes(table) && !named.includes(table))
    expect([file.path, ...silent]).toEqual([file.path])
  }
})

test('every index a head names exists', async () => {
  const tableOf = await existingIndexes()
  for (const file of serviceFiles)
    expect([file.path, ...indexesNamedIn(file).filter(index => !tableOf[index])]).toEqual([
      file.path,
    ])
})

/** Whether the server refuses the query because it would write. */
const isWriting = (file: QueryFile) =>
  withPrepared(single.sql, file, async () => {
    await single.sql.unsafe('begin read only')
    const code = await single.sql.unsafe(executeWithNulls(file)).then(
      () => '',
      error => error.code,
    )
    await single.sql.unsafe('rollback')
    return code === '' ? false : code === '25006' || code
  })

test('a query writes if its verb does, and else runs in a read-only transaction', async () => {
  // Of an empty batch nothing is written.
  const unclear = ['record_attempts']
  const clear = serviceFiles.filter(({ name }) => !unclear.includes(name))
  for (const file of clear)
    expect([file.path, await isWriting(file)]).toEqual([file.path, verbOf(file) in writes])
})

// Their work is not in their plan: they call a function that changes tables, or something else.
const worksUnseen = [
  'sequence_events',
  'prune_events',
  'prune_deliveries',
  'record_attempts',
  'update_feed_head',
  'update_hook_reactivated',
  'update_hook_replayed',
  'update_hook_redelivered',
  'insert_owner_action',
  'delete_kontakt',
]

// A key that is renewed ends; a delivery that cannot be sent any more goes; with failures the note of what expired goes.
const movesRows = ['insert_api_key_successor', 'claim_due_deliveries', 'delete_hook_failures']

test('a writing query does what its verb says', async () => {
  const seen = serviceFiles.filter(
    file => verbOf(file) in writes && !worksUnseen.includes(file.name),
  )
  for (const file of seen) {
    const operations = (await genericPlan(file)).map(node => node.Operation).filter(Boolean)
    expect(operations.length).toBeGreaterThan(0)
    const allowed = movesRows.includes(file.name) ? anyWrite : (writes[verbOf(file)] as RegExp)
    for (const operation of operations) expect(`${operation}`).toMatch(allowed)
  }
})

/**
 * The columns that tell the rows of a table apart, alone or with others before them that the statement holds to
 * one value; none for a name that is no table.
 */
async function uniqueColumns(table: string, statement: string): Promise<string[]> {
  const rows = await database.sql`
    select string_agg(attname, ' ' order by place) as columns
    from pg_index
    cross join lateral unnest(indkey) with ordinality as key (attnum, place)
    join pg_attribute on attrelid = indrelid and pg_attribute.attnum = key.attnum
    where indrelid = to_regclass(${table}) and indisunique and indpred is null
    group by indexrelid`
  const held = (column: string) => new RegExp(`\\b${column} = (\\$\\d|\\(select)`).test(statement)
  return rows
    .map(row => String(row.columns).split(' '))
    .filter(columns => columns.slice(0, -1).every(held))
    .map(columns => columns.at(-1) ?? '')
}

/** The last column of the outer `order by`, at the left margin. */
const lastOfOrder = (file: QueryFile) =>
  [...file.statement.matchAll(/^order by .*?(\w+)(?: desc)?$/gm)].at(-1)?.[1]

// The worker looks them up, or puts them in order itself; a row for each state has a name.
const unordered = [
  'list_matching_deliveries',
  'list_hook_health',
  'list_ended_deliveries',
  'list_log_events',
  'list_recorded_attempts',
]

test('every list has an order', () => {
  const lists = serviceFiles.filter(
    file => ['list', 'search'].includes(verbOf(file)) && !unordered.includes(file.name),
  )
  expect(lists.filter(file => !lastOfOrder(file)).map(({ path }) => path)).toEqual([])
})

// What a file puts together has no index; its rows are told apart as those of its parts are, those of a function as its table's.
const partOf: Record<string, string> = {
  found: 'event_cursors',
  listed: 'haushalte',
}

// One row a cursor, and a last one.
const ofParts = ['list_delivery_page']

test('every order ends with a column that no two rows share', async () => {
  for (const file of serviceFiles) {
    const last = lastOfOrder(file)
    // A writing statement orders its work, not its answer.
    if (last === undefined || verbOf(file) in writes || ofParts.includes(file.name)) continue
    const tables = [...file.statement.matchAll(/^(?:from|join) (\w+)/gm)].map(
      ([, name = '']) => partOf[name] ?? name,
    )
    const unique = (
      await Promise.all(tables.map(table => uniqueColumns(table, file.statement)))
    ).flat()
    expect([file.path, unique.includes(last)]).toEqual([file.path, true])
  }
})

// Values for which no statement is done before it begins, by type.
const samples: Record<string, string> = {
  text: `'00'`,
  bigint: '5',
  integer: '5',
  uuid: 'gen_random_uuid()',
  boolean: 'true',
  timestamptz: 'now()',
  'text[]': `array['signal.opened']`,
  'bigint[]': 'array[5]',
}

/** How often functions were called that the planner may not replace by what they answer. */
const callsOf = async (sql: Sql) => {
  const rows = await sql`
    select called.funcname || ' ' || called.calls as call
    from pg_stat_xact_user_functions as called
    join pg_proc on pg_proc.oid = called.funcid
    where pg_proc.provolatile <> 'i' and called.calls > 0`
  return rows.map(({ call }) => call)
}

// It calls a stable function to see how many elements unnest() gets, or where in an index a value stands: then all that
// the function does is done twice.
test('planning a query calls no function', async () => {
  const inSamples = ({ parameters }: QueryFile) =>
    parameters.map(({ type }) => samples[type] ?? 'null').join(', ')
  // Those of the redaction read keys of other types out of texts.
  const files = serviceFiles.filter(({ path }) => !path.startsWith('redaction/'))
  await single.sql`set track_functions = 'all'`
  for (const file of files)
    await withPrepared(single.sql, file, async () => {
      const values = file.parameters.length > 0 ? `(${inSamples(file)})` : ''
      await single.sql.unsafe('begin; set local plan_cache_mode = force_custom_plan')
      const before = await callsOf(single.sql)
      await single.sql.unsafe(`explain execute ${file.name}${values}`)
      const after = await callsOf(single.sql)
      await single.sql.unsafe('rollback')
      expect([file.path, ...after]).toEqual([file.path, ...before])
    })
})
