// feed_read: 200 events at any cursor against the start of the feed, with and without types.
import { basePath } from '../../src/api/rest/routes.ts'
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../databases.ts'
import { withEvents } from '../feed_database.ts'
import { getRequest } from '../load/plan.ts'
import { startServiceProcess } from '../processes.ts'
import type { Figure, Row } from '../row.ts'
import { median, spread } from '../statistics.ts'

const reach = { atMost: 1.2 }
const timesPerRound = 60
const rareAgainstAll = 'a rare type from the start against all types'
const kinds: Record<string, string> = {
  'all types': '',
  'a common type': '&types=lead.created',
  'three types': '&types=lead.created,analysis.completed,haushalt.updated',
  'a rare type': '&types=kontakt.merged',
}

/** Places in the feed, as shares of it; the last one still has a full page of the common types behind it. */
const places = { start: 0, middle: 0.5, end: 0.9995 }

async function timesOf(bench: Bench, { keys }: BenchDatabase, port: number, query: string) {
  const { read } = bench.options.events
  const requests = Object.values(places).map(share =>
    Array.from({ length: timesPerRound }, (_, turn) => {
      const after = Math.floor(read * share) + turn
      return getRequest(`${basePath}/events?limit=200&after=${after}${query}`, keys[turn])
    }),
  )
  const ports = requests.map(() => port)
  return (await bench.load.alternate({ ports, times: timesPerRound, requests })).times
}

async function measureKind(bench: Bench, database: BenchDatabase, port: number, kind: string) {
  const query = kinds[kind] ?? ''
  const rounds: number[][] = []
  await timesOf(bench, database, port, query)
  for (let round = 0; round < bench.options.rounds; round += 1)
    rounds.push((await timesOf(bench, database, port, query)).map(median))
  const [start = [], middle = [], end = []] = [0, 1, 2].map(place =>
    rounds.map(times => times[place] ?? Number.NaN),
  )
  const worst = start.map((time, round) =>
    Math.max((middle[round] ?? Number.NaN) / time, (end[round] ?? Number.NaN) / time),
  )
  const detail = [start, middle, end].map(times => median(times).toFixed(2)).join(' / ')
  return { worst, start: median(start), detail: `p50 ${detail} ms at start / middle / end` }
}

export const feedRead: Row = {
  name: 'feed_read',
  measures: 'reading 200 events in the middle and at the end of the feed against its start',
  reaches: Object.fromEntries(Object.keys(kinds).map(kind => [kind, reach])),
  async run(bench) {
    const database = await withEvents(bench, bench.options.events.read)
    bench.note(`feed_read: ${bench.options.events.read.toLocaleString('en')} events.`)
    return await bench.during(
      startServiceProcess(database, { RATE_LIMIT_PER_MINUTE: '1000000' }),
      async ({ port }) => {
        const figures: Figure[] = []
        const starts: number[] = []
        for (const kind of Object.keys(kinds)) {
          const { worst, start, detail } = await measureKind(bench, database, port, kind)
          starts.push(start)
          figures.push({
            name: kind,
            value: median(worst),
            unit: '×',
            spread: spread(worst),
            reach,
            detail,
          })
        }
        // From the start a rare type is the hardest: all of the feed lies ahead, and hardly any of it counts.
        // To look at, not to reach: its events lie on as many pages, most of them not in memory.
        const value = (starts.at(-1) ?? Number.NaN) / (starts[0] ?? Number.NaN)
        return [...figures, { name: rareAgainstAll, value, unit: '×' }]
      },
    )
  },
}
