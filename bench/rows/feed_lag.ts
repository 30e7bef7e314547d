// feed_lag: from a writer's commit to the event's being readable over HTTP, after idleness and next to a foreign transaction;
// and how long it takes to delete expired events.
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { pruneEvents } from '../../src/worker/pruning.ts'
import { type BenchDatabase, withSql } from '../bench.ts'
import { type Figure, quantile, type Row } from '../figures.ts'
import { startServiceProcess } from '../processes.ts'
import { addEvents, prepareFeed } from '../subscriptions.ts'

// The sequencer falls asleep after a second without an event.
const idleMs = 1_500
const foreignMs = 5_000
const foreignPauseMs = 15
const lagMaxMs = 30_000
const keepDays = 30
const expiredTotal = 100_000

type Page = { data: { object_id: string }[]; meta: { next_cursor: number } }

/** Commits one event after the other and reads the feed until each is there. */
function followed(sql: Sql, port: number, key: string) {
  const headers = { authorization: `Bearer ${key}` }
  let after = 0
  return async (): Promise<number> => {
    const [row] = await sql`insert into leads (name) values ('Bench') returning id`
    const committedAt = performance.now()
    while (performance.now() - committedAt < lagMaxMs) {
      const url = `http://127.0.0.1:${port}/api/v1/events?limit=200&after=${after}`
      const { data, meta } = (await (await fetch(url, { headers })).json()) as Page
      after = meta.next_cursor
      if (data.some(({ object_id }) => object_id === row?.id))
        return performance.now() - committedAt
    }
    throw new Error('an event did not come')
  }
}

async function idleLags(lagOfOne: () => Promise<number>, times: number): Promise<number[]> {
  const lags: number[] = []
  while (lags.length < times) {
    await Bun.sleep(idleMs)
    lags.push(await lagOfOne())
  }
  return lags
}

/** Next to a transaction that has written elsewhere and stays open. */
const foreignLags = (url: string, lagOfOne: () => Promise<number>): Promise<number[]> =>
  withSql(url, async foreign => {
    const lags: number[] = []
    await foreign.begin(async transaction => {
      await transaction`insert into signals (kind, title, score) values ('bench', 'offen', 1)`
      const end = performance.now() + foreignMs
      while (performance.now() < end) {
        lags.push(await lagOfOne())
        await Bun.sleep(foreignPauseMs)
      }
    })
    return lags
  })

const lagFigure = (name: string, lags: number[], share: number, atMost: number): Figure => ({
  name,
  value: quantile(lags, share),
  unit: 'ms',
  reach: { atMost },
  detail: `${lags.length} commits, p50 ${quantile(lags, 0.5).toFixed(1)}, p99 ${quantile(lags, 0.99).toFixed(1)} ms`,
})

/** By one run of the schedule's, without its leader. */
async function pruneFigure(database: BenchDatabase): Promise<Figure> {
  await prepareFeed(database, sql => addEvents(sql, expiredTotal, 1, '40 days'))
  return await withSql(database.url, async sql => {
    const from = performance.now()
    const { events } = await pruneEvents({ database: openDatabase(sql, queries), keepDays })
    return {
      name: `${events.toLocaleString('en')} expired events deleted`,
      value: (performance.now() - from) / 1_000,
      unit: 's',
      detail: 'with its pauses between batches',
    }
  })
}

export const feedLag: Row = {
  name: 'feed_lag',
  measures: 'commit to readable over GET /events, idle and next to an open transaction; pruning',
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small, 'deliveries')
    await prepareFeed(database, async () => {})
    const { port, stop } = await bench.keep(startServiceProcess(database))
    const figures = await withSql(database.url, async sql => {
      const lagOfOne = followed(sql, port, database.keys[0] ?? '')
      const idle = await idleLags(lagOfOne, bench.options.quick ? 5 : 30)
      const foreign = await foreignLags(database.url, lagOfOne)
      return [
        lagFigure('p50 after idleness', idle, 0.5, 20),
        lagFigure('p99 next to a foreign transaction of 5 s', foreign, 0.99, 60),
      ]
    })
    await stop()
    return [...figures, await pruneFigure(database)]
  },
}
