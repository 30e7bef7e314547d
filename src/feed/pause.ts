// How long the sequencer rests between two looks while it looks by itself. While many events come, it rests for a multiple of
// what a look takes: writers that keep the machine busy make looks long, and then get more of it.

const pauseMsMin = 2
const pauseMsMax = 40
const manyPerMs = 1.5
const restShare = 6
// The median of so many decides: one slow commit says nothing of the next.
const looksMax = 9

export type Pause = {
  /** A look took so many milliseconds. */
  note(lookMs: number): void
  /** Milliseconds to rest while so many events come in each. */
  of(perMs: number): number
}

export function openPause(): Pause {
  const recent: number[] = []
  return {
    note(lookMs) {
      recent.push(lookMs)
      if (recent.length > looksMax) recent.shift()
    },
    of(perMs) {
      if (perMs < manyPerMs) return pauseMsMin
      const median = recent.toSorted((one, other) => one - other)[recent.length >> 1] ?? 0
      return Math.min(pauseMsMax, Math.max(pauseMsMin, restShare * median))
    },
  }
}
