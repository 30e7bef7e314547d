// A server under as much load as it takes, as a subject of rounds; and what cannot be one.
import type { Bench } from './bench.ts'
import type { BenchDatabase } from './databases.ts'
import type { Running } from './processes.ts'
import { poolSizes, type ReadPeer } from './read_peer.ts'
import { best, type Subject } from './rounds.ts'
import type { Figure, Reach } from './row.ts'
import { median, spread } from './statistics.ts'

const connectionCounts = [8, 16, 32]

export type Http = Subject & { bodyBytes(): number; cpu(): number }

/** A server at the number of connections that suits it best. The search warms it up, too. */
export async function openHttp(
  bench: Bench,
  name: string,
  { port }: Running,
  requests: string[],
): Promise<Http> {
  let bodyBytes = 0
  let cpu = 0
  const rate = async (connections: number, seconds: number) => {
    const until = { seconds }
    const outcome = await bench.load.saturate({ port, connections, until, requests })
    bodyBytes = outcome.bodyBytes
    cpu = outcome.cpu
    return outcome.requests / outcome.seconds
  }
  const connections = await best(connectionCounts, count => rate(count, 1))
  bench.note(`${name}: best at ${connections} connections.`)
  return {
    name,
    measure: () => rate(connections, bench.options.seconds),
    bodyBytes: () => bodyBytes,
    cpu: () => cpu,
  }
}

/** With the pool that suits it best; runs until the row is over. */
export async function startPeer(
  bench: Bench,
  database: BenchDatabase,
  peer: ReadPeer,
): Promise<Running> {
  const requests = [peer.request('list', '')]
  const poolMax = await best(poolSizes, size =>
    bench.during(peer.start(database, size), async ({ port }) => {
      const plan = { port, connections: 16, requests }
      await bench.load.saturate({ ...plan, until: { seconds: 1 } })
      const { requests: answered, seconds } = await bench.load.saturate({
        ...plan,
        until: { seconds: 1.5 },
      })
      return answered / seconds
    }),
  )
  bench.note(`${peer.name}: best with a pool of ${poolMax}.`)
  return await bench.keep(peer.start(database, poolMax))
}

export type Missing = { missing: string }
export type Measured = { rates: number[] } | Missing

/** What cannot be opened is missing, with the reason, and the others are measured without it. */
export const orMissing = <Value>(opened: Promise<Value>): Promise<Value | Missing> =>
  opened.catch((error: Error) => ({ missing: error.message }))

export const rateOf = (name: string, measured: Measured): Figure =>
  'missing' in measured
    ? { name, value: null, unit: '/s', detail: measured.missing }
    : { name, value: median(measured.rates), unit: '/s', spread: spread(measured.rates) }

/** Round by round. */
export function ratioFigure(
  name: string,
  reach: Reach | undefined,
  over: number[],
  under: Measured,
): Figure {
  const figure = { name, unit: '×', ...(reach && { reach }) }
  if ('missing' in under) return { ...figure, value: null, detail: under.missing }
  const ratios = over.map((rate, round) => rate / (under.rates[round] ?? Number.NaN))
  return { ...figure, value: median(ratios), spread: spread(ratios) }
}
