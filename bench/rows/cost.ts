// cost: what a request and a delivery take of the machine, in the service and in PostgreSQL. To look at: there is
// nothing to reach, but what costs more than before shows here.
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../databases.ts'
import {
  countStatements,
  type Delivered,
  deliverStored,
  eventBody,
  type Place,
} from '../delivering.ts'
import { type Running, startServiceProcess } from '../processes.ts'
import { openReceiver } from '../receiver.ts'
import type { Figure, Row } from '../row.ts'
import { type RequestKind, requestKinds } from '../samples.ts'
import { withSql } from '../session.ts'
import { median, spread } from '../statistics.ts'
import { cpuSecondsOf, memoryOf, postgresCpuSeconds } from '../usage.ts'

const connections = 16
const countedTotal = 8_000
const deliveriesTotal = 12_000
// With collection off a process grows by all that it allocates.
const uncollected = { BUN_JSC_useGC: '0' }
// A worker looks for work by the clock, which would be counted.
const counting = { ...uncollected, ROLES: 'api' }

type Cpu = { own: number; postgres: number; bodyBytes: number }
type Counted = { statements: number; allocatedBytes: number }

/** Milliseconds of a core per request. */
async function cpuOf(
  bench: Bench,
  { url }: BenchDatabase,
  { port, pids }: Running,
  kind: RequestKind,
) {
  return await withSql(url, async sql => {
    const read = async () => ({ own: cpuSecondsOf(pids), postgres: await postgresCpuSeconds(sql) })
    const before = await read()
    const { requests, bodyBytes } = await bench.load.saturate({
      port,
      connections,
      until: { seconds: bench.options.seconds },
      requests: kind.requests,
    })
    const after = await read()
    const each = (part: keyof typeof after) => ((after[part] - before[part]) * 1_000) / requests
    return { own: each('own'), postgres: each('postgres'), bodyBytes }
  })
}

/** In a process of its own, so that all of its sessions have ended and reported their counts; its start takes a dozen. */
async function countKind(
  bench: Bench,
  database: BenchDatabase,
  { requests }: RequestKind,
): Promise<Counted> {
  const { value, statements } = await countStatements(database, () =>
    bench.during(startServiceProcess(database, counting), async ({ port, pids }) => {
      const until = { requests: countedTotal }
      const ask = () => bench.load.saturate({ port, connections, until, requests })
      // Code that is not compiled yet allocates more.
      await ask()
      const before = await memoryOf(pids)
      await ask()
      return (await memoryOf(pids)) - before
    }),
  )
  return { statements: statements / (countedTotal * 2), allocatedBytes: value / countedTotal }
}

function figuresOf(name: string, cpu: Cpu[], { statements, allocatedBytes }: Counted): Figure[] {
  const milliseconds = (part: 'own' | 'postgres', detail?: string): Figure => {
    const values = cpu.map(one => one[part])
    const whose = part === 'own' ? 'the service' : 'PostgreSQL'
    return {
      name: `${name}: CPU of ${whose}`,
      value: median(values),
      unit: 'ms',
      spread: spread(values),
      ...(detail && { detail }),
    }
  }
  return [
    milliseconds('own'),
    milliseconds('postgres'),
    { name: `${name}: statements`, value: statements, unit: '' },
    { name: `${name}: allocated`, value: allocatedBytes / 1024, unit: 'KB' },
    { name: `${name}: body`, value: (cpu[0]?.bodyBytes ?? Number.NaN) / 1024, unit: 'KB' },
  ]
}

async function requestFigures(bench: Bench, database: BenchDatabase): Promise<Figure[]> {
  const kinds = (await requestKinds(database)).map(kind => ({ ...kind, cpu: [] as Cpu[] }))
  await bench.during(startServiceProcess(database), async service => {
    // The first round warms up.
    for (let round = 0; round <= bench.options.rounds; round += 1)
      for (const kind of kinds) {
        const one = await cpuOf(bench, database, service, kind)
        if (round > 0) kind.cpu.push(one)
      }
  })
  const figures: Figure[] = []
  for (const kind of kinds)
    figures.push(...figuresOf(kind.name, kind.cpu, await countKind(bench, database, kind)))
  return figures
}

async function deliveryFigures(place: Place): Promise<Figure[]> {
  const delivered: Delivered[] = []
  while (delivered.length < place.bench.options.rounds)
    delivered.push(await deliverStored(place, deliveriesTotal, 1))
  const bodyBytes = (await eventBody(place)).length
  const { grownBytes } = await deliverStored(place, deliveriesTotal, 1, { env: uncollected })
  return figuresOf(
    'delivery',
    delivered.map(({ cpuMs, postgresCpuMs }) => ({
      own: cpuMs,
      postgres: postgresCpuMs,
      bodyBytes,
    })),
    {
      statements: median(delivered.map(({ statements }) => statements)),
      allocatedBytes: grownBytes,
    },
  )
}

export const cost: Row = {
  name: 'cost',
  measures:
    'milliseconds of a core, statements and bytes of a request and of a delivery, saturated',
  reaches: {},
  async run(bench) {
    const { small } = bench.options.sizes
    const database = await bench.database(small)
    bench.note(
      `cost: ${small.toLocaleString('en')} leads, one round to warm up. Allocated is what a process grows by (RSS) per request when it never collects.`,
    )
    const figures = await requestFigures(bench, database)
    const deliveries = await bench.database(small, 'deliveries')
    const receiver = await openReceiver(bench)
    return [...figures, ...(await deliveryFigures({ bench, database: deliveries, receiver }))]
  },
}
