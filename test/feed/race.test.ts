// The race of sixteen writers, read over HTTP while it runs: nothing lost, doubled, invented or out of order.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { pruneEvents } from '../../src/worker/pruning.ts'
import { openTestPool } from '../support/database/database.ts'
import {
  countOf,
  feedReader,
  flawless,
  judgeRace,
  race,
  readDuring,
} from '../support/feed/feed_reader.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { quietLog, useService, useWorker } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
const faults: unknown[] = []
useWorker(api, {}, { ...quietLog(), fault: (part, error) => faults.push([part, error]) })
let writers: Sql

beforeAll(() => {
  writers = openTestPool(api.url, 16)
})
afterAll(async () => {
  await writers.end({ timeout: 1 })
})
afterEach(() => {
  expect(faults).toEqual([])
})

const mixed = { writers: 16, durationMs: 1_200, committedMin: 150, held: 0.02, rolledBack: 0.05 }

/** Prunes again and again until told to stop; returns how many events went. */
function keepPruning() {
  let running = true
  const options = { database: openDatabase(api.sql, queries), keepDays: 30 }
  const work = (async () => {
    let events = 0
    while (running) {
      events += (await pruneEvents(options)).events
      await Bun.sleep(20)
    }
    return events
  })()
  return () => {
    running = false
    return work
  }
}

test('readers with limits 1, 7 and 200 and with types see every committed event once, in order', async () => {
  const readers = [
    feedReader(api, { limit: 1 }),
    feedReader(api, { limit: 7 }),
    feedReader(api),
    feedReader(api, { types: 'lead.stage_changed' }),
  ]
  const committed = await readDuring(api.sql, readers, race(writers, mixed))
  expect(countOf(committed)).toBeGreaterThan(100)
  for (const reader of readers)
    expect(judgeRace(committed, reader.seen)).toEqual(flawless(committed))
}, 60_000)

test('pruning meanwhile loses nothing that has not expired', async () => {
  const reader = feedReader(api)
  await api.sql`insert into leads (name) select 'old' from generate_series(1, 3000)`
  await until(() => isSequenced(api.sql), 10_000)
  await reader.readAll()
  const [head] = await api.sql`select head::integer as head from feed_state`
  await api.sql`update event_cursors set sequenced_at = now() - interval '40 days'`
  const stop = keepPruning()
  const racing = race(writers, { ...mixed, durationMs: 1_000 })
  const committed = await readDuring(api.sql, [reader], racing).finally(stop)
  expect(await stop()).toBeGreaterThan(2_999)
  expect(judgeRace(committed, reader.seen)).toEqual(flawless(committed))
  const [state] = await api.sql`select horizon::integer as horizon from feed`
  expect(state?.horizon).toBe(head?.head)
}, 60_000)
