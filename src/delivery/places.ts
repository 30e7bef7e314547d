// How many deliveries this process may have under way, in all and per subscription.
import type { Room } from './queue.ts'

// More in parallel is slower, and a receiver's patience is its own.
const totalMax = 512
const perSubscriptionMax = 64

export type Places = {
  /** Null: all places are taken. */
  room(): Room | null
  take(subscriptionId: string): void
  leave(subscriptionId: string): void
  /** Deliveries under way. */
  taken(): number
  /** Whether some subscription, or all together, had no place left when room() was asked last. */
  isFull(): boolean
}

export function openPlaces(): Places {
  const underWay = new Map<string, number>()
  let taken = 0
  let perSubscription = perSubscriptionMax

  return {
    room() {
      const total = totalMax - taken
      // Half of what is free at most: a few slow receivers leave room for everybody else.
      perSubscription = Math.max(1, Math.min(perSubscriptionMax, Math.floor(total / 2)))
      return total === 0 ? null : { total, perSubscription, underWay }
    },
    take(subscriptionId) {
      taken += 1
      underWay.set(subscriptionId, (underWay.get(subscriptionId) ?? 0) + 1)
    },
    leave(subscriptionId) {
      taken -= 1
      const left = (underWay.get(subscriptionId) ?? 1) - 1
      if (left === 0) underWay.delete(subscriptionId)
      else underWay.set(subscriptionId, left)
    },
    taken: () => taken,
    isFull: () =>
      taken === totalMax || [...underWay.values()].some(count => count >= perSubscription),
  }
}
