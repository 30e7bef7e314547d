// Requests in flight and when each began: marks receivers as slow before they answer, and waits for the last requests at a
// stop.
import type { Reply } from '../sending/sender.ts'
import type { Delivery } from './attempt.ts'
import { averageOf, isSlow, overdueAfterMs, type Subscription } from './subscription.ts'

export type InFlightOptions = {
  /** A receiver turned slow, silent, or prompt again. */
  sort(subscription: Subscription, slow: boolean, silent: boolean): void
  /** Called now and then for each subscription: a limit may have passed, or a wake-up may have been missed. */
  queue(subscription: Subscription): void
  run(): void
}

const tickMs = 25
const ticksPerQueueing = 10
const drainLookMs = 10
const silentAfterMs = 2_000

export function openInFlight({ sort, queue, run }: InFlightOptions) {
  // By subscription the cursors in flight, oldest first, with the moment each began.
  const begun = new Map<Subscription, Map<number, number>>()
  // What attempts to prompt receivers take of late.
  let promptMs = 0
  let ticks = 0

  const timer = setInterval(() => {
    ticks += 1
    const isQueueing = ticks % ticksPerQueueing === 0
    const now = performance.now()
    const overdueMs = overdueAfterMs(promptMs)
    let isAnyOverdue = false
    for (const [subscription, times] of begun) {
      const [oldest = now] = times.values()
      if (now - oldest > overdueMs) {
        isAnyOverdue = true
        sort(subscription, true, subscription.silent || now - oldest > silentAfterMs)
      }
      if (isQueueing) queue(subscription)
    }
    // One that turned slow leaves room for prompt ones.
    if (isQueueing || isAnyOverdue) run()
  }, tickMs)

  const isAny = () => [...begun.values()].some(times => times.size > 0)

  return {
    /** It is owned now; what was in flight under the fence before goes on. */
    add(subscription: Subscription, before: Subscription | undefined) {
      begun.set(subscription, (before && begun.get(before)) ?? new Map())
      if (before) begun.delete(before)
    },
    /** It is owned no longer: followed until the last of it has ended. */
    remove(subscription: Subscription) {
      if (begun.get(subscription)?.size === 0) begun.delete(subscription)
    },
    begin(subscription: Subscription, { cursor }: Delivery) {
      begun.get(subscription)?.set(cursor, performance.now())
    },
    end(subscription: Subscription, cursor: number, isOwned: boolean) {
      const times = begun.get(subscription)
      times?.delete(cursor)
      if (times?.size === 0 && !isOwned) begun.delete(subscription)
    },
    noteReply(subscription: Subscription, { durationMs, errorClass }: Reply) {
      subscription.averageMs = averageOf(subscription.averageMs, durationMs)
      if (!subscription.slow) promptMs = averageOf(promptMs, durationMs)
      const silent = subscription.silent && errorClass === 'timeout'
      sort(subscription, silent || isSlow(subscription, promptMs), silent)
    },
    stopTimer: () => clearInterval(timer),
    /** Waits until no request is in flight, at most this long. True: some still are. */
    async drain(milliseconds: number): Promise<boolean> {
      const until = performance.now() + milliseconds
      while (isAny() && performance.now() < until)
        await new Promise(resolve => setTimeout(resolve, drainLookMs))
      return isAny()
    },
  }
}
