// chaos: everything that can go wrong goes wrong again and again, next to writers, a reader and receivers that go on.
import { disturbanceKinds, runChaos } from '../../test/support/chaos/chaos.ts'
import { figure, type Row } from '../figures.ts'

// A killed leader is replaced when its lease of five seconds is over.
const killedReach = { atMost: 6_000 }

export const chaos: Row = {
  name: 'chaos',
  measures:
    'two processes, killed in turn with PostgreSQL, for ten minutes: what is lost, and recovery',
  async run({ options: { quick, seed } }) {
    const verdict = await runChaos({ seed, seconds: quick ? 0 : 600 })
    const found = Object.entries(verdict.faults).filter(([, count]) => count > 0)
    return [
      {
        name: 'lost, out of order or invented',
        value: found.reduce((total, [, count]) => total + count, 0),
        unit: '',
        reach: { atMost: 0 },
        detail: `${found.map(([fault, count]) => `${fault} ${count}, `).join('')}of ${verdict.events} events, --seed ${seed}`,
      },
      {
        name: 'delivered twice',
        value: verdict.doubled,
        unit: '',
        detail: `of ${verdict.deliveries} deliveries, by ${verdict.recoveries.length} disturbances`,
      },
      ...disturbanceKinds.map(kind => {
        const times = verdict.recoveries.filter(one => one.kind === kind).map(({ ms }) => ms)
        const isKill = kind === 'process killed'
        return isKill
          ? figure(
              `${kind}, slowest`,
              [Math.max(...times)],
              'ms',
              killedReach,
              `${times.length} times`,
            )
          : figure(kind, times, 'ms', undefined, 'until both steady receivers have a newer event')
      }),
    ]
  },
}
