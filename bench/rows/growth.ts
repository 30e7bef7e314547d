// growth: what ten and a hundred times as many leads cost each GET.
import { basePath } from '../../src/api/rest/routes.ts'
import { growthReach, measureGrowth, type Side, timesPerRound, warmUpTimes } from '../growing.ts'
import type { Row } from '../row.ts'
import { growthReachOf, samplePaths, searchGrowthReach, shortTextReach } from '../samples.ts'

export const growth: Row = {
  name: 'growth',
  measures: 'p50 of every GET with more leads against the fewest, one request at a time',
  reaches: {
    'every GET but searches': growthReach,
    'every search for 5 leads': searchGrowthReach,
    'of one or two letters': shortTextReach,
  },
  async run(bench) {
    const { all } = bench.options.sizes
    const sides: Side[] = []
    for (const leads of all) {
      const database = await bench.database(leads)
      const paths = Object.entries(await samplePaths(database)).map(([target, own]) => [
        target,
        own.map(path => basePath + path),
      ])
      sides.push({ database, paths: Object.fromEntries(paths) })
    }
    bench.note(
      `growth: ${all.map(leads => leads.toLocaleString('en')).join(', ')} leads; ${warmUpTimes} requests of each kind to warm up, then ${timesPerRound} a round and size.`,
    )
    return await measureGrowth(bench, sides, growthReachOf)
  },
}
