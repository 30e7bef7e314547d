// The race of sixteen writers, read over HTTP while it runs: nothing lost, doubled, invented or out of order.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { pruneLog, pruneOnce } from '../../src/worker/pruning.ts'
import { feedReader } from '../support/feed/feed_reader.ts'
import { type Committed, flawless, judgeRace, race, readDuring } from '../support/feed/race.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { quietLog, useService } from '../support/http/service.ts'
import { useWorker } from '../support/process/worker.ts'
import { until } from '../support/until.ts'

const api = useService()
const faults: unknown[] = []
useWorker(api, {}, { ...quietLog(), fault: (part, error) => faults.push([part, error]) })
let writers: Sql

const pool = (connectionsMax: number) =>
  connect({ url: api.url, connectionsMax, applicationName: 'race', statementTimeoutMs: 20_000 })

beforeAll(() => {
  writers = pool(16)
})
afterAll(async () => {
  await writers.end({ timeout: 1 })
})
afterEach(() => {
  expect(faults).toEqual([])
})

const mixed = { writers: 16, durationMs: 1_200, committedMin: 150, held: 0.02, rolledBack: 0.05 }

/** Closes and drops partitions again and again until told to stop; returns how often it did either. */
function keepPruning() {
  let running = true
  const counts = { closed: 0, dropped: 0, log: 0 }
  const headOf = async () => Number((await writers`select head from feed_state`)[0]?.head)
  const work = (async () => {
    while (running) {
      const before = await headOf()
      const options = { database: openDatabase(api.sql, queries), keepDays: 30 }
      const pruned = await pruneOnce(options, tomorrow()).catch(() => undefined)
      counts.dropped += pruned?.partitions_dropped ?? 0
      if ((await headOf()) - before > 1_000_000) counts.closed += 1
      counts.log += await pruneLog(options, tomorrow()).catch(() => 0)
      await Bun.sleep(100)
    }
  })()
  return {
    counts,
    async stop() {
      running = false
      await work
      return counts
    },
  }
}

const tomorrow = () => new Date(Date.now() + 26 * 3_600_000)

const count = (committed: Committed) => [...committed.values()].flat().length

test('readers with limits 1, 7 and 200 and with types see every committed event once, in order', async () => {
  const readers = [
    feedReader(api, { limit: 1 }),
    feedReader(api, { limit: 7 }),
    feedReader(api),
    feedReader(api, { types: 'lead.stage_changed' }),
  ]
  const committed = await readDuring(api.sql, readers, race(writers, mixed))
  expect(count(committed)).toBeGreaterThan(100)
  for (const reader of readers)
    expect(judgeRace(committed, reader.seen)).toEqual(flawless(count(committed)))
}, 60_000)

test('a foreign transaction left open delays nothing', async () => {
  const foreign = pool(1)
  await foreign`begin`
  await foreign`insert into leads (name) values ('held')`
  try {
    const reader = feedReader(api)
    const racing = race(writers, { ...mixed, durationMs: 600, held: 0 })
    const committed = await readDuring(api.sql, [reader], racing)
    expect(judgeRace(committed, reader.seen)).toEqual(flawless(count(committed)))
    expect(reader.seen.some(event => event.data.name === 'held')).toBe(false)
    await foreign`commit`
    await until(async () => (await reader.readAll()).some(event => event.data.name === 'held'))
  } finally {
    await foreign.end({ timeout: 1 })
  }
}, 60_000)

/** What the feed and the log keep, for the message of a test that waited in vain. */
const partitionsNow = async () => {
  const [state] = await api.sql`
    select (select json_agg(part) from (select parent, first, last from feed_partitions order by 1, 2) as part) as partitions,
      (select row_to_json(feed_floor) from feed_floor) as floor, (select row_to_json(feed_settled) from feed_settled) as settled,
      (select json_build_object('head', head, 'horizon', horizon) from feed_state) as feed,
      (select last_value from events_log_id_seq) as last_log_id`
  return JSON.stringify(state)
}

const isLogClosed = async () => {
  const [row] =
    await api.sql`select last_value % events_partition_width() = 0 as closed from events_log_id_seq`
  return row?.closed === true
}

test('pruning that closes and drops partitions meanwhile loses nothing that has not expired', async () => {
  const reader = feedReader(api)
  await api.sql`insert into leads (name) values ('old')`
  await until(() => isSequenced(api.sql), 10_000)
  await reader.readAll()
  await api.sql`update event_cursors set sequenced_at = now() - interval '40 days'`
  const pruning = keepPruning()
  const { counts } = pruning
  try {
    // An event that came into one of their partitions before it was closed would keep it there.
    await until(async () => counts.closed > 0 && (await isLogClosed()), 60_000)
    const committed = await readDuring(
      api.sql,
      [reader],
      race(writers, { ...mixed, durationMs: 1_000 }),
    )
    // Dropping waits 200 ms for readers and then tries again; a long transaction of any database of the server puts it off.
    await until(async () => {
      if (counts.dropped > 0 && counts.closed > 1 && counts.log > 0) return true
      throw new Error(`${JSON.stringify(counts)} ${await partitionsNow()}`)
    }, 60_000)
    expect(judgeRace(committed, reader.seen)).toEqual(flawless(count(committed)))
  } finally {
    await pruning.stop()
  }
}, 150_000)
