// ready: how soon a process serves on a migrated database.
import { buildBinary } from '../../test/support/process/binary.ts'
import type { Bench } from '../bench.ts'
import { type BenchDatabase, keysTotal } from '../databases.ts'
import { benchDir, startServiceProcess } from '../processes.ts'
import type { Figure, Row } from '../row.ts'
import { median, spread } from '../statistics.ts'

const starts = 10

const reaches = {
  'ready after': { atMost: 300 },
  'ready after, the binary': { atMost: 300 },
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
      startServiceProcess(database, {}, command),
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
  measures: 'milliseconds from process start to /readyz 200',
  reaches,
  async run(bench) {
    const database = await bench.database(bench.options.sizes.large)
    bench.note(`ready: ${starts} starts after one to warm up; ${keysTotal} keys in memory.`)
    const binary = await buildBinary(benchDir)
    return [
      await startTimes(bench, database, 'ready after'),
      await startTimes(bench, database, 'ready after, the binary', [binary]),
    ]
  },
}
