// delivery_lag: from a commit, as its writer hears of it, to the receipt of the event, at half of the greatest load the
// writers can make, and how many statements a delivery takes.
import { deliverEvents, type Place } from '../delivering.ts'
import { lagsFrom } from '../lags.ts'
import { openReceiver } from '../receiver.ts'
import type { Figure, Row } from '../row.ts'
import { median, quantile, spread } from '../statistics.ts'
import { eventType, prepared, startDelivering, subscribeAll } from '../subscriptions.ts'
import { writeEvents } from '../writer.ts'

const reaches = {
  'p50 at half load': { atMost: 4 },
  'p99 at half load': { atMost: 20 },
  'statements per delivery, saturated': { atMost: 1 },
}
const connections = 8
const probeTotal = 4_000
const queuedMax = 60_000
const saturationsMax = 3
// What the writers are given to do as fast as they can, per second of a round; and no pace that would hold them.
const greatestPerSecond = 2_500
const unpaced = 1_000_000

type Round = {
  p50: number
  p99: number
  /** From before the commit. */
  madeP50: number
  madeP99: number
  writtenPerSecond: number
  lateMs: number
}

async function measureRound(place: Place, perSecond: number, seconds: number): Promise<Round> {
  const { database, receiver } = place
  const total = Math.ceil(perSecond * seconds)
  await receiver.begin()
  const plan = { url: database.url, perSecond, total, connections, eventTypes: [eventType] }
  const written = await writeEvents(plan)
  const { seconds: took, lateMs } = written
  await receiver.reached(total)
  const receipts = await receiver.receipts()
  const sinceMade = receipts.lags
  const lags = lagsFrom(written, receipts)
  return {
    p50: quantile(lags, 0.5),
    p99: quantile(lags, 0.99),
    madeP50: quantile(sinceMade, 0.5),
    madeP99: quantile(sinceMade, 0.99),
    writtenPerSecond: total / took,
    lateMs,
  }
}

/** A live service under a steady load: the lags of each round, and the statements of all of it. */
async function measureHalfLoad(place: Place) {
  const { bench, database, receiver } = place
  const { rounds, seconds } = bench.options
  await prepared(database, sql => subscribeAll(sql, receiver, 1))
  return await bench.during(startDelivering(database, receiver), async () => {
    const greatest: number[] = []
    while (greatest.length < 1 + saturationsMax) greatest.push(await measureGreatest(place))
    // The first one warmed up.
    const perSecond = median(greatest.slice(1)) / 2
    const measured: Round[] = []
    while (measured.length < rounds) measured.push(await measureRound(place, perSecond, seconds))
    return { perSecond, measured }
  })
}

/** Statements per delivery when as many as there can be are on their way. */
async function countSaturated(place: Place): Promise<number[]> {
  const { seconds, rounds } = place.bench.options
  const probe = await deliverEvents(place, probeTotal)
  const total = Math.ceil(Math.min(queuedMax, Math.max(probeTotal, probe.rate * seconds)))
  const counts: number[] = []
  while (counts.length < Math.min(rounds, saturationsMax))
    counts.push((await deliverEvents(place, total)).statements)
  return counts
}

/**
 * The greatest load, in events per second: what the writers commit as fast as they can, one transaction each, until
 * the last of them is received. A queue is worked off faster: no one writes meanwhile.
 */
async function measureGreatest({ database, receiver, bench }: Place): Promise<number> {
  const total = Math.ceil(greatestPerSecond * bench.options.seconds)
  await receiver.begin()
  const plan = { url: database.url, perSecond: unpaced, connections, eventTypes: [eventType] }
  const { seconds } = await writeEvents({ ...plan, total })
  const from = performance.now()
  await receiver.reached(total)
  return total / (seconds + (performance.now() - from) / 1_000)
}

async function measure(place: Place): Promise<Figure[]> {
  const saturated = await countSaturated(place)
  const { perSecond, measured } = await measureHalfLoad(place)
  const of = (member: keyof Round) => measured.map(round => round[member])
  const before = (member: keyof Round) =>
    `${median(of(member)).toFixed(2)} ms from before the commit, which waits for the disk`
  const lag = (name: keyof typeof reaches, values: number[], detail = ''): Figure => ({
    name,
    value: median(values),
    unit: 'ms',
    spread: spread(values),
    reach: reaches[name],
    detail,
  })
  return [
    {
      name: 'half load',
      value: perSecond,
      unit: '/s',
      detail: `offered over ${connections} connections; written ${Math.round(median(of('writtenPerSecond')))} /s, at worst ${Math.max(...of('lateMs')).toFixed(0)} ms late`,
    },
    lag('p50 at half load', of('p50'), before('madeP50')),
    lag('p99 at half load', of('p99'), before('madeP99')),
    {
      name: 'statements per delivery, saturated',
      value: median(saturated),
      unit: '',
      spread: spread(saturated),
      reach: reaches['statements per delivery, saturated'],
      detail: 'transactions of the database, sequencing and start included',
    },
  ]
}

export const deliveryLag: Row = {
  name: 'delivery_lag',
  measures: 'commit to receipt at half of the greatest load, and statements per delivery',
  reaches,
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small, 'deliveries')
    return await measure({ bench, database, receiver: await openReceiver(bench) })
  },
}
