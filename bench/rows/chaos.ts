// chaos: everything that can go wrong goes wrong again and again, next to writers, a reader and receivers that go on.
import { mixed, runChaos } from '../../test/support/chaos/chaos.ts'
import { disturbanceKinds } from '../../test/support/chaos/disturbances.ts'
import { recoveriesOf } from '../../test/support/chaos/report.ts'
import type { Verdict } from '../../test/support/chaos/verdict.ts'
import type { Figure, Row } from '../row.ts'
import { median, spread } from '../statistics.ts'

const none = { atMost: 0 }
const faultsName = 'lost, doubled, out of order'
const killed = 'process killed'
const slowestName = 'process killed, slowest'
const slowest = { atMost: 2_000 }

function faultsFigure({ faults, events }: Verdict): Figure {
  const found = Object.entries(faults).filter(([, count]) => count !== 0)
  return {
    name: faultsName,
    value: found.reduce((total, [, count]) => total + Math.abs(count), 0),
    unit: '',
    reach: none,
    detail: found.map(([fault, count]) => `${fault} ${count}`).join(', ') || `of ${events} events`,
  }
}

/** Whatever happened shortly before: a cut of all connections, a restart. */
function slowestFigure({ recoveries }: Verdict): Figure {
  const times = recoveries.filter(({ kind }) => kind === killed).map(one => one.recoveryMs)
  return { name: slowestName, value: Math.max(...times), unit: 'ms', reach: slowest }
}

const doubledFigure = ({ doubledByKills, recoveries, requestsMost }: Verdict): Figure => ({
  name: 'doubled by a killed process',
  value: doubledByKills / recoveries.filter(({ kind }) => kind === killed).length,
  unit: '',
  detail: `deliveries per kill; at most ${requestsMost} requests for one`,
})

const recoveryFigures = (verdict: Verdict): Figure[] =>
  recoveriesOf(verdict).map(({ kind, milliseconds }) => ({
    name: kind,
    value: median(milliseconds),
    unit: 'ms',
    spread: spread(milliseconds),
    detail: `until both steady receivers have an event begun afterwards; ${milliseconds.length} times`,
  }))

export const chaos: Row = {
  name: 'chaos',
  measures: 'two processes, killed in turn with PostgreSQL: what is lost and doubled, and recovery',
  reaches: { [faultsName]: none, [slowestName]: slowest },
  async run({ options, note }) {
    const { seed } = options
    const times = options.quick ? 3 : 20
    note(`chaos: ${times} times of each kind, --seed ${seed}.`)
    const verdict = await runChaos({ seed, turns: mixed(disturbanceKinds, times, seed) })
    note(
      `${verdict.unknownCommits} commits of unknown outcome, ${verdict.readErrors} failed reads.`,
    )
    return [
      faultsFigure(verdict),
      slowestFigure(verdict),
      doubledFigure(verdict),
      ...recoveryFigures(verdict),
    ]
  },
}
