// The race of sixteen writers, read over HTTP while it runs: nothing lost, doubled, invented or out of order.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/db/connect.ts'
import { queries } from '../../src/db/queries.ts'
import { pruneOnce } from '../../src/retention/prune.ts'
import { type FeedReader, feedReader } from '../support/feed_reader.ts'
import { type Committed, flawless, judge, race } from '../support/race.ts'
import { useService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { useWorker } from '../support/worker.ts'

const api = useService()
useWorker(api)
let writers: Sql

const pool = (connectionsMax: number) =>
  connect({ url: api.url, connectionsMax, applicationName: 'race', statementTimeoutMs: 20_000 })

beforeAll(() => {
  writers = pool(16)
})
afterAll(async () => {
  await writers.end({ timeout: 1 })
})

const mixed = { writers: 16, durationMs: 4_000, held: 0.01, rolledBack: 0.05 }

/** Reads all the time while `work` runs, and to the end afterwards. */
async function readDuring<Result>(readers: FeedReader[], work: Promise<Result>): Promise<Result> {
  let running = true
  const reading = readers.map(async reader => {
    while (running) if ((await reader.readPage()) === 0) await Bun.sleep(5)
  })
  const result = await work.finally(() => {
    running = false
  })
  await Promise.all(reading)
  await until(async () => (await api.sql`select 1 from event_outbox limit 1`).length === 0, 10_000)
  for (const reader of readers) await reader.readAll()
  return result
}

/** Closes and drops partitions again and again until told to stop; returns how often it did either. */
function keepPruning() {
  let running = true
  const counts = { closed: 0, dropped: 0 }
  const work = (async () => {
    while (running) {
      const [before] = await writers`select head from feed`
      const pruned = await pruneOnce({ sql: api.sql, queries, keepDays: 30 }, tomorrow()).catch(
        () => undefined,
      )
      const [after] = await writers`select head from feed`
      if (pruned?.partitions_dropped) counts.dropped += pruned.partitions_dropped
      if (Number(after?.head) - Number(before?.head) > 1_000_000) counts.closed += 1
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
  const committed = await readDuring(readers, race(writers, mixed))
  expect(count(committed)).toBeGreaterThan(100)
  for (const reader of readers)
    expect(judge(committed, reader.seen)).toEqual(flawless(count(committed)))
}, 60_000)

test('a foreign transaction and a prepared one left open delay nothing', async () => {
  const foreign = pool(1)
  await foreign`begin`
  await foreign`insert into leads (name) values ('held')`
  await foreign`prepare transaction 'left open'`
  try {
    const reader = feedReader(api)
    const committed = await readDuring(
      [reader],
      race(writers, { ...mixed, durationMs: 1_500, held: 0 }),
    )
    expect(judge(committed, reader.seen)).toEqual(flawless(count(committed)))
    expect(reader.seen.some(event => event.data.name === 'held')).toBe(false)
    await foreign.unsafe(`commit prepared 'left open'`)
    await until(async () => (await reader.readAll()).some(event => event.data.name === 'held'))
  } finally {
    await foreign.unsafe(`rollback prepared 'left open'`).catch(() => {})
    await foreign.end({ timeout: 1 })
  }
}, 60_000)

test('pruning that closes and drops partitions meanwhile loses nothing that has not expired', async () => {
  const reader = feedReader(api)
  await reader.readAll()
  await api.sql`update events set sequenced_at = now() - interval '40 days'`
  const pruning = keepPruning()
  // An event that came into their partition before it was closed would keep it there.
  await until(() => pruning.counts.closed > 0, 20_000)
  const committed = await readDuring([reader], race(writers, { ...mixed, durationMs: 3_000 }))
  // Dropping waits 200 ms for readers and then tries again, which on a busy machine may take a while.
  await until(() => pruning.counts.dropped > 0 && pruning.counts.closed > 1, 20_000)
  const { closed, dropped } = await pruning.stop()
  expect(closed).toBeGreaterThan(1)
  expect(dropped).toBeGreaterThan(0)
  expect(judge(committed, reader.seen)).toEqual(flawless(count(committed)))
}, 60_000)
