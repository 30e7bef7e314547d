// delivery_lag: from a writer's commit to the receipt of its event at half of what can be delivered at most,
// and how many statements a delivery takes.
import { countStatements, type Delivered, deliverEvents, type Place } from '../delivering.ts'
import { openReceiver } from '../receiver.ts'
import type { Figure, Row } from '../row.ts'
import { median, quantile, spread } from '../statistics.ts'
import { eventType, prepared, startDelivering, subscribeAll } from '../subscriptions.ts'
import { writeEvents } from '../writer.ts'

const reaches = {
  'p50 at half load': { atMost: 5 },
  'p99 at half load': { atMost: 25 },
  'statements per delivery, saturated': { atMost: 1 },
}
const connections = 8
const probeTotal = 4_000
const queuedMax = 60_000
const saturationsMax = 3
const warmUpSeconds = 1.5

type Round = { p50: number; p99: number; writtenPerSecond: number; lateMs: number }

async function measureRound(place: Place, perSecond: number, seconds: number): Promise<Round> {
  const { database, receiver } = place
  const total = Math.ceil(perSecond * seconds)
  await receiver.begin()
  const plan = { url: database.url, perSecond, total, connections, eventTypes: [eventType] }
  const { seconds: took, lateMs } = await writeEvents(plan)
  await receiver.reached(total)
  const { lags } = await receiver.receipts()
  const [p50, p99] = [quantile(lags, 0.5), quantile(lags, 0.99)]
  return { p50, p99, writtenPerSecond: total / took, lateMs }
}

/** A live service under a steady load: the lags of each round, and the statements of all of it. */
async function measureHalfLoad(place: Place, perSecond: number) {
  const { bench, database, receiver } = place
  const { rounds, seconds } = bench.options
  await prepared(database, sql => subscribeAll(sql, receiver, 1))
  const { value, statements } = await countStatements(database, () =>
    bench.during(startDelivering(database, receiver), async () => {
      await measureRound(place, perSecond, warmUpSeconds)
      const measured: Round[] = []
      while (measured.length < rounds) measured.push(await measureRound(place, perSecond, seconds))
      return measured
    }),
  )
  const written = Math.ceil(perSecond * warmUpSeconds) + rounds * Math.ceil(perSecond * seconds)
  // Each event is a transaction of its writer.
  return { measured: value, statements: statements / written - 1 }
}

/** As many as can be sent and recorded per second, sequencing included. */
async function saturate(place: Place) {
  const { seconds, rounds } = place.bench.options
  const probe = await deliverEvents(place, probeTotal)
  const total = Math.ceil(Math.min(queuedMax, Math.max(probeTotal, probe.rate * seconds)))
  const saturated: Delivered[] = []
  while (saturated.length < Math.min(rounds, saturationsMax))
    saturated.push(await deliverEvents(place, total))
  return {
    rate: median(saturated.map(({ rate }) => rate)),
    statements: saturated.map(({ statements }) => statements),
  }
}

async function measure(place: Place): Promise<Figure[]> {
  const saturated = await saturate(place)
  const perSecond = saturated.rate / 2
  const half = await measureHalfLoad(place, perSecond)
  const of = (member: keyof Round) => half.measured.map(round => round[member])
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
    lag('p50 at half load', of('p50'), 'from before the commit to the receipt'),
    lag('p99 at half load', of('p99')),
    {
      name: 'statements per delivery, saturated',
      value: median(saturated.statements),
      unit: '',
      spread: spread(saturated.statements),
      reach: reaches['statements per delivery, saturated'],
      detail: 'transactions of the database, sequencing and start included',
    },
    { name: 'statements per delivery, half load', value: half.statements, unit: '' },
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
