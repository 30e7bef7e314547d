// ready: how soon a process serves on a migrated database, and what memory it holds after many requests.
import { existsSync, readFileSync } from 'node:fs'
import type { Bench } from '../bench.ts'
import { type BenchDatabase, keysTotal } from '../databases.ts'
import { getRequest } from '../load/plan.ts'
import { type Running, startService } from '../processes.ts'
import type { Figure, Row } from '../row.ts'
import { median, spread } from '../statistics.ts'

const starts = 10
const samples = 10
const connections = 16

const reaches = { 'ready after': { atMost: 300 }, 'memory (RSS)': { atMost: 150 } }
// Over the second half of the requests; the first half fills caches and compiles.
const flat = { atMost: 1.05 }

async function startTimes(bench: Bench, database: BenchDatabase): Promise<Figure> {
  const times: number[] = []
  for (let turn = 0; turn <= starts; turn += 1) {
    const startedAt = performance.now()
    const time = await bench.during(
      startService(database),
      async () => performance.now() - startedAt,
    )
    // The first one reads the files from the disk.
    if (turn > 0) times.push(time)
  }
  return {
    name: 'ready after',
    value: median(times),
    unit: 'ms',
    spread: spread(times),
    reach: reaches['ready after'],
  }
}

/** Megabytes, of the whole process with its threads. */
async function memoryOf({ pid }: Running): Promise<number> {
  const status = `/proc/${pid}/status`
  const kilobytes = existsSync(status)
    ? /VmRSS:\s*(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]
    : await Bun.$`ps -o rss= -p ${pid}`.text()
  return Number(kilobytes) / 1024
}

async function memoryCurve(bench: Bench, database: BenchDatabase, total: number) {
  return await bench.during(startService(database), async service => {
    const curve = [await memoryOf(service)]
    const requests = database.keys.map(key => getRequest('/api/v1/leads?limit=50', key))
    for (let turn = 0; turn < samples; turn += 1) {
      const until = { requests: total / samples }
      await bench.load.saturate({ port: service.port, connections, until, requests })
      curve.push(await memoryOf(service))
    }
    return curve
  })
}

function memoryFigures(curve: number[], total: number): Figure[] {
  const end = curve.at(-1) ?? Number.NaN
  const half = curve[curve.length >> 1] ?? Number.NaN
  return [
    {
      name: 'memory (RSS)',
      value: end,
      unit: 'MB',
      spread: spread(curve),
      reach: reaches['memory (RSS)'],
      detail: `after each tenth of ${total.toLocaleString('en')}: ${curve.map(Math.round).join(' ')}`,
    },
    { name: 'memory, end against half', value: end / half, unit: '×', reach: flat },
  ]
}

export const ready: Row = {
  name: 'ready',
  measures: 'milliseconds from process start to /readyz 200; memory after many requests for /leads',
  reaches: { ...reaches, 'memory, end against half': flat },
  async run(bench) {
    const database = await bench.database(bench.options.sizes.large)
    const total = bench.options.long ? 1_000_000 : 100_000
    bench.note(`ready: ${starts} starts after one to warm up; ${keysTotal} keys in memory.`)
    const startFigure = await startTimes(bench, database)
    return [startFigure, ...memoryFigures(await memoryCurve(bench, database, total), total)]
  },
}
