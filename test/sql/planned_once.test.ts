// Files that are planned once: the one plan for all values must not read a large table whole, however large it is.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { asJsonArray, asRows } from '../../src/db/database.ts'
import { oidOf } from '../../src/db/parameter_types.ts'
import { openPools, type Pools } from '../../src/db/pools.ts'
import { queries } from '../../src/db/queries.ts'
import { isReading, type QueryFile } from '../../src/db/query_file.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { serviceFiles } from '../support/repo/query_files.ts'

const database = useDatabase()
let pools: Pools

const rowsOfLarge = 1_000_000
const large = ['leads', 'lead_analyses', 'haushalte', 'kontakt_aliases', 'meeting_intelligence']

beforeAll(async () => {
  const { sql } = database
  const lead = await factory.lead(sql)
  await factory.analysis(sql, { lead_id: lead.id })
  await factory.haushalt(sql, { kontakt_key: 'email:anna@example.org' })
  await factory.alias(sql, 'email:a@example.org', 'email:anna@example.org')
  await factory.meeting(sql)
  await sql.unsafe('analyze')
  // As many on its one page as the planner is to believe.
  await sql`update pg_class set reltuples = ${rowsOfLarge} where relname in ${sql(large)}`
  pools = openPools({
    url: database.url,
    connectionsMax: 1,
    applicationName: 'test',
    statementTimeoutMs: 20_000,
  })
})
afterAll(() => pools.end({ timeout: 1 }))

type Node = { 'Node Type': string; 'Plan Rows': number; Plans?: Node[] }

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Kinds of nodes that take in all of a large table before they give the first row. */
async function gatherers(file: QueryFile): Promise<string[]> {
  const text = isReading(file) ? asJsonArray(file) : asRows(file)
  const values = file.parameters.map(({ type }) => pools.once.typed(null as never, oidOf(type)))
  const [row] = await pools.once.unsafe(`explain (format json) ${text}`, values as never[], {
    prepare: true,
  })
  const [explained] = JSON.parse(row?.['QUERY PLAN'])
  return nodesOf(explained.Plan)
    .filter(node => /^(Sort|Hash|Seq Scan|Bitmap Heap Scan|Materialize)$/.test(node['Node Type']))
    .filter(node => node['Plan Rows'] > rowsOfLarge / 20)
    .map(node => `${file.path}: ${node['Node Type']} of ${node['Plan Rows']}`)
}

test('no file that is planned once gathers a large table before its first row', async () => {
  const once = serviceFiles.filter(file => file.plannedOnce)
  expect(once.length).toBeGreaterThan(5)
  expect((await Promise.all(once.map(gatherers))).flat()).toEqual([])
})

// Which of its contacts is an alias is decided for all of them at once, unless the plan knows how short the page is.
test('the list of contacts is such a file, and is planned anew', async () => {
  expect(queries.listKontakte.plannedOnce).toBe(false)
  expect(await gatherers(queries.listKontakte)).not.toEqual([])
})
