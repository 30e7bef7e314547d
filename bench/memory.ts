// What memory a service holds over a long time of work.
import type { Bench } from './bench.ts'
import type { BenchDatabase } from './databases.ts'
import { type Running, startServiceProcess } from './processes.ts'
import type { Figure, Reach } from './row.ts'
import { median, slope, spread } from './statistics.ts'
import { memoryOf, memoryPeakOf } from './usage.ts'

export const parts = 10
const connections = 16
const watchMs = 100
const megabyte = 1024 * 1024

export const memoryReaches = {
  'memory (RSS) at the end': { atMost: 150 },
  'memory, greatest': { atMost: 150 },
  // The first half fills caches and compiles.
  'memory, growth of the last half': { atMost: 5 },
} satisfies Record<string, Reach>

export type MemoryCurve = { megabytes: number[]; greatest: number }

/**
 * Memory of a service before, and in each tenth of its work: the median of many moments. Between two collections it
 * rises and falls, so that one moment of each tenth would show a growth that there is not.
 */
export async function memoryCurve(
  { pids }: Running,
  workTenth: (tenth: number) => Promise<unknown>,
): Promise<MemoryCurve> {
  const read = async () => (await memoryOf(pids)) / megabyte
  const megabytes = [await read()]
  for (let tenth = 1; tenth <= parts; tenth += 1) {
    const moments: number[] = []
    // That a service ended is reported by the work.
    const watch = () =>
      void read().then(
        moment => moments.push(moment),
        () => {},
      )
    const watching = setInterval(watch, watchMs)
    try {
      await workTenth(tenth)
    } finally {
      clearInterval(watching)
    }
    megabytes.push(median([...moments, await read()]))
  }
  const peak = memoryPeakOf(pids) / megabyte
  return { megabytes, greatest: Number.isNaN(peak) ? Math.max(...megabytes) : peak }
}

/** Of a service that answers `total` requests. */
export const requestMemory = (
  bench: Bench,
  database: BenchDatabase,
  total: number,
  requests: string[],
): Promise<MemoryCurve> =>
  bench.during(startServiceProcess(database), service => {
    const until = { requests: total / parts }
    const plan = { port: service.port, connections, until, requests }
    return memoryCurve(service, () => bench.load.saturate(plan))
  })

/** `over` says what the work was: 100,000 requests. */
export function memoryFigures({ megabytes, greatest }: MemoryCurve, over: string): Figure[] {
  const lastHalf = megabytes.slice(parts / 2)
  const growth = slope(lastHalf) * (lastHalf.length - 1)
  const values: Record<keyof typeof memoryReaches, number> = {
    'memory (RSS) at the end': megabytes.at(-1) ?? Number.NaN,
    'memory, greatest': greatest,
    'memory, growth of the last half': growth,
  }
  return Object.entries(memoryReaches).map(([name, reach]) => ({
    name: `${name}, ${over}`,
    value: values[name as keyof typeof values],
    unit: 'MB',
    reach,
    ...(name === 'memory (RSS) at the end' && {
      spread: spread(megabytes),
      detail: `before, and in each tenth: ${megabytes.map(Math.round).join(' ')}`,
    }),
  }))
}
