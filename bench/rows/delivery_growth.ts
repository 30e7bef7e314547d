// delivery_growth: deliveries per second with more subscriptions to the same events, and with more processes.
import {
  type Delivered,
  deliverEvents,
  deliverStored,
  type Place,
  warmUpMax,
} from '../delivering.ts'
import { ratioFigure } from '../http_subject.ts'
import { openReceiver } from '../receiver.ts'
import { alternateRounds } from '../rounds.ts'
import type { Figure, Reach, Row } from '../row.ts'
import { median, spread } from '../statistics.ts'
import { countSubscriptions } from '../subscriptions.ts'

// A multiple of every number of subscriptions. Of fewer, compiling and a thousand handshakes would be what is measured.
const timed = 40_000

// Each process compiles for itself, which takes longer the more of them share two cores; and with few deliveries for each,
// some processes end long before others.
const warmUpEach = 60_000
const timedEach = 40_000

// As elsewhere: one may take 1.2 times as long.
const moreSubscriptions: Reach = { atLeast: 0.83 }
// On two cores, which the receiver and PostgreSQL need too.
const moreProcesses = (count: number): Reach => ({ atLeast: count === 2 ? 1 : 0.9 })
// A subscription has one process: with one of them the others only stand by.
const shared = 50

type Curve = {
  of: string
  /** The first is what the others are compared with. */
  counts: number[]
  reachOf(count: number): Reach
  deliver(place: Place, count: number): Promise<Delivered>
}

const curves: Curve[] = [
  {
    of: 'subscriptions',
    counts: [1, 10, 100, 1_000],
    reachOf: () => moreSubscriptions,
    deliver: (place, count) => deliverEvents(place, warmUpMax + timed, count),
  },
  ...[1, shared].map(subscriptions => ({
    of: `processes, ${countSubscriptions(subscriptions)}`,
    counts: [1, 2, 4],
    reachOf: moreProcesses,
    deliver: (place: Place, processes: number) =>
      deliverStored(place, (warmUpEach + timedEach) * processes, subscriptions, {
        processes,
        warmUp: warmUpEach * processes,
      }),
  })),
]

const ratioName = ({ of }: Curve, count: number) => `${of}: ${count.toLocaleString('en')} / 1`

async function measure(place: Place, curve: Curve): Promise<Figure[]> {
  const subjects = curve.counts.map(count => ({
    name: `${curve.of}: ${count.toLocaleString('en')}`,
    measure: async () => (await curve.deliver(place, count)).rate,
  }))
  const rates = await alternateRounds(subjects, place.bench.options.rounds)
  const [first = []] = rates
  return rates.flatMap((own, index): Figure[] => {
    const { name = '' } = subjects[index] ?? {}
    const rate = { name, value: median(own), unit: '/s', spread: spread(own) }
    const count = curve.counts[index] ?? 0
    return index === 0
      ? [rate]
      : [rate, ratioFigure(ratioName(curve, count), curve.reachOf(count), own, { rates: first })]
  })
}

export const deliveryGrowth: Row = {
  name: 'delivery_growth',
  measures: 'deliveries per second with 1 to 1,000 subscriptions, and with 1 to 4 processes',
  reaches: Object.fromEntries(
    curves.flatMap(curve =>
      curve.counts.slice(1).map(count => [ratioName(curve, count), curve.reachOf(count)]),
    ),
  ),
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small, 'deliveries')
    const place = { bench, database, receiver: await openReceiver(bench) }
    bench.note(
      `delivery_growth: ${timed.toLocaleString('en')} deliveries a round, after ${warmUpMax.toLocaleString('en')} to warm up: events to all subscriptions through the outbox. For processes queued ones: ${timedEach.toLocaleString('en')} for each, after ${warmUpEach.toLocaleString('en')}.`,
    )
    const figures: Figure[] = []
    for (const curve of curves) figures.push(...(await measure(place, curve)))
    return figures
  },
}
