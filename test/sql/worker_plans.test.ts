// The looks of the worker and of the feed's readers hold their plans whatever the statistics say: here they are those of
// tables that were emptied, and of a log whose first writer failed, vacuumed while a snapshot is held. What fills them then
// is found along the index that the head of the file names, and no step touches more rows than it must.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { sessionSettings } from '../../src/db/connect.ts'
import { plannedOnce } from '../../src/db/pools.ts'
import { type QueryName, queries } from '../../src/db/queries.ts'
import type { QueryFile } from '../../src/db/query_file.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import {
  type Explaining,
  execution,
  openExplaining,
  type ParameterValues,
  touched,
} from '../support/database/explaining.ts'
import type { PlanNode } from '../support/database/nested_plans.ts'

const database = useDatabase()
const hooks = 50
const total = 100_000
const sequenced = 99_000
const waiting = 20_000
const large = /^(events|event_cursors|hook_retries|hook_failures|hook_attempts)(_|$)/

let held: Sql
/** A session as the worker's pool has them, and one for files that are planned once. Both began when all was empty. */
let worker: Explaining
let once: Explaining
/** The index of the table, for that of a partition. */
let indexOf: Map<string, string>

const nos = Array.from({ length: hooks }, (_, place) => place + 1)
const fences = nos.map(() => 0)

type Look = { values: ParameterValues; rowsMax: number; counted?: boolean }

// Of a page, its rows three times over; of what is taken from a larger table, a look for each subscription.
const looks: Partial<Record<QueryName, Look>> = {
  getEventPage: {
    values: {
      after: 50_000,
      event_types: ['signal.opened', 'lead.created'],
      row_limit: 200,
      bytes_max: 4_194_304,
    },
    rowsMax: 600,
  },
  getEvent: { values: { cursor: 50_000 }, rowsMax: 10 },
  listNewestEvents: {
    values: { event_types: ['signal.opened', 'lead.created'], before: null, row_limit: 50 },
    rowsMax: 200,
  },
  listLogEvents: {
    values: {
      after: 1_000,
      up_to: null,
      event_types: ['signal.opened'],
      row_limit: 2_048,
      bytes_max: 4_194_304,
    },
    rowsMax: 1_600,
  },
  claimRetries: {
    values: {
      nos,
      fences,
      capacities: nos.map(() => 100),
      row_limit: 100,
      under_way_nos: [],
      under_way_cursors: [],
    },
    // All that waits of these subscriptions is put in order by the moment it is due.
    rowsMax: waiting + 1_000,
  },
  listEndedDeliveries: {
    values: {
      nos,
      cursors: nos.map(() => 80_000),
      up_to: nos.map(() => 80_500),
    },
    rowsMax: 2_000,
  },
  claimSubscriptions: {
    values: {
      worker: randomUUID(),
      lock_key: null,
      lease_ms: 10_000,
      patience_ms: 400,
      lost_ms: 0,
      lost_patience_ms: 3_000,
      known_nos: [],
      known_fences: [],
    },
    // Counts what waits, once for a new owner.
    rowsMax: waiting + 1_000,
  },
  getGauges: { values: { count_max: 100 }, rowsMax: 10_000 },
}

const sequence = (state: ParameterValues) =>
  execution(queries.sequenceEvents, {
    row_limit: 1_000,
    sequenced_limit: 20_000,
    known_identity: null,
    after_log_id: 0,
    after_cursor: 0,
    late: [],
    settling: false,
    wanted_types: ['signal.opened'],
    sequenced_by: 'test',
    ...state,
  })

const prepared: QueryName[] = [...(Object.keys(looks) as QueryName[]), 'sequenceEvents']

/** What makes the statistics say that there is nothing, though there are pages. */
const empty = `
  insert into hook_retries (no, cursor) select n % ${hooks} + 1, n from generate_series(1, ${waiting}) as n;
  insert into hook_failures (no, cursor) select n % ${hooks} + 1, n from generate_series(1, ${waiting}) as n;
  delete from hook_retries;
  delete from hook_failures;`

const emit = `
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select case when n % 1000 = 0 then 'signal.opened' else 'lead.created' end, '1', 'lead', n::text, '{}', '{"a": 1}'
  from generate_series(1, ${total}) as n;`

const fill = `
  insert into hook_subscriptions (target_url, event_types, secret)
  select 'https://hooks.example.com/' || n, array['signal.opened', 'lead.created'], 's' from generate_series(1, ${hooks}) as n;
  ${emit}
  insert into event_cursors (cursor, log_id, event_type)
  select row_number() over (order by log_id), log_id, event_type from events order by log_id limit ${sequenced};
  update feed_floor set log_id = (select log_id from event_cursors where cursor = ${sequenced}), cursor = ${sequenced};
  insert into hook_retries (no, cursor) select n % ${hooks} + 1, n from generate_series(1, ${waiting}) as n;
  insert into hook_failures (no, cursor) select n % ${hooks} + 1, n + ${waiting} from generate_series(1, ${waiting}) as n;
  insert into hook_attempts (no, cursor, fence, started_at, duration_ms, attempt, outcome)
  select n % ${hooks} + 1, n + 2 * ${waiting}, 0, now(), 1, 1, 'd' from generate_series(1, 50000) as n;`

