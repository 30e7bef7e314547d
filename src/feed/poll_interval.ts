// How long the sequencer waits between looks. At high rates it waits for a multiple of a look's duration, which leaves the
// machine to writers.

const intervalMsMin = 2
// While there are none. It is waited for only where writers cannot wake the sequencer (two-phase commit).
const intervalMsIdle = 20
const intervalMsMax = 40
const manyPerMs = 1.5
const lookMultiple = 6
// The median of so many decides: one slow commit says nothing of the next.
const looksMax = 9

export type PollInterval = {
  /** A look took so many milliseconds. */
  note(lookMs: number): void
  /** Milliseconds to wait at so many events per millisecond. */
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
      if (perMs === 0) return intervalMsIdle
      if (perMs < manyPerMs) return intervalMsMin
      const median = recent.toSorted((one, other) => one - other)[recent.length >> 1] ?? 0
      return Math.min(intervalMsMax, Math.max(intervalMsMin, lookMultiple * median))
    },
  }
}
