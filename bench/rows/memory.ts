// memory: what a service holds while it answers a million requests, and a hundred thousand messages to the tool server.
import { basePath } from '../../src/operations/contract.ts'
import type { Bench, BenchDatabase } from '../bench.ts'
import { type Figure, median, type Row } from '../figures.ts'
import { getRequest } from '../load/load.ts'
import { memoryOf, startServiceProcess } from '../processes.ts'
import { samplesOf } from '../samples.ts'
import { toolMessages } from '../tools.ts'

const connections = 16
const megabyte = 1024 * 1024

/** Pages of leads and of events, single leads and searches in turn. */
async function mixedRequests(database: BenchDatabase): Promise<string[]> {
  const { lead, 'a whole name': names } = await samplesOf(database)
  const kinds: ((turn: number) => string)[] = [
    () => '/leads?limit=50',
    turn => `/leads/${lead[turn % lead.length]}`,
    turn => `/leads?search=${encodeURIComponent(names[turn % names.length] ?? '')}`,
    () => '/events?limit=100&types=lead.created',
  ]
  return database.keys.map((key, turn) =>
    getRequest(basePath + kinds[turn % kinds.length]?.(turn), key),
  )
}

/** Between two collections memory rises and falls, so each half of the work has the median of many moments. */
async function measure(
  bench: Bench,
  database: BenchDatabase,
  total: number,
  requests: string[],
  kind: string,
): Promise<Figure[]> {
  const { port, pid, stop } = await bench.keep(startServiceProcess(database))
  const half = async () => {
    const moments: number[] = []
    const watching = setInterval(() => moments.push(memoryOf(pid) / megabyte), 100)
    const until = { requests: total / 2 }
    await bench.load
      .saturate({ port, connections, until, requests })
      .finally(() => clearInterval(watching))
    return median([...moments, memoryOf(pid) / megabyte])
  }
  const halves = [await half(), await half()] as const
  const detail = `greatest ${Math.round(memoryOf(pid, 'VmHWM') / megabyte)} MB`
  await stop()
  const over = `${total.toLocaleString('en')} ${kind}`
  return [
    { name: `RSS over ${over}`, value: halves[1], unit: 'MB', reach: { atMost: 160 }, detail },
    {
      name: `second half / first, ${over}`,
      value: halves[1] / halves[0],
      unit: '×',
      // The first half fills caches and compiles.
      reach: { atMost: 1.1 },
    },
  ]
}

export const memory: Row = {
  name: 'memory',
  measures: 'megabytes (RSS) of a service over a million requests and 100,000 tool messages',
  async run(bench) {
    const { quick, sizes } = bench.options
    const database = await bench.database(sizes.small)
    const [requests, messages] = quick ? [10_000, 2_000] : [1_000_000, 100_000]
    return [
      ...(await measure(bench, database, requests, await mixedRequests(database), 'requests')),
      ...(await measure(bench, database, messages, await toolMessages(database), 'tool messages')),
    ]
  },
}
