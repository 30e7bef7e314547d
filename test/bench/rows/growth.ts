// growth: what a hundred times as many leads cost each GET, one request at a time, in turn to both databases.
import { basePath } from '../../../src/rest/routes.ts'
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../databases.ts'
import { getRequest } from '../load/plan.ts'
import { startService } from '../processes.ts'
import type { Figure, Row } from '../row.ts'
import { samplePaths, targets } from '../samples.ts'
import { median, spread } from '../statistics.ts'

const timesPerRound = 100
const warmUpTimes = 200
const reach = { atMost: 1.2 }

type Side = { port: number; database: BenchDatabase; paths: Record<string, string[]> }

// Coprime with the number of samples and of keys, so that runs over both are long.
const step = 7

/** So many requests, over all samples and keys in turn. */
function requestsOf({ database: { keys }, paths }: Side, target: string, times: number) {
  const own = paths[target] ?? []
  return Array.from({ length: times }, (_, turn) =>
    getRequest(basePath + own[turn % own.length], keys[(turn * step) % keys.length]),
  )
}

/** Milliseconds by side. */
async function timesOf(bench: Bench, sides: Side[], target: string, times: number) {
  const outcome = await bench.load.alternate({
    ports: sides.map(({ port }) => port),
    times,
    requests: sides.map(side => requestsOf(side, target, times)),
  })
  return outcome.times
}

const milliseconds = (rounds: number[]) => median(rounds).toFixed(2)

async function measure(bench: Bench, sides: Side[]): Promise<Figure[]> {
  const medians = new Map(targets.map(target => [target, [[], []] as [number[], number[]]]))
  for (const target of targets) await timesOf(bench, sides, target, warmUpTimes)
  for (let round = 0; round < bench.options.rounds; round += 1)
    for (const [target, [small, large]] of medians) {
      const times = await timesOf(bench, sides, target, timesPerRound)
      small.push(median(times[0] ?? []))
      large.push(median(times[1] ?? []))
    }
  return [...medians].map(([target, [small, large]]) => {
    const ratios = large.map((time, round) => time / (small[round] ?? Number.NaN))
    return {
      name: target,
      value: median(ratios),
      unit: '×',
      spread: spread(ratios),
      reach,
      detail: `p50 ${milliseconds(small)} → ${milliseconds(large)} ms`,
    }
  })
}

export const growth: Row = {
  name: 'growth',
  measures: 'p50 of every GET at the large size against the small one, one request at a time',
  reaches: { 'every GET': reach },
  async run(bench) {
    const { small, large } = bench.options.sizes
    const smallDatabase = await bench.database(small)
    const largeDatabase = await bench.database(large)
    bench.note(
      `growth: ${warmUpTimes} requests of each kind to warm up, then ${timesPerRound} a round and size.`,
    )
    return await bench.during(startService(smallDatabase), one =>
      bench.during(startService(largeDatabase), async other =>
        measure(bench, [
          { port: one.port, database: smallDatabase, paths: await samplePaths(smallDatabase) },
          { port: other.port, database: largeDatabase, paths: await samplePaths(largeDatabase) },
        ]),
      ),
    )
  },
}
