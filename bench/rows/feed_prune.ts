// feed_prune: how long it takes to delete expired events, and what readers notice meanwhile.
import { openDatabase } from '../../src/db/database.ts'
import { openPool } from '../../src/db/pool.ts'
import { queries } from '../../src/db/queries.ts'
import { pruneEvents } from '../../src/worker/pruning.ts'
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../databases.ts'
import { addFeedEvents } from '../feed_database.ts'
import { startServiceProcess } from '../processes.ts'
import type { Row } from '../row.ts'
import { withSql } from '../session.ts'
import { median, quantile, spread } from '../statistics.ts'

const timeReach = { atMost: 1 }
const readersReach = { atMost: 2 }
const keepDays = 30
const recent = 20_000
const readersTotal = 4

/** Expired events, all of one day, and recent ones. Returns the first recent cursor. */
async function prepare({ url }: BenchDatabase, expired: number): Promise<number> {
  return await withSql(url, async sql => {
    const [newest] = await sql`
      select greatest(head, last_value)::float8 as last from feed_state, events_log_id_seq`
    const first = Number(newest?.last) + 1
    const next = first + expired
    await addFeedEvents(sql, first, next - 1)
    await sql`
      update event_cursors set sequenced_at = now() - interval '40 days' where cursor < ${next}`
    await addFeedEvents(sql, next, next + recent - 1)
    await sql.unsafe('vacuum (analyze) events, event_cursors')
    await sql.unsafe('checkpoint')
    return next
  })
}

/** Reads recent pages until it is stopped; milliseconds of each request with its moment. */
function readOn(port: number, keys: string[], after: number) {
  const times: { at: number; ms: number }[] = []
  let stopped = false
  const reader = async (number: number) => {
    for (let turn = 0; !stopped; turn += 1) {
      const cursor = after + ((turn * 37) % (recent - 200))
      const at = performance.now()
      const response = await fetch(
        `http://127.0.0.1:${port}/api/v1/events?limit=50&after=${cursor}`,
        {
          headers: { authorization: `Bearer ${keys[number]}` },
        },
      )
      await response.arrayBuffer()
      times.push({ at, ms: performance.now() - at })
    }
  }
  const running = Promise.all(Array.from({ length: readersTotal }, (_, number) => reader(number)))
  // stop() reports it.
  running.catch(() => undefined)
  return {
    p99Between: (from: number, to: number) =>
      quantile(
        times.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms),
        0.99,
      ),
    async stop() {
      stopped = true
      await running
    },
  }
}

async function pruneTimed(bench: Bench, database: BenchDatabase, port: number) {
  const after = await prepare(database, bench.options.events.pruned)
  const windowMs = bench.options.seconds * 1_000
  const { sql } = openPool({
    url: database.url,
    connectionsMax: 1,
    applicationName: 'bench',
    statementTimeoutMs: 0,
  })
  const pruning = openDatabase(sql, queries)
  const readers = readOn(port, database.keys, after)
  try {
    await Bun.sleep(1_000)
    const calmFrom = performance.now()
    await Bun.sleep(windowMs)
    const prunedFrom = performance.now()
    const { events } = await pruneEvents({ database: pruning, keepDays })
    const seconds = (performance.now() - prunedFrom) / 1_000
    if (events === 0) throw new Error('nothing was pruned')
    await Bun.sleep(Math.max(0, windowMs - seconds * 1_000))
    const ratio =
      readers.p99Between(prunedFrom, prunedFrom + windowMs) /
      readers.p99Between(calmFrom, prunedFrom)
    return { seconds, ratio }
  } finally {
    await readers.stop()
    await sql.end()
  }
}

export const feedPrune: Row = {
  name: 'feed_prune',
  measures: 'deleting expired events, and the p99 of readers meanwhile against before',
  reaches: { 'time to prune': timeReach, "readers' p99": readersReach },
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small, 'prune')
    const { pruned } = bench.options.events
    bench.note(
      `feed_prune: ${pruned.toLocaleString('en')} expired events a round, 3 rounds, ${readersTotal} readers.`,
    )
    return await bench.during(
      startServiceProcess(database, {
        RATE_LIMIT_PER_MINUTE: '1000000',
        EVENT_RETENTION_DAYS: '-1',
      }),
      async ({ port }) => {
        const rounds: { seconds: number; ratio: number }[] = []
        while (rounds.length < 3) rounds.push(await pruneTimed(bench, database, port))
        const seconds = rounds.map(round => round.seconds)
        const ratios = rounds.map(round => round.ratio)
        return [
          {
            name: 'time to prune',
            value: median(seconds),
            unit: 's',
            spread: spread(seconds),
            reach: timeReach,
          },
          {
            name: "readers' p99",
            value: median(ratios),
            unit: '×',
            spread: spread(ratios),
            reach: readersReach,
          },
        ]
      },
    )
  },
}
