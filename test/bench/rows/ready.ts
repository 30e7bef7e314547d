// ready: how soon a process serves on a migrated database, and what memory it holds after many requests.

import { buildBinary } from '../../support/binary.ts'
import type { Bench } from '../bench.ts'
import { type BenchDatabase, keysTotal } from '../databases.ts'
import { getRequest } from '../load/plan.ts'
import { flat, memoryCurve, memoryFigures, memoryMax } from '../memory.ts'
import { benchDir, startService } from '../processes.ts'
import type { Figure, Row } from '../row.ts'
import { median, spread } from '../statistics.ts'

const starts = 10

const reaches = {
  'ready after': { atMost: 300 },
  'ready after, the binary': { atMost: 300 },
  'memory (RSS)': memoryMax,
}

async function startTimes(
  bench: Bench,
  database: BenchDatabase,
  name: 'ready after' | 'ready after, the binary',
  command?: string[],
): Promise<Figure> {
  const times: number[] = []
  for (let turn = 0; turn <= starts; turn += 1) {
    const startedAt = performance.now()
    const time = await bench.during(
      startService(database, {}, command),
      async () => performance.now() - startedAt,
    )
    // The first one reads the files from the disk.
    if (turn > 0) times.push(time)
  }
  return {
    name,
    value: median(times),
    unit: 'ms',
    spread: spread(times),
    reach: reaches[name],
  }
}

export const ready: Row = {
  name: 'ready',
  measures: 'milliseconds from process start to /readyz 200; memory after many requests for /leads',
  reaches: { ...reaches, 'memory, end against half': flat },
  async run(bench) {
    const database = await bench.database(bench.options.sizes.large)
    const total = bench.options.long ? 1_000_000 : 100_000
    bench.note(`ready: ${starts} starts after one to warm up; ${keysTotal} keys in memory.`)
    const requests = database.keys.map(key => getRequest('/api/v1/leads?limit=50', key))
    const binary = await buildBinary(benchDir)
    return [
      await startTimes(bench, database, 'ready after'),
      await startTimes(bench, database, 'ready after, the binary', [binary]),
      ...memoryFigures(await memoryCurve(bench, database, total, requests), total),
    ]
  },
}
