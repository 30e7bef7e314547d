// The figures of a run in a few lines.
import { disturbanceKinds } from './disturbances.ts'
import type { Verdict } from './verdict.ts'

/** Milliseconds from each disturbance until each steady receiver had an event that was begun after it, by kind. */
export const recoveriesOf = ({ recoveries }: Verdict) =>
  disturbanceKinds.map(kind => ({
    kind,
    milliseconds: recoveries.filter(one => one.kind === kind).map(one => one.recoveryMs),
  }))

export const tell = (verdict: Verdict): string =>
  [
    `  ${verdict.events} events, ${verdict.unknownCommits} commits of unknown outcome, ${verdict.readErrors} failed reads`,
    `  ${verdict.doubledByKills} deliveries doubled by killed processes, at most ${verdict.requestsMost} requests for one`,
    ...recoveriesOf(verdict).map(
      ({ kind, milliseconds }) =>
        `  ${kind}: delivers again after ${milliseconds.map(Math.round).join(', ')} ms`,
    ),
  ].join('\n')
