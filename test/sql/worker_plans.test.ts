// The worker's statements are planned once, perhaps while every table is empty. That plan has to stay good when there
// is much to do a moment later: no step may touch more rows than a batch has, times a few.
import { beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { encodeParameter } from '../../src/db/parameter_types.ts'
import { queries } from '../../src/db/queries.ts'
import type { QueryFile } from '../../src/db/query_file.ts'
import { recordStatement } from '../../src/delivery/queue.ts'
import { claimParameters } from '../support/claiming.ts'
import { useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'
import { attemptRecord } from '../support/recording.ts'
import { useSingleConnection } from '../support/single.ts'

const database = useDatabase()
const single = useSingleConnection(database)
const batch = 400
const subscriptions = 50
// A join of a batch with itself, or with the feed, would be 160,000 and more.
const touchedMax = 40_000

type Node = Record<string, unknown> & { Plans?: Node[] }

const count = (node: Node, member: string) => Number(node[member] ?? 0)

/** Rows that a step read, those it threw away included, over all of its loops. */
const touched = (node: Node): number =>
  (count(node, 'Actual Rows') +
    count(node, 'Rows Removed by Filter') +
    count(node, 'Rows Removed by Join Filter')) *
  count(node, 'Actual Loops')

const steps = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(steps)]

function execution(file: QueryFile, values: Record<string, never>): string {
  const written = file.parameters.map(({ name, type }) => {
    const text = encodeParameter(type, values[name] as never)
    return text === null ? 'null' : `'${text.replaceAll("'", "''")}'`
  })
  return `execute ${file.name}(${written.join()})`
}

const claims = {
  row_limit: batch,
  sequenced_by: '',
  ...claimParameters({ other_room: batch, total_room: batch }),
}
const attempted = (outcome: 'failed' | 'delivered') =>
  recordStatement([attemptRecord({ id: 0, claim: randomUUID() }, { outcome })])
const record = attempted('failed')
const delivered = attempted('delivered')
const prune = { keep_seconds: 60, at: null, row_limit: batch }
const files = {
  sequence: { file: queries.sequenceEvents, values: claims },
  claim: { file: queries.claimDeliveries, values: claims },
  record: { file: queries[record.name], values: record.parameters },
  delivered: { file: queries[delivered.name], values: delivered.parameters },
  prune: { file: queries.pruneDeliveries, values: prune },
}

const run = (name: keyof typeof files, prefix = '') => {
  const { file, values } = files[name]
  return single.sql.unsafe(prefix + execution(file, values as never))
}

/** How the plan made on empty tables fares, now that there is much to do. */
async function executed(name: keyof typeof files): Promise<Node> {
  const [row] = await run(name, 'explain (analyze, buffers, timing off, format json) ')
  const [explained] = JSON.parse(row?.['QUERY PLAN'])
  return explained.Plan
}

/** The rows that the busiest step touches. */
const busiest = async (name: keyof typeof files): Promise<number> =>
  Math.max(...steps(await executed(name)).map(touched))

beforeAll(async () => {
  const { sql } = single
  await sql.unsafe(
    'vacuum (analyze) event_outbox, events, hook_queue, hook_outcomes, hook_other_attempts, hook_positions, hook_leases',
  )
  await sql.unsafe('set plan_cache_mode = force_generic_plan; set enable_seqscan = off')
  for (const name of Object.keys(files) as (keyof typeof files)[]) {
    await sql.unsafe(files[name].file.text)
    await run(name)
  }
  for (let number = 0; number < subscriptions; number += 1)
    await factory.hook(database.sql, {
      event_types: [number === 0 ? 'signal.opened' : 'lead.created'],
    })
  // What waits is many times what a batch takes.
  await sql`select count(emit_event('signal.opened', 'signal', n::text, '{}', '{}')) from generate_series(1, ${20 * batch}) as n`
})

test('a batch is sequenced by its own size', async () => {
  expect(await busiest('sequence')).toBeLessThan(touchedMax)
  for (let times = 0; times < 10; times += 1) await run('sequence')
})

test('the texts of a batch are not copied for each of its deliveries', async () => {
  const plan = await executed('sequence')
  // One for the subscription.
  expect(plan['Actual Rows']).toBe(batch + 1)
  // 400 times 400 texts were 46 MB of temporary files.
  expect(plan['Temp Written Blocks']).toBe(0)
})

test('claiming costs what is claimed', async () => {
  await single.sql`update hook_queue set claim = null, due_at = null`
  expect(await busiest('claim')).toBeLessThan(touchedMax)
})

test.each([
  ['delivered', 'delivered'],
  ['record', 'failed'],
] as const)('recording costs what is recorded: %s', async (name, last) => {
  await single.sql`update hook_queue set claim = null, due_at = now()`
  await run('claim')
  const claimed =
    await single.sql`select id::integer, claim from hook_queue where claim is not null`
  expect(claimed).toHaveLength(batch)
  const attempts = claimed.map(({ id, claim }, place) =>
    attemptRecord({ id, claim }, { outcome: place === 0 ? last : 'delivered' }),
  )
  // And as many again that have lapsed.
  const lapsed = attempts.map(attempt => ({ ...attempt, claim: randomUUID() }))
  const said = recordStatement([...attempts, ...lapsed])
  expect(queries[said.name]).toBe(files[name].file)
  Object.assign(files[name].values, said.parameters)
  expect(await busiest(name)).toBeLessThan(touchedMax)
  const concluded = await single.sql`select from hook_queue where claim is not null`
  expect(concluded).toHaveLength(0)
})

test('pruning costs what is pruned', async () => {
  await single.sql`update hook_outcomes set created_at = now() - interval '1 hour'`
  expect(await busiest('prune')).toBeLessThan(touchedMax)
})
