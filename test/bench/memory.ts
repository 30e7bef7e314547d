// What memory a service holds over many requests.
import { existsSync, readFileSync } from 'node:fs'
import type { Bench } from './bench.ts'
import type { BenchDatabase } from './databases.ts'
import { type Running, startService } from './processes.ts'
import type { Figure } from './row.ts'
import { spread } from './statistics.ts'

const samples = 10
const connections = 16

export const memoryMax = { atMost: 150 }
// Over the second half of the requests; the first half fills caches and compiles.
export const flat = { atMost: 1.05 }

/** Megabytes, of the whole process with its threads. */
async function memoryOf({ pid }: Running): Promise<number> {
  const status = `/proc/${pid}/status`
  const kilobytes = existsSync(status)
    ? /VmRSS:\s*(\d+)/.exec(readFileSync(status, 'utf8'))?.[1]
    : await Bun.$`ps -o rss= -p ${pid}`.text()
  return Number(kilobytes) / 1024
}

/** Memory of a service before, and after each tenth of `total` requests. */
export async function memoryCurve(
  bench: Bench,
  database: BenchDatabase,
  total: number,
  requests: string[],
): Promise<number[]> {
  return await bench.during(startService(database), async service => {
    const curve = [await memoryOf(service)]
    for (let turn = 0; turn < samples; turn += 1) {
      const until = { requests: total / samples }
      await bench.load.saturate({ port: service.port, connections, until, requests })
      curve.push(await memoryOf(service))
    }
    return curve
  })
}

export function memoryFigures(curve: number[], total: number): Figure[] {
  const end = curve.at(-1) ?? Number.NaN
  const half = curve[curve.length >> 1] ?? Number.NaN
  return [
    {
      name: 'memory (RSS)',
      value: end,
      unit: 'MB',
      spread: spread(curve),
      reach: memoryMax,
      detail: `after each tenth of ${total.toLocaleString('en')}: ${curve.map(Math.round).join(' ')}`,
    },
    { name: 'memory, end against half', value: end / half, unit: '×', reach: flat },
  ]
}
