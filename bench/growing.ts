// The same requests to the service on databases of growing size, one at a time and in turn, so that a slow minute of
// the machine falls on all of them.
import type { Bench } from './bench.ts'
import type { BenchDatabase } from './databases.ts'
import { getRequest } from './load/plan.ts'
import { type Running, startServiceProcess } from './processes.ts'
import type { Figure, Reach } from './row.ts'
import { median, quantile, spread } from './statistics.ts'

export const timesPerRound = 100
export const warmUpTimes = 200
export const growthReach: Reach = { atMost: 1.2 }

/** One size: what is asked for by target, in turn. */
export type Side = { database: BenchDatabase; paths: Record<string, string[]> }
type ReachOf = (target: string) => Reach | undefined
type Started = Side & { port: number }

// Coprime with the number of samples and of keys, so that runs over both are long.
const step = 7

/** So many requests, over all samples and keys in turn. */
function requestsOf({ database: { keys }, paths }: Side, target: string, times: number) {
  const own = paths[target] ?? []
  return Array.from({ length: times }, (_, turn) =>
    getRequest(own[turn % own.length] ?? '', keys[(turn * step) % keys.length]),
  )
}

/** Milliseconds by side. */
async function timesOf(bench: Bench, sides: Started[], target: string, times: number) {
  const outcome = await bench.load.alternate({
    ports: sides.map(({ port }) => port),
    times,
    requests: sides.map(side => requestsOf(side, target, times)),
  })
  return outcome.times
}

/** By side, the times of each round. */
type Rounds = number[][][]

/** Figure: the greatest p50 of the others over that of the first. */
function figureOf(name: string, rounds: Rounds, reach: Reach | undefined): Figure {
  const [first = [], ...others] = rounds.map(times => times.map(median))
  const ratios = first.map((time, round) =>
    Math.max(...others.map(medians => (medians[round] ?? Number.NaN) / time)),
  )
  const shown = (share: number) =>
    rounds.map(times => quantile(times.flat(), share).toFixed(2)).join(' → ')
  return {
    name,
    value: median(ratios),
    unit: '×',
    spread: spread(ratios),
    ...(reach && { reach }),
    detail: `p50 ${shown(0.5)} ms, p99 ${shown(0.99)} ms`,
  }
}

async function measure(bench: Bench, sides: Started[], reachOf: ReachOf): Promise<Figure[]> {
  const targets = Object.keys(sides[0]?.paths ?? {})
  const measured = new Map(targets.map(target => [target, sides.map(() => []) as Rounds]))
  for (const target of targets) await timesOf(bench, sides, target, warmUpTimes)
  for (let round = 0; round < bench.options.rounds; round += 1)
    for (const [target, rounds] of measured) {
      const times = await timesOf(bench, sides, target, timesPerRound)
      for (const [place, own] of times.entries()) rounds[place]?.push(own)
    }
  return [...measured].map(([target, rounds]) => figureOf(target, rounds, reachOf(target)))
}

/** A service for each size, the smallest first; the limit of requests is no part of it. */
export async function measureGrowth(
  bench: Bench,
  sides: Side[],
  reachOf: ReachOf = () => growthReach,
): Promise<Figure[]> {
  const started: Started[] = []
  for (const side of sides) {
    const env = { RATE_LIMIT_PER_MINUTE: '1000000' }
    const { port }: Running = await bench.keep(startServiceProcess(side.database, env))
    started.push({ ...side, port })
  }
  return await measure(bench, started, reachOf)
}
