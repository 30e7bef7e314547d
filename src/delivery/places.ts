// How many deliveries this process may have: under way per subscription, claimed in all, and in bytes. Whoever answers
// promptly gets some claimed ahead, so that its places need not stand empty while statements are on their way.
import type { Delivery } from './claimed.ts'
import type { Ended, Room } from './queue.ts'

// Claimed and not yet recorded: enough for one prompt receiver, 64 and twelve times as many, within its half.
const totalMax = 2_048
// Under way. More in parallel is slower, and a receiver's patience is its own.
const perSubscriptionMax = 64
// A receiver starts with few places, gets more with every answer and loses half with every silence: a hundred that
// never answer leave three fifths of all places to others, where with 64 each 32 would hold all.
const perSubscriptionStart = 8
const step = 8
// Whoever answers within this time has twelve times as many claimed ahead, which is some 60 ms of work: a claim waits for
// the disk. With six times as many, and half the total, a tenth less was delivered (6 rounds in turn).
const promptMs = 50
const aheadFactor = 12
// A receiver that was prompt and fell silent: what waits for it is given back.
const waitMaxMs = 1_000
// Bodies are as large as the writers' events.
const charactersMax = 64 * 1_024 * 1_024

// More than there are subscriptions, unless many come and go.
const sharesMax = 10_000

type Share = {
  max: number
  underWay: number
  /** Claimed ahead, in order. */
  waiting: Delivery[]
  /** When one of them was last started, or the first came. */
  movedAt: number
  prompt: boolean
  /** More was due than there was room for, as far as is known. */
  backlog: boolean
}

const lengthOf = ({ body }: Delivery) => body?.length ?? 0
const aheadOf = ({ max, prompt }: Share) => (prompt ? aheadFactor * max : 0)
const roomOf = (share: Share) => share.max + aheadOf(share) - share.underWay - share.waiting.length
// From half of what may wait: a claim of a few costs hardly less than one of many.
const wantsMore = (share: Share) =>
  share.backlog && roomOf(share) > 0 && share.waiting.length <= aheadOf(share) / 2
// Whoever has nothing in hand had nothing due, most likely: a claim that used up the total does not tell.
const isBusy = ({ backlog, underWay, waiting }: Share) => backlog && underWay + waiting.length > 0
// A success makes room at once. A failure keeps its place until it is recorded: by then the subscription may be paused.
const isFree = ({ outcome }: Ended) => outcome.outcome === 'delivered'

const newShare = (): Share => ({
  max: perSubscriptionStart,
  underWay: 0,
  waiting: [],
  movedAt: 0,
  prompt: false,
  backlog: false,
})

/** Moves what waits to free places. */
function fill(share: Share): Delivery[] {
  const starting = share.waiting.splice(0, Math.max(0, share.max - share.underWay))
  share.underWay += starting.length
  if (starting.length > 0) share.movedAt = performance.now()
  return starting
}

function add(share: Share, deliveries: readonly Delivery[]): Delivery[] {
  if (share.waiting.length === 0) share.movedAt = performance.now()
  share.waiting.push(...deliveries)
  return fill(share)
}

/** What waits is not to be started. It holds places until it is recorded that it was given back. */
function empty(share: Share): Delivery[] {
  share.underWay += share.waiting.length
  return share.waiting.splice(0)
}

function forgetIdle(shares: Map<string, Share>) {
  for (const [id, { underWay, waiting }] of shares)
    if (underWay + waiting.length === 0) shares.delete(id)
}

/** How a receiver's answer, or its silence, changes what it may have. */
function judge(share: Share, { reply }: Ended) {
  // Without a reply it was not asked.
  if (reply === null) return
  // Whatever it said.
  if (reply.status) share.max = Math.min(perSubscriptionMax, share.max + step)
  else share.max = Math.max(1, Math.floor(share.max / 2))
  share.prompt = reply.errorClass === null && reply.durationMs <= promptMs
}

