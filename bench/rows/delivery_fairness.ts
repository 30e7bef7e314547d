// delivery_fairness: what 50 healthy subscribers notice of a tar pit, which never answers, and of receivers that take 300 ms.
import { until } from '../../test/support/until.ts'
import { deliverStored, type Place } from '../delivering.ts'
import { openReceiver } from '../receiver.ts'
import { alternateRounds } from '../rounds.ts'
import type { Row } from '../row.ts'
import { median, quantile, spread } from '../statistics.ts'
import {
  prepared,
  startDelivering,
  subscribeAll,
  subscribeSlow,
  subscribeTarPit,
} from '../subscriptions.ts'
import { writeEvents } from '../writer.ts'

const reach = { atMost: 1.2 }
const healthy = 50
// Ten types for fifty subscriptions: every event goes to five of them, and to the tar pit.
const eventTypes = [
  'lead.created',
  'lead.stage_changed',
  'lead.archived',
  'analysis.completed',
  'haushalt.updated',
  'appointment.scheduled',
  'appointment.updated',
  'signal.opened',
  'signal.status_changed',
  'advisory_doc.sent',
]
const perEvent = healthy / eventTypes.length
const probeTotal = 4_000
const slowReceivers = 5
const figureName = (others: Others) => `healthy subscribers' p99 next to ${others}`
const loadShare = 0.25
const connections = 4
const warmUpSeconds = 1.5
// As many as a subscription gets that has not answered yet.
const heldMin = 8

/** Who is served next to the healthy ones. */
type Others = 'none' | 'a tar pit' | 'five slow receivers and a tar pit'

type Load = { perSecond: number; others: Others }

async function offer({ database, receiver }: Place, perSecond: number, seconds: number) {
  const total = Math.ceil(perSecond * seconds)
  await receiver.begin()
  await writeEvents({ url: database.url, perSecond, total, connections, eventTypes })
  await receiver.reached(total * perEvent)
  return (await receiver.receipts()).lags
}

/** The p99 of the healthy ones, in milliseconds. */
async function measureRound(place: Place, { perSecond, others }: Load): Promise<number> {
  const { bench, database, receiver } = place
  const tarPit = others !== 'none'
  await prepared(database, async sql => {
    if (tarPit) await subscribeTarPit(sql, receiver, eventTypes)
    await subscribeAll(sql, receiver, healthy, eventTypes)
    if (others.includes('slow')) await subscribeSlow(sql, receiver, slowReceivers, eventTypes)
  })
  await receiver.hold()
  return await bench.during(startDelivering(database, receiver), async () => {
    try {
      if (tarPit) await until(async () => (await receiver.receipts()).held >= heldMin, 20_000)
      await offer(place, perSecond, warmUpSeconds)
      return quantile(await offer(place, perSecond, bench.options.seconds), 0.99)
    } finally {
      // A service that is stopped waits for what is under way.
      await receiver.release()
    }
  })
}

async function measure(place: Place) {
  const { rate } = await deliverStored(place, probeTotal, healthy)
  const perSecond = (rate * loadShare) / perEvent
  place.bench.note(
    `delivery_fairness: ${Math.round(perSecond)} events/s, each to ${perEvent} of ${healthy} subscriptions: ${loadShare * 100} % of the greatest load.`,
  )
  const kinds: Others[] = ['none', 'a tar pit', 'five slow receivers and a tar pit']
  const [without = [], ...disturbed] = await alternateRounds(
    kinds.map(others => ({
      name: others,
      measure: () => measureRound(place, { perSecond, others }),
    })),
    place.bench.options.rounds,
  )
  return disturbed.map((p99s, at) => {
    const ratios = p99s.map((p99, round) => p99 / (without[round] ?? Number.NaN))
    return {
      name: figureName(kinds[at + 1] ?? 'none'),
      value: median(ratios),
      unit: '×',
      spread: spread(ratios),
      reach,
      detail: `${median(p99s).toFixed(1)} ms, ${median(without).toFixed(1)} ms without`,
    }
  })
}

export const deliveryFairness: Row = {
  name: 'delivery_fairness',
  measures:
    "50 healthy subscribers' p99 of commit to receipt with a tar pit and with slow receivers, against without",
  reaches: {
    [figureName('a tar pit')]: reach,
    [figureName('five slow receivers and a tar pit')]: reach,
  },
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small, 'deliveries')
    return await measure({ bench, database, receiver: await openReceiver(bench) })
  },
}
