// feed_growth: what ten and a hundred times as many events cost a reader of the feed.
import { basePath } from '../../src/api/rest/routes.ts'
import { withEvents } from '../feed_database.ts'
import { growthReach, measureGrowth, type Side, timesPerRound } from '../growing.ts'
import type { Row } from '../row.ts'

const page = `${basePath}/events?limit=100`

/** Pages that begin here and there around a share of the feed. */
const pagesAt = (events: number, share: number, query = '') =>
  Array.from(
    { length: timesPerRound },
    (_, turn) => `${page}&after=${Math.floor(events * share) + turn}${query}`,
  )

const pathsOf = (events: number): Record<string, string[]> => ({
  'from the oldest': [page],
  'in the middle': pagesAt(events, 0.5),
  'at the end': pagesAt(events, 0.995),
  'in the middle, a common type': pagesAt(events, 0.5, '&types=lead.created'),
  'behind the last': [`${page}&after=${events}`],
})

export const feedGrowth: Row = {
  name: 'feed_growth',
  measures: 'p50 of GET /events with more events against the fewest, one request at a time',
  reaches: Object.fromEntries(Object.keys(pathsOf(0)).map(target => [target, growthReach])),
  async run(bench) {
    const { all } = bench.options.events
    const sides: Side[] = []
    for (const events of all)
      sides.push({ database: await withEvents(bench, events), paths: pathsOf(events) })
    bench.note(`feed_growth: ${all.map(events => events.toLocaleString('en')).join(', ')} events.`)
    return await measureGrowth(bench, sides)
  },
}
