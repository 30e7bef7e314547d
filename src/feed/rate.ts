// Events per millisecond, averaged to ignore a burst behind one slow commit.

/** Takes the number of new events; returns the rate over the last period of at least overMs. */
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
