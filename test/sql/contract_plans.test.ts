// How the server runs each query: what it writes, which index serves it, in which order rows come.
import { expect, test } from 'bun:test'
import type { QueryFile } from '../../src/db/query_file.ts'
import { useDatabase } from '../support/database.ts'
import { serviceFiles } from '../support/query_files.ts'
import { executeWithNulls, useSingleConnection, withPrepared } from '../support/single.ts'

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
  'hook_queue',
  'hook_outcomes',
  'hook_other_attempts',
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
const headOf = (file: QueryFile) => file.text.slice(0, file.text.indexOf('\nprepare '))

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

const indexesNamedIn = (file: QueryFile): string[] =>
  headOf(file).match(/\b\w+_(idx|pkey)\b/g) ?? []

test('an index serves every query on a large table', async () => {
  for (const file of serviceFiles) {
    const whole = (await genericPlan(file))
      .filter(node => node['Node Type'] === 'Seq Scan')
      .map(node => node['Relation Name'] as string)
    expect([file.path, ...whole.filter(table => largeTables.includes(table))]).toEqual([file.path])
  }
})

test('a head names an index of every large table its query reads', async () => {
  const tableOf = await existingIndexes()
  for (const file of serviceFiles) {
    const read = (await genericPlan(file)).map(node => node['Relation Name'] as string)
    const named = indexesNamedIn(file).map(index => tableOf[index])
    const silent = read.filter(table => largeTables.includes(table) && !named.includes(table))
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

test('a head that says Uses names an index', () => {
  const vague = serviceFiles.filter(
    file => /^-- Uses /m.test(headOf(file)) && indexesNamedIn(file).length === 0,
  )
  expect(vague.map(({ path }) => path)).toEqual([])
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
  // With its partitions made already, prepare_events_partitions has nothing to write.
  const clear = serviceFiles.filter(file => file.name !== 'prepare_events_partitions')
  for (const file of clear)
    expect([file.path, await isWriting(file)]).toEqual([file.path, verbOf(file) in writes])
})

// Their work is not in their plan: they call a function that changes tables.
const worksUnseen = ['prune_events', 'prepare_events_partitions', 'delete_kontakt']

// What changes a delivery may take it from one table to another, or end a lease; a position is closed before it goes.
const movesRows = [
  'prune_deliveries',
  'update_deliveries_missed',
  'update_delivery_redelivered',
  'update_deliveries_released',
]

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
  const held = (column: string) => new RegExp(`\\b${column} = \\$\\d`).test(statement)
  return rows
    .map(row => String(row.columns).split(' '))
    .filter(columns => columns.slice(0, -1).every(held))
    .map(columns => columns.at(-1) ?? '')
}

/** The last column of the outer `order by`, at the left margin. */
const lastOfOrder = (file: QueryFile) =>
  [...file.statement.matchAll(/^order by .*?(\w+)(?: desc)?$/gm)].at(-1)?.[1]

test('every list has an order', () => {
  const lists = serviceFiles.filter(file => ['list', 'search'].includes(verbOf(file)))
  expect(lists.filter(file => !lastOfOrder(file)).map(({ path }) => path)).toEqual([])
})

// A view, or what a file puts together, has no index; its rows are told apart as those of its parts are.
const partOf: Record<string, string> = {
  hook_attempts: 'hook_other_attempts',
  listed: 'hook_outcomes',
}

test('every order ends with a column that no two rows share', async () => {
  for (const file of serviceFiles) {
    const last = lastOfOrder(file)
    // A writing statement orders its work, not its answer.
    if (last === undefined || verbOf(file) in writes) continue
    const tables = [...file.statement.matchAll(/^(?:from|join) (\w+)/gm)].map(
      ([, name = '']) => partOf[name] ?? name,
    )
    const unique = (
      await Promise.all(tables.map(table => uniqueColumns(table, file.statement)))
    ).flat()
    expect([file.path, unique.includes(last)]).toEqual([file.path, true])
  }
})
