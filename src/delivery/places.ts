// How many deliveries this process may have under way: in all, per subscription, and in bytes.
import type { Delivery, Ended, Room } from './queue.ts'

// More in parallel is slower, and a receiver's patience is its own.
const totalMax = 512
const perSubscriptionMax = 64
// A receiver starts with few places, gets more with every answer and loses half with every silence: a dozen that
// never answer hold a fifth of all places, where 64 each would leave none for anybody else.
const perSubscriptionStart = 8
const step = 8
// Bodies are as large as the writers' events.
const charactersMax = 64 * 1_024 * 1_024

// More than there are subscriptions, unless many come and go.
const sharesMax = 10_000

type Share = { max: number; underWay: number }

const lengthOf = ({ body }: Delivery) => body?.length ?? 0

export type Places = {
  /** Null: there is room for nothing more. */
  room(): Room | null
  take(delivery: Delivery): void
  leave(ended: Ended): void
  /** Deliveries under way. */
  taken(): number
  /** Whether some subscription, or all together, had no place left when room() was asked last. */
  isFull(): boolean
}

export function openPlaces(): Places {
  const shares = new Map<string, Share>()
  let taken = 0
  let characters = 0
  // Nobody gets more than half of what is free.
  let half = totalMax / 2

  const shareOf = ({ subscription_id }: Delivery): Share => {
    const share = shares.get(subscription_id) ?? { max: perSubscriptionStart, underWay: 0 }
    shares.set(subscription_id, share)
    return share
  }
  const forgetIdle = () => {
    for (const [id, { underWay }] of shares) if (underWay === 0) shares.delete(id)
  }
  const roomIn = ({ max, underWay }: Share) => Math.min(max - underWay, half)

  return {
    room() {
      const total = totalMax - taken
      if (total === 0 || characters >= charactersMax) return null
      half = Math.max(1, Math.floor(total / 2))
      const rooms = new Map([...shares].map(([id, share]) => [id, roomIn(share)]))
      return { total, rooms, otherRoom: Math.min(perSubscriptionStart, half) }
    },
    take(delivery) {
      taken += 1
      characters += lengthOf(delivery)
      shareOf(delivery).underWay += 1
    },
    leave({ delivery, reply }) {
      taken -= 1
      characters -= lengthOf(delivery)
      const share = shareOf(delivery)
      share.underWay -= 1
      // Whatever it said. Without a reply it was not asked.
      if (reply?.status) share.max = Math.min(perSubscriptionMax, share.max + step)
      else if (reply) share.max = Math.max(1, Math.floor(share.max / 2))
      if (shares.size > sharesMax) forgetIdle()
    },
    taken: () => taken,
    isFull: () =>
      taken === totalMax ||
      characters >= charactersMax ||
      [...shares.values()].some(share => share.underWay > 0 && roomIn(share) <= 0),
  }
}
