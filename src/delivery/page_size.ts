// How many events to read at once for a subscription that is behind. What is read is forgotten after a second, so a page has
// what is sent within a quarter of one: a large page for a slow receiver would be read again each second.
import type { Lane } from './subscription.ts'

export const pageEventsMin = 64
export const pageEventsMax = 2_048
const sentWithinMs = 250

/** Returns the number of events that the next page of a lane is to have. */
export function openPageSizes(now = () => performance.now()): (lane: Lane) => number {
  const known = new WeakMap<Lane, { at: number; taken: number; size: number }>()
  return lane => {
    const { taken } = lane
    const last = known.get(lane)
    const at = now()
    // A rate over less time says nothing. Where nothing was taken, it still waits for the same page.
    if (last && (last.taken === taken || at - last.at < sentWithinMs)) return last.size
    const fitting = last ? ((taken - last.taken) * sentWithinMs) / (at - last.at) : pageEventsMax
    const size = Math.round(Math.min(Math.max(fitting, pageEventsMin), pageEventsMax))
    known.set(lane, { at, taken, size })
    return size
  }
}
