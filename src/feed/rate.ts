// How many come per millisecond, over long enough to tell many from what gathered behind one slow commit.

/** Hears how many came now; says how many came per millisecond in the last stretch of at least `overMs`. */
export function openRate(overMs: number, now = () => performance.now()): (count: number) => number {
  let since = now()
  let total = 0
  let perMs = 0
  return count => {
    total += count
    const elapsedMs = now() - since
    if (elapsedMs >= overMs) {
      perMs = total / elapsedMs
      since += elapsedMs
      total = 0
    }
    return perMs
  }
}
