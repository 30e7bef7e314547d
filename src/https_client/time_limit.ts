// A time limit for a receiver. What arrived in time is read even if this process stood still when the limit ended.

/**
 * Calls `onOver` after so many milliseconds; returns a function that cancels it. Timers fire before what was received is read. So one
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
