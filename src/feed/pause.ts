// How long the sequencer rests between two looks while it looks by itself: a multiple of what a look takes. Where writers
// have the machine busy, looks take long, and so they leave it to the writers; each batch is larger then.

const restShare = 3
const pauseMsMin = 2
const pauseMsMax = 40
// The shortest of so many decides: one slow commit says nothing of the next.
const looksMax = 4

/** Hears how long a look took, in milliseconds; says how long to rest. */
export function openPause(): (lookMs: number) => number {
  const recent: number[] = []
  return lookMs => {
    recent.push(lookMs)
    if (recent.length > looksMax) recent.shift()
    return Math.min(pauseMsMax, Math.max(pauseMsMin, restShare * Math.min(...recent)))
  }
}