beforeAll(async () => {
  held = oneConnection(database.url)
  await held`begin isolation level repeatable read`
  await held`select count(*) from leads`
  const sql = oneConnection(database.url)
  await sql.unsafe(empty).simple()
  // An import that fails, and is under way while all is vacuumed.
  await sql.unsafe(`begin; ${emit}`).simple()
  await database.sql.unsafe('vacuum (analyze)')
  await sql.unsafe('rollback')
  worker = await openExplaining(database.url)
  once = await openExplaining(database.url, sessionSettings(plannedOnce))
  for (const name of prepared) {
    const { text } = queries[name]
    for (const session of [worker, once]) await session.run(text)
  }
  for (const [name, { values }] of Object.entries(looks))
    await once.explain(execution(queries[name as QueryName], values))
  for (let times = 0; times < 7; times += 1) await worker.run(sequence({}))
  await sql.unsafe(fill).simple()
  const rows = await sql`
    select child.relname as child, parent.relname as parent from pg_inherits
    join pg_class as child on child.oid = inhrelid join pg_class as parent on parent.oid = inhparent
    where child.relkind = 'i'`
  await sql.end()
  indexOf = new Map(rows.map(({ child, parent }) => [child, parent]))
}, 180_000)

afterAll(async () => {
  await Promise.all([worker.end(), once.end(), held.end({ timeout: 1 })])
})

const namedIn = ({ uses, adds }: QueryFile) => [...uses, ...adds]

/** Indexes that serve, of tables that are large now and by steps that ran. */
const indexesUsed = (nodes: PlanNode[]) =>
  new Set(
    nodes
      .filter(node => Number(node['Actual Loops']) > 0 && touched(node) > 0)
      .map(node => String(node['Index Name'] ?? ''))
      .filter(name => large.test(name))
      .map(name => indexOf.get(name) ?? name),
  )

/** Scans of whole tables, by what they read. */
const wholeScans = (nodes: PlanNode[]) =>
  nodes
    .filter(node => node['Node Type'] === 'Seq Scan' && large.test(String(node['Relation Name'])))
    .filter(node => touched(node) > 0)
    .map(node => [node['Relation Name'], touched(node)])

const busiest = (nodes: PlanNode[]) => Math.max(...nodes.map(touched))

test('the statistics say that there is nothing', async () => {
  const rows = await database.sql`
    select relname from pg_class
    where relname in ('events_1', 'hook_retries', 'hook_failures') and relpages > 0 and reltuples = 0
    order by relname`
  expect(rows.map(row => row.relname)).toEqual(['events_1', 'hook_failures', 'hook_retries'])
})

for (const [name, { values, rowsMax }] of Object.entries(looks)) {
  const file = queries[name as QueryName]
  const sessions = file.plannedOnce
    ? (['planned once', 'planned anew'] as const)
    : (['planned anew'] as const)
  for (const planned of sessions)
    test(`${file.path}, ${planned}, goes along the indexes its head names`, async () => {
      const session = planned === 'planned once' ? once : worker
      const nodes = await session.explain(execution(file, values))
      for (const index of indexesUsed(nodes)) expect(namedIn(file)).toContain(index)
      expect(indexesUsed(nodes).size).toBeGreaterThan(0)
      expect(wholeScans(nodes)).toEqual([])
      expect(busiest(nodes)).toBeLessThan(rowsMax)
    })
}

test('sequence_events, planned in a session that began when all was empty, reads what waits and no more', async () => {
  const nodes = await worker.explainNested(sequence({}))
  for (const index of indexesUsed(nodes)) expect(namedIn(queries.sequenceEvents)).toContain(index)
  expect(wholeScans(nodes)).toEqual([])
  // A batch of 1,000, in several steps.
  expect(busiest(nodes)).toBeLessThan(3_000)
  const [last] = await database.sql`select head::integer as head from feed_state`
  expect(last?.head).toBe(total)
})

test('a look that finds nothing reads next to nothing', async () => {
  const [row] = await worker.run(sequence({}))
  const { identity } = JSON.parse(row?.state as string)
  const [newest] = await database.sql`select max(log_id)::integer as log_id from events`
  const state = { known_identity: identity, after_log_id: newest?.log_id, after_cursor: total }
  const nodes = await worker.explainNested(sequence(state))
  expect(busiest(nodes)).toBeLessThan(50)
})
