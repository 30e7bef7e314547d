// delivery_fairness: what 50 healthy subscribers notice of a tar pit, which never answers, and of receivers that take 300 ms.
import { until } from '../../test/support/until.ts'
import { deliverStored, type Place } from '../delivering.ts'
import { lagsFrom } from '../lags.ts'
import { openReceiver } from '../receiver.ts'
import { alternateRounds } from '../rounds.ts'
import type { Row } from '../row.ts'
import { withSql } from '../session.ts'
import { median, quantile, spread } from '../statistics.ts'
import {
  prepared,
  severalTypes,
  startDelivering,
  subscribeAll,
  subscribeSlow,
  subscribeTarPit,
} from '../subscriptions.ts'
import { writeEvents } from '../writer.ts'

const reach = { atMost: 1.2 }
const healthy = 50
// Each lists one of ten types, the tar pit all.
const perEvent = healthy / severalTypes.length
const probeTotal = 4_000
const slowReceivers = 5
const figureName = (others: Others) => `healthy subscribers' p99 next to ${others}`
const loadShare = 0.25
const connections = 4
// So many that all of the code is compiled, as fast as they can be written.
const warmUpEvents = 12_000
const unpaced = 1_000_000
// Times as long as other rounds: the p99 of a few seconds is that of one pause of the machine.
const longer = 4
// By then it is known of a receiver that it is slow, or silent.
const knownSeconds = 3
// As many as a subscription gets that has not answered yet.
const heldMin = 8

/** Who is served next to the healthy ones. */
type Others = 'none' | 'a tar pit' | 'five slow receivers and a tar pit'

async function offer({ database, receiver }: Place, perSecond: number, total: number) {
  await receiver.begin()
  const plan = { url: database.url, perSecond, total, connections, eventTypes: severalTypes }
  const written = await writeEvents(plan)
  await receiver.reached(total * perEvent)
  return lagsFrom(written, await receiver.receipts())
}

/** The p99 of the healthy ones, in milliseconds. */
async function measureRound(place: Place, perSecond: number, others: Others): Promise<number> {
  const { bench, database, receiver } = place
  const tarPit = others !== 'none'
  const slow = others.includes('slow') ? slowReceivers : 0
  await receiver.hold()
  const ids = await withSql(database.url, async sql => [
    ...(tarPit ? [await subscribeTarPit(sql, receiver, severalTypes)] : []),
    ...(await subscribeSlow(sql, receiver, slow, severalTypes)),
  ])
  try {
    await offer(place, perSecond, Math.ceil(perSecond * knownSeconds))
    if (tarPit) await until(async () => (await receiver.receipts()).held >= heldMin, 20_000)
    const total = Math.ceil(perSecond * longer * bench.options.seconds)
    const lags = await offer(place, perSecond, total)
    return quantile(lags, 0.99)
  } finally {
    await withSql(
      database.url,
      sql =>
        sql`delete from hook_subscriptions where id::text = any(string_to_array(${ids.join()}, ','))`,
    )
    // What ends is asked to deliver no more, so the tar pit may answer.
    await receiver.release()
  }
}

/** By kind of others, the p99 of each round: of one service, so that they differ in nothing else. */
async function measureRounds(place: Place, kinds: readonly Others[], perSecond: number) {
  const { bench, database, receiver } = place
  await prepared(database, sql => subscribeAll(sql, receiver, healthy, severalTypes))
  return await bench.during(startDelivering(database, receiver), async () => {
    await offer(place, unpaced, warmUpEvents)
    return await alternateRounds(
      kinds.map(others => ({
        name: others,
        measure: () => measureRound(place, perSecond, others),
      })),
      bench.options.rounds,
    )
  })
}

async function measure(place: Place) {
  const { rate } = await deliverStored(place, probeTotal, healthy)
  const perSecond = (rate * loadShare) / perEvent
  place.bench.note(
    `delivery_fairness: ${Math.round(perSecond)} events/s, each to ${perEvent} of ${healthy} subscriptions: ${loadShare * 100} % of the greatest load.`,
  )
  const kinds: Others[] = ['none', 'a tar pit', 'five slow receivers and a tar pit']
  const [without = [], ...disturbed] = await measureRounds(place, kinds, perSecond)
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
