// delivery_lag: from a commit, as its writer learns of it, to the receipt of the event: at half of the greatest load that the
// writers can make, and of the first event after idleness.
import { withSql } from '../bench.ts'
import { type Offered, offer, offerOne, openPlace, startWarm, unpaced } from '../delivering.ts'
import { figure, median, quantile, type Row } from '../figures.ts'

// The sequencer falls asleep after a second without an event.
const idleMs = 1_500

export const deliveryLag: Row = {
  name: 'delivery_lag',
  measures: 'commit to receipt: at half of the greatest load, and after idleness',
  async run(bench) {
    const { quick, rounds, seconds } = bench.options
    const place = await openPlace(bench)
    await startWarm(place, 1)
    const total = quick ? 2_000 : 10_000
    const { wholeSeconds } = await offer(place, { perSecond: unpaced, total }, 1)
    const perSecond = total / wholeSeconds / 2
    const measured: Offered[] = []
    while (measured.length < rounds)
      measured.push(await offer(place, { perSecond, total: Math.ceil(perSecond * seconds) }, 1))
    const p = (share: number) => measured.map(({ lags }) => quantile(lags, share))
    const first = await withSql(place.database.url, async sql => {
      const lags: number[] = []
      while (lags.length < (quick ? 5 : 30)) {
        await Bun.sleep(idleMs)
        lags.push(await offerOne(sql, place))
      }
      return lags
    })
    return [
      figure('half load', [perSecond], '/s'),
      figure('p50 at half load', p(0.5), 'ms', { atMost: 7 }),
      figure('p99 at half load', p(0.99), 'ms', { atMost: 30 }),
      {
        name: 'p50 of the first event after idleness',
        value: median(first),
        unit: 'ms',
        reach: { atMost: 20 },
        detail: `greatest ${Math.max(...first).toFixed(1)} ms`,
      },
    ]
  },
}
