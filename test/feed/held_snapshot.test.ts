// A snapshot that is held open, by a dump, a report or an idle session, slows the feed down by nothing: a look after 20,000
// events reads what one after 2,000 does. The same next to a transaction that has written and stays open.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { queries } from '../../src/db/queries.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import {
  blocksOf,
  type Explaining,
  execution,
  openExplaining,
  touched,
} from '../support/database/explaining.ts'
import { openTestSequencing } from '../support/feed/sequencing.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const few = 2_000
const many = 20_000
const perLook = 100
let session: Explaining
let held: ReturnType<typeof oneConnection>

beforeEach(async () => {
  held = oneConnection(database.url)
  session = await openExplaining(database.url)
  await session.run(queries.sequenceEvents.text)
  await session.run(queries.getEventPage.text)
})
afterEach(async () => {
  await session.end()
  await held.end({ timeout: 1 })
})

// Into the log itself: emit_event() takes six times as long, and what it adds says nothing of a look.
const emit = (count: number) => database.sql`
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select 'signal.opened', '1', 'signal', n::text, '{}', '{"a": 1}' from generate_series(1, ${String(count)}::integer) as n`

/** Events come and are sequenced, as the worker does it; what looks cost at both ends of it, in blocks. */
async function costs() {
  const sequencing = openTestSequencing(database.sql)
  let state = await sequencing.look()
  const first = state.newest
  const goOn = async (to: number) => {
    while (state.newest < first + to) {
      await emit(perLook)
      state = await sequencing.look()
    }
    await sequencing.save()
  }
  // A transaction of another test file, in another database, keeps the floor behind for a moment.
  const settled = () =>
    until(async () => {
      const look = await sequencing.look()
      return look.floor === look.newest ? look : undefined
    }, 10_000)
  const cost = async () => {
    const { identity, floor, late } = await settled()
    const parameters = {
      row_limit: 1_000,
      known_identity: identity,
      log_floor: floor,
      late: [...late],
      sleeping: false,
      wanted_types: ['signal.opened'],
    }
    const look = execution(queries.sequenceEvents, parameters)
    // Plans are made at first.
    await emit(4)
    await session.explain(look)
    // A plan is made anew when statistics of a table come in between, and three tables get them.
    const leastOf = async (before: () => Promise<unknown>) => {
      const blocks: number[] = []
      while (blocks.length < 5) {
        await before()
        blocks.push(blocksOf(await session.explain(look)))
      }
      return Math.min(...blocks)
    }
    const nothing = await leastOf(async () => {})
    const four = await leastOf(() => emit(4))
    state = await sequencing.look()
    const values = { after: state.head - 4, row_limit: 100, bytes_max: 100_000 }
    const page = execution(queries.getEventPage, values)
    await session.explain(page)
    const read = blocksOf(await session.explain(page))
    return { nothing, four, read }
  }
  await goOn(few)
  const early = await cost()
  await goOn(many)
  return { early, late: await cost() }
}

function expectFlat({ early, late }: Awaited<ReturnType<typeof costs>>) {
  for (const kind of ['nothing', 'four', 'read'] as const) {
    // Indexes grow by a level now and then.
    expect(late[kind], kind).toBeLessThan(early[kind] * 1.5 + 20)
    expect(late[kind], kind).toBeGreaterThan(0)
  }
}

test('while a snapshot is held a look stays as cheap as it was', async () => {
  await held`begin isolation level repeatable read`
  await held`select count(*) from leads`
  expectFlat(await costs())
}, 60_000)

test('while a transaction that has written stays open, too, and then it gets its cursor', async () => {
  await held`begin`
  await held`insert into leads (name) values ('held')`
  expectFlat(await costs())
  // What is counted for the metrics begins where the sequencer does.
  await session.run(queries.getGauges.text)
  const gauges = execution(queries.getGauges, { count_max: 100 })
  const rows = (await session.explainNested(gauges)).map(touched)
  expect(Math.max(...rows)).toBeLessThan(few)
  await held`commit`
  await openTestSequencing(database.sql).look()
  const [last] =
    await database.sql`select data ->> 'name' as name from feed_events order by cursor desc limit 1`
  expect(last?.name).toBe('held')
}, 60_000)
