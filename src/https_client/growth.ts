// Decides when a pool opens one more connection for exchanges that wait. A fast receiver returns connections before new
// ones are open, so few carry many exchanges; a slow receiver gets as many as it keeps busy.

export const connectingMax = 2
// A connection opened for a burst idles after it and is closed again, so the open ones must earn each further one.
const exchangesPerConnectionMin = 100
// Longer than normal queueing in a process that uses all of its processor: the receiver is the slow one.
const waitMsMax = 250

/**
 * `waiting` has the exchanges without a connection, oldest first, each with the time since when it waits.
 * `onLater` is called when a connection that was refused may be opened.
 */
export function limitGrowth(waiting: ReadonlyMap<unknown, number>, onLater: () => void) {
  let exchanges = 0
  // One timer for all exchanges that wait.
  let isTimerSet = false
  const onTimer = () => {
    isTimerSet = false
    onLater()
  }
  return {
    countExchange() {
      exchanges += 1
    },
    /** Whether to open a connection now, in addition to this many. */
    mayOpen(count: number): boolean {
      const [since = 0] = waiting.values()
      const isEarned = count < connectingMax || exchanges >= exchangesPerConnectionMin * count
      const leftMs = isEarned ? 0 : since + waitMsMax - performance.now()
      if (leftMs <= 0) {
        exchanges = 0
        return true
      }
      if (!isTimerSet) setTimeout(onTimer, leftMs)
      isTimerSet = true
      return false
    },
  }
}