export type Places = {
  /** Null: there is room for nothing more. */
  room(): Room | null
  /** For deliveries that are new: nothing where others have been waiting. */
  roomForNew(): Room
  /**
   * What a claim brought for that room, and the subscriptions that somebody else was claiming of. Returns those that start
   * now; the others wait.
   */
  take(deliveries: readonly Delivery[], room: Room, busy?: readonly string[]): Delivery[]
  /** An attempt has ended. Returns what starts now. */
  end(ended: Ended): Delivery[]
  /** It is recorded. Returns what starts now. */
  leave(ended: Ended): Delivery[]
  /** What waits and is not to be started any more: of one subscription, of all, or what has waited too long. */
  giveUp(whose: 'all' | 'late' | { subscription_id: string }): Delivery[]
  /** Claimed and not recorded. */
  taken(): number
  /** Whether some subscription, or this one, has more to send than was claimed, and room for it. */
  wantsMore(delivery?: Delivery): boolean
}

/** Counts alone: it claims and sends nothing. */
export function openPlaces(): Places {
  const shares = new Map<string, Share>()
  let taken = 0
  let characters = 0

  function shareOf({ subscription_id }: { subscription_id: string }): Share {
    const share = shares.get(subscription_id) ?? newShare()
    shares.set(subscription_id, share)
    return share
  }

  const isFull = () => taken >= totalMax || characters >= charactersMax

  /**
   * What is free is shared out among those who wait for more; nobody gets more than half. In step, they get the same
   * events, whose bodies are told once: with half for each of 50 in turn, PostgreSQL took 48 in place of 34 us a delivery.
   */
  function roomWith(ofShare: (share: Share) => number): Room {
    const total = isFull() ? 0 : totalMax - taken
    const waiting = [...shares.values()].filter(share => isBusy(share) && ofShare(share) > 0)
    const part = Math.max(1, Math.floor(total / Math.max(2, waiting.length)))
    const rooms = new Map([...shares].map(([id, share]) => [id, Math.min(ofShare(share), part)]))
    return { total, rooms, otherRoom: Math.min(perSubscriptionStart, part) }
  }

  return {
    room: () => (isFull() ? null : roomWith(roomOf)),
    roomForNew: () => roomWith(share => (share.backlog ? 0 : roomOf(share))),
    take(deliveries, { total, rooms, otherRoom }, busy = []) {
      const brought = Map.groupBy(deliveries, ({ subscription_id }) => subscription_id)
      taken += deliveries.length
      // Where the total was used up, nobody knows who has more.
      const usedUp = deliveries.length >= total
      for (const [id, room] of rooms)
        if (room > 0 && !brought.has(id)) shareOf({ subscription_id: id }).backlog = usedUp
      for (const id of busy) shareOf({ subscription_id: id }).backlog = true
      return [...brought].flatMap(([id, ofOne]) => {
        const share = shareOf({ subscription_id: id })
        share.backlog = usedUp || busy.includes(id) || ofOne.length >= (rooms.get(id) ?? otherRoom)
        for (const delivery of ofOne) characters += lengthOf(delivery)
        return add(share, ofOne)
      })
    },
    end(ended) {
      const share = shareOf(ended.delivery)
      judge(share, ended)
      if (isFree(ended)) share.underWay -= 1
      return fill(share)
    },
    leave(ended) {
      const share = shareOf(ended.delivery)
      taken -= 1
      characters -= lengthOf(ended.delivery)
      if (!isFree(ended)) share.underWay -= 1
      if (shares.size > sharesMax) forgetIdle(shares)
      return fill(share)
    },
    giveUp(whose) {
      const now = performance.now()
      const some = typeof whose === 'object' ? [shareOf(whose)] : [...shares.values()]
      return some
        .filter(({ movedAt }) => whose !== 'late' || now - movedAt > waitMaxMs)
        .flatMap(empty)
    },
    taken: () => taken,
    wantsMore: delivery =>
      !isFull() && (delivery ? wantsMore(shareOf(delivery)) : [...shares.values()].some(wantsMore)),
  }
}
