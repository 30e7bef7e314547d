// A limit of time for a receiver, in which the time that this process stood still does not count.

/**
 * Calls `onOver` after so many milliseconds; returns what prevents it. Timers fire before what was received is read. So one
 * that fires late waits again for as long as it was late, and at least until everything received is read.
 */
export function startTimeLimit(milliseconds: number, onOver: () => void): () => void {
  const endsAt = performance.now() + milliseconds
  let timer = setTimeout(() => {
    const lateMs = performance.now() - endsAt
    timer = setTimeout(onOver, Math.min(lateMs, milliseconds))
  }, milliseconds)
  return () => clearTimeout(timer)
}
