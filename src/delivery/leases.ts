// How much of each claim is not recorded yet: with the last of it the claim's leases end. One that is forgotten here, as
// by a crash, lapses by the clock.
import type { Ended } from './queue.ts'

export type Leases = {
  /** A claim brought so many deliveries. */
  take(claim: string, count: number): void
  /** The claims of which nothing is left when these are recorded. */
  endedBy(ended: readonly Ended[]): string[]
  /** These are recorded. */
  leave(ended: readonly Ended[]): void
}

function countClaims(ended: readonly Ended[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { delivery } of ended)
    counts.set(delivery.claim, (counts.get(delivery.claim) ?? 0) + 1)
  return counts
}

export function openLeases(): Leases {
  const unrecorded = new Map<string, number>()
  return {
    take(claim, count) {
      if (count > 0) unrecorded.set(claim, count)
    },
    endedBy(ended) {
      const leaving = [...countClaims(ended)]
      return leaving
        .filter(([claim, count]) => unrecorded.get(claim) === count)
        .map(([claim]) => claim)
    },
    leave(ended) {
      for (const [claim, count] of countClaims(ended)) {
        const left = (unrecorded.get(claim) ?? 0) - count
        if (left > 0) unrecorded.set(claim, left)
        else unrecorded.delete(claim)
      }
    },
  }
}
