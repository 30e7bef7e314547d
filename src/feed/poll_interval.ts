// How long the sequencer rests between two looks while it looks by itself. While many events come, it rests for a multiple of
// what a look takes: writers that keep the machine busy make looks long, and then get more of it.

const intervalMsMin = 2
const intervalMsMax = 40
const manyPerMs = 1.5
const lookMultiple = 6
// The median of so many decides: one slow commit says nothing of the next.
const looksMax = 9

export type PollInterval = {
  /** A look took so many milliseconds. */
  note(lookMs: number): void
  /** Milliseconds to rest while so many events come in each. */
  msFor(perMs: number): number
}

export function openPollInterval(): PollInterval {
  const recent: number[] = []
  return {
    note(lookMs) {
      recent.push(lookMs)
      if (recent.length > looksMax) recent.shift()
    },
    msFor(perMs) {
      if (perMs < manyPerMs) return intervalMsMin
      const median = recent.toSorted((one, other) => one - other)[recent.length >> 1] ?? 0
      return Math.min(intervalMsMax, Math.max(intervalMsMin, lookMultiple * median))
    },
  }
}
