// delivery_fairness: what 50 healthy subscribers notice of a tar pit, which never answers.
import { until } from '../../test/support/until.ts'
import { withSql } from '../bench.ts'
import {
  drainByService,
  offer,
  openPlace,
  type Place,
  startWarm,
  subscribeTarPit,
} from '../delivering.ts'
import { alternateRounds, figure, median, quantile, type Row, ratioFigure } from '../figures.ts'

const healthy = 50
const loadShare = 0.25
// Times as long as other rounds: the p99 of a few seconds is that of one pause of the machine.
const longer = 4
// As many as one subscription gets at once.
const heldMin = 8

const p99Of = async (place: Place, perSecond: number) => {
  const total = Math.ceil(perSecond * longer * place.bench.options.seconds)
  return quantile((await offer(place, { perSecond, total }, healthy)).lags, 0.99)
}

async function p99WithTarPit(place: Place, perSecond: number): Promise<number> {
  const { database, receiver } = place
  const id = await withSql(database.url, sql => subscribeTarPit(sql, place))
  try {
    await offer(place, { perSecond, total: heldMin }, healthy)
    await until(async () => (await receiver.receipts()).held >= heldMin, 20_000)
    return await p99Of(place, perSecond)
  } finally {
    await withSql(database.url, sql => sql`delete from hook_subscriptions where id = ${id}`)
    await receiver.release()
  }
}

export const deliveryFairness: Row = {
  name: 'delivery_fairness',
  measures: "50 healthy subscribers' p99 of commit to receipt with a tar pit, against without",
  async run(bench) {
    const place = await openPlace(bench)
    const { rate } = await drainByService(place, bench.options.quick ? 4_000 : 20_000, healthy)
    const perSecond = (rate * loadShare) / healthy
    await startWarm(place, healthy)
    const p99s = await alternateRounds(
      [
        { name: 'without', measure: () => p99Of(place, perSecond) },
        { name: 'with', measure: () => p99WithTarPit(place, perSecond) },
      ],
      bench.options.rounds,
    )
    const [without = [], withTarPit = []] = [p99s.get('without'), p99s.get('with')]
    return [
      {
        ...figure('p99 without a tar pit', without, 'ms'),
        detail: `at ${loadShare * 100} % of the drain, ${Math.round(perSecond)} events/s to each`,
      },
      {
        ...ratioFigure('p99 with a tar pit / without', withTarPit, without),
        reach: { atMost: 1.2 },
        detail: `${median(withTarPit).toFixed(1)} ms`,
      },
    ]
  },
}
