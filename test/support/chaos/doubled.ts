// Of the times an event was taken again: those that a killed process explains. It explains what it had sent and not
// recorded, and results are recorded in the order they come: one that lacks its record is followed by none that has it.
import type { Receipt } from './receipts.ts'

export type DoubledEvidence = {
  /** When processes were killed. */
  kills: readonly number[]
  /** When attempts of the subscription began, of those that are recorded. */
  recorded: readonly number[]
  /** When a connection last brought a request; a killed process's connections bring no more. */
  lastUse: ReadonlyMap<number, number>
}

// An attempt that begins so long after another was received ends after it: the receiver's slowest answers take 0.3 s.
const endsWithinMs = 1_000

/** How often an event was taken after the first time, by whether a kill explains it. */
export function countDoubled(receipts: readonly Receipt[], evidence: DoubledEvidence) {
  const { kills, recorded, lastUse } = evidence
  const isUnrecorded = ({ at, connection }: Receipt) =>
    kills.some(
      kill =>
        kill > at &&
        (lastUse.get(connection) ?? 0) <= kill &&
        !recorded.some(begun => begun > at + endsWithinMs && begun < kill),
    )
  const takenAgain = receipts.filter(({ taken }) => taken).slice(0, -1)
  const byKills = takenAgain.filter(isUnrecorded).length
  return { byKills, otherwise: takenAgain.length - byKills }
}
