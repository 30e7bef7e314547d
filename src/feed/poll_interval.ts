// How long the sequencer waits between looks. Where writers keep the processors busy it waits for a multiple of a look's
// duration, which leaves them the machine.
import type { ProcessorShare } from '../lib/processor_share.ts'

const intervalMsMin = 1
// While there are none. It is waited for only where writers cannot wake the sequencer (two-phase commit).
const intervalMsIdle = 20
const intervalMsMax = 40
const manyPerMs = 1.5
// Between what the share is at half of the greatest load and at all of it (docs/decisions/sequencer.md).
const scarceBelow = 0.4
const lookMultiple = 6
// The median of so many decides: one slow commit says nothing of the next.
const looksMax = 9

export type PollInterval = {
  /** A look took so many milliseconds. */
  note(lookMs: number): void
  /** Milliseconds to wait at so many events per millisecond. */
  msFor(perMs: number): number
}

/** Where the share is not known, processors are taken to be scarce. */
export function openPollInterval(processorShare: ProcessorShare): PollInterval {
  const recent: number[] = []
  return {
    note(lookMs) {
      recent.push(lookMs)
      if (recent.length > looksMax) recent.shift()
    },
    msFor(perMs) {
      if (perMs === 0) return intervalMsIdle
      if (perMs < manyPerMs || (processorShare() ?? 0) >= scarceBelow) return intervalMsMin
      const median = recent.toSorted((one, other) => one - other)[recent.length >> 1] ?? 0
      return Math.min(intervalMsMax, Math.max(intervalMsMin, lookMultiple * median))
    },
  }
}
