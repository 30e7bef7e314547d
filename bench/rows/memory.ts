// memory: what a service holds while it answers a million requests, and a hundred thousand messages to the tool server.
import { basePath } from '../../src/api/rest/routes.ts'
import type { Bench, BenchDatabase } from '../bench.ts'
import { type Figure, median, type Row, slope } from '../figures.ts'
import { getRequest } from '../load/load.ts'
import { memoryOf, startServiceProcess } from '../processes.ts'
import { samplesOf } from '../samples.ts'
import { toolMessages } from '../tools.ts'

const parts = 10
const connections = 16
const watchMs = 100
const megabyte = 1024 * 1024
const reach = { atMost: 160 }
// The first half fills caches and compiles.
const growthReach = { atMost: 5 }

/** Pages of leads and of events, single leads and searches in turn. */
async function mixedRequests(database: BenchDatabase): Promise<string[]> {
  const { lead, 'a whole name': names } = await samplesOf(database)
  const kinds: ((turn: number) => string)[] = [
    () => '/leads?limit=50',
    turn => `/leads/${lead[turn % lead.length]}`,
    turn => `/leads?search=${encodeURIComponent(names[turn % names.length] ?? '')}`,
    () => '/events?limit=100',
  ]
  return database.keys.map((key, turn) =>
    getRequest(basePath + kinds[turn % kinds.length]?.(turn), key),
  )
}

/** The median of many moments of each tenth of the work: between two collections memory rises and falls. */
async function measure(
  bench: Bench,
  database: BenchDatabase,
  total: number,
  requests: string[],
  kind: string,
): Promise<Figure[]> {
  return await bench.during(startServiceProcess(database), async ({ port, pid }) => {
    const until = { requests: Math.ceil(total / parts) }
    const tenths: number[] = []
    while (tenths.length < parts) {
      const moments: number[] = []
      const watching = setInterval(() => moments.push(memoryOf(pid) / megabyte), watchMs)
      await bench.load
        .saturate({ port, connections, until, requests })
        .finally(() => clearInterval(watching))
      tenths.push(median([...moments, memoryOf(pid) / megabyte]))
    }
    const lastHalf = tenths.slice(parts / 2)
    const over = `${total.toLocaleString('en')} ${kind}`
    return [
      {
        name: `RSS after ${over}`,
        value: tenths.at(-1) ?? Number.NaN,
        unit: 'MB',
        reach,
        detail: `each tenth ${tenths.map(Math.round).join(' ')}; greatest ${Math.round(memoryOf(pid, 'VmHWM') / megabyte)}`,
      },
      {
        name: `growth over the last half of ${over}`,
        value: slope(lastHalf) * (lastHalf.length - 1),
        unit: 'MB',
        reach: growthReach,
      },
    ]
  })
}

export const memory: Row = {
  name: 'memory',
  measures: 'megabytes (RSS) of a service over a million requests and 100,000 tool messages',
  async run(bench) {
    const { quick, sizes } = bench.options
    const database = await bench.database(sizes.small)
    const [requests, messages] = quick ? [20_000, 5_000] : [1_000_000, 100_000]
    return [
      ...(await measure(bench, database, requests, await mixedRequests(database), 'requests')),
      ...(await measure(bench, database, messages, await toolMessages(database), 'tool messages')),
    ]
  },
}
