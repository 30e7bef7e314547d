// held_snapshot: what a transaction that is held open does to deliveries. A dump, a report or a forgotten session is one: while
// it lasts no dead row goes.
import { withSql } from '../bench.ts'
import {
  drainByService,
  type Offered,
  offer,
  openPlace,
  type Place,
  startWarm,
} from '../delivering.ts'
import { type Figure, quantile, type Row } from '../figures.ts'

const subscriptions = 50
// The moments of all deliveries of ten minutes would be millions.
const sample = 20
// The pace of the machine changes by the minute: the end of the time held is what counts.
const endShare = 0.25

/** Takes what a dump takes of a database: its snapshot, and a lock on every table. */
const holdLikeADump = (url: string, whileHeld: () => Promise<void>) =>
  withSql(url, sql =>
    sql.begin('isolation level repeatable read', async transaction => {
      const tables = await transaction`
        select quote_ident(relname) as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`
      const names = tables.map(({ name }) => name).join(', ')
      await transaction.unsafe(`lock table ${names} in access share mode`)
      await transaction`select count(*) from leads`
      await whileHeld()
    }),
  )

async function measure(place: Place, perSecond: number): Promise<Figure[]> {
  const { bench, database } = place
  const [beforeSeconds, heldSeconds] = bench.options.quick ? [3, 10] : [30, 600]
  const offerFor = (seconds: number) =>
    offer(place, { perSecond, total: Math.ceil(perSecond * seconds) }, subscriptions, sample)
  await startWarm(place, subscriptions)
  const before = await offerFor(beforeSeconds)
  const during: Offered[] = []
  await holdLikeADump(database.url, async () => {
    during.push(await offerFor(heldSeconds))
  })
  const { lags = [], silentSeconds = Number.NaN } = during[0] ?? {}
  const [p99, calm] = [
    quantile(lags.slice(-Math.ceil(lags.length * endShare)), 0.99),
    quantile(before.lags, 0.99),
  ]
  return [
    {
      name: 'p99 while held / before',
      value: p99 / calm,
      unit: '×',
      reach: { atMost: 3 },
      detail: `${p99.toFixed(1)} ms in the last quarter of ${heldSeconds} s, ${calm.toFixed(1)} ms before; worst ${Math.max(...lags).toFixed(0)} ms`,
    },
    {
      name: 'seconds without a delivery',
      value: silentSeconds,
      unit: '',
      reach: { atMost: 0 },
      detail: `${Math.round(perSecond * subscriptions)} deliveries/s, half of the drain`,
    },
  ]
}

export const heldSnapshot: Row = {
  name: 'held_snapshot',
  measures: 'deliveries at half of the drain while a transaction holds its snapshot, ten minutes',
  async run(bench) {
    const place = await openPlace(bench)
    const { rate } = await drainByService(
      place,
      bench.options.quick ? 4_000 : 60_000,
      subscriptions,
    )
    return await measure(place, rate / 2 / subscriptions)
  },
}
