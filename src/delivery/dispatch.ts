// Decides what is sent next: subscriptions take turns, each with a bounded window of requests in flight, and all with a
// bound of their own. Receivers that take long to answer share another bound, so that they take no turn of the prompt ones.
import type { LogEvent } from '../feed/log_event.ts'
import type { ProcessorShare } from '../lib/processor_share.ts'
import type { Delivery } from './attempt.ts'
import { type Kind, kindOf, limitOf, rangeWindowOf, windowOf } from './limits.ts'
import type { LogCache } from './log_cache.ts'
import type { Lane, Subscription } from './subscription.ts'

// When more subscriptions wait than requests are allowed, one sends up to this many in a row, while its connection is in the
// processor's cache.
export const turnMax = 4
// From this many retries on, new events wait while attempts fail; one is tried every probeMs.
export const probingFrom = 500
// As many failures in a row: of a receiver that takes some events, some pass, however few are in flight.
const failingFrom = 64
// From this many on, new events wait in any case.
export const retriesWaitingMax = 10_000
const probeMs = 10_000

export type DispatchOptions = {
  cache: LogCache
  /** Of the thread that sends. */
  processorShare: ProcessorShare
  head(): number
  /** Sends it. */
  start(subscription: Subscription, delivery: Delivery): void
  /** The events of a lane above a cursor are to be read. */
  read(subscription: Subscription, lane: Lane, after: number): void
  /** Nothing is to be sent now: what ended cannot be recorded. */
  isBlocked(): boolean
}

export type Dispatch = ReturnType<typeof openDispatch>

/** Whether a new event may be taken, or too many wait for another attempt. */
function mayTakeNew(subscription: Subscription): boolean {
  const { retriesWaiting, failedInRow, lastTakenAt } = subscription
  if (retriesWaiting < probingFrom) return true
  if (retriesWaiting >= retriesWaitingMax) return false
  return failedInRow < failingFrom || performance.now() - lastTakenAt > probeMs
}

/** What a subscription has to send next. */
function openNext({ cache, processorShare, head, read }: DispatchOptions) {
  /** Moves a lane to its next event; undefined: it has none, or it is being read. */
  function nextOf(subscription: Subscription, lane: Lane): LogEvent | undefined {
    const end = () => Math.min(lane.until ?? head(), head())
    for (;;) {
      if (lane.atHead || lane.after >= end()) {
        lane.atHead = lane.until === null
        return undefined
      }
      const found = cache.next(lane.after, subscription.types)
      if (found === 'missing') {
        lane.askedFrom = lane.after
        read(subscription, lane, lane.after)
        return undefined
      }
      const cursor = 'event' in found ? found.event.cursor : found.end
      if ('end' in found || (lane.until !== null && cursor > lane.until)) {
        lane.after = lane.until === null ? cursor : Math.min(cursor, lane.until)
        continue
      }
      if (cursor > lane.claimedTo) {
        read(subscription, lane, lane.after)
        return undefined
      }
      lane.after = cursor
      lane.taken += 1
      // Reads one page ahead, so that sending does not wait for the database.
      if (found.to < end() && cursor > lane.askedFrom) {
        lane.askedFrom = found.to
        read(subscription, lane, found.to)
      }
      if (lane.leftOut.delete(cursor)) continue
      // It was erased.
      if (found.event.body === null) continue
      lane.open.add(cursor)
      lane.sentTo = Math.max(lane.sentTo, cursor)
      return found.event
    }
  }

  function nextNew(subscription: Subscription): Delivery | undefined {
    if (!mayTakeNew(subscription)) return undefined
    const { live, ranges, rangesInFlight } = subscription
    const isRoomForRanges =
      ranges.length > 0 && rangesInFlight.size < rangeWindowOf(subscription, processorShare)
    const lanes = isRoomForRanges ? [live, ...ranges] : [live]
    for (const lane of lanes) {
      const event = nextOf(subscription, lane)
      if (event === undefined) continue
      subscription.lastTakenAt = performance.now()
      const { cursor, id, occurredMs, body } = event
      if (lane !== live) rangesInFlight.add(cursor)
      const first = { attempts: 0, test: false, scheduled: false }
      return { cursor, id, occurredMs, body: body ?? '', ...first }
    }
    return undefined
  }

  function nextRetry({ retries }: Subscription): Delivery | undefined {
    const retry = retries.shift()
    return retry && { ...retry, body: retry.body ?? '', scheduled: true }
  }

  return (subscription: Subscription) => nextRetry(subscription) ?? nextNew(subscription)
}

const noneOf = (): Record<Kind, Set<Subscription>> => ({
  prompt: new Set(),
  slow: new Set(),
  silent: new Set(),
})

/** Subscriptions that wait to send, in order of arrival. */
function openTurns(processorShare: ProcessorShare) {
  const waiting = noneOf()
  // Subscriptions that continue to send after a request ended; they go first.
  const continuing = noneOf()
  return {
    waiting,
    continuing,
    add(subscription: Subscription) {
      waiting[kindOf(subscription)].add(subscription)
    },
    /** One of its requests is over. */
    addAgain(subscription: Subscription) {
      const kind = kindOf(subscription)
      const goesOn =
        subscription.sentInTurn < turnMax && waiting[kind].size > limitOf(kind, processorShare)
      const turns = goesOn ? continuing : waiting
      turns[kind].add(subscription)
    },
    delete(subscription: Subscription) {
      waiting[kindOf(subscription)].delete(subscription)
      continuing[kindOf(subscription)].delete(subscription)
    },
  }
}

export function openDispatch(options: DispatchOptions) {
  const { start, isBlocked, processorShare } = options
  const next = openNext(options)
  const turns = openTurns(processorShare)
  const inFlight: Record<Kind, number> = { prompt: 0, slow: 0, silent: 0 }

  const canSend = (subscription: Subscription) =>
    !subscription.paused &&
    !subscription.leaving &&
    subscription.inFlight < windowOf(subscription, processorShare)

  /** Whether it has sent something and may have more. */
  function sendNext(subscription: Subscription): boolean {
    if (!canSend(subscription)) return false
    const delivery = next(subscription)
    if (delivery === undefined) return false
    subscription.sentInTurn += 1
    subscription.inFlight += 1
    inFlight[kindOf(subscription)] += 1
    start(subscription, delivery)
    return true
  }

  function giveTurns(kind: Kind) {
    const limit = limitOf(kind, processorShare)
    const continuing = turns.continuing[kind]
    for (const subscription of continuing) {
      if (inFlight[kind] >= limit) return
      continuing.delete(subscription)
      sendNext(subscription)
    }
    const waiting = turns.waiting[kind]
    for (const subscription of waiting) {
      if (inFlight[kind] >= limit) return
      waiting.delete(subscription)
      subscription.sentInTurn = 0
      // Behind the others, which this loop comes to.
      if (sendNext(subscription)) waiting.add(subscription)
    }
  }

  return {
    queue: turns.add,
    /** Sends what there is room for. */
    run() {
      if (isBlocked()) return
      giveTurns('prompt')
      giveTurns('slow')
      giveTurns('silent')
    },
    /** The request of a cursor is over, and not recorded yet. */
    end(subscription: Subscription, cursor: number) {
      subscription.inFlight -= 1
      subscription.rangesInFlight.delete(cursor)
      inFlight[kindOf(subscription)] -= 1
      turns.addAgain(subscription)
    },
    forget: turns.delete,
    /** Its receiver turned slow, silent, or prompt again. */
    sort(subscription: Subscription, slow: boolean, silent = false) {
      if (subscription.slow === slow && subscription.silent === silent) return
      inFlight[kindOf(subscription)] -= subscription.inFlight
      turns.delete(subscription)
      subscription.slow = slow
      subscription.silent = silent
      inFlight[kindOf(subscription)] += subscription.inFlight
      turns.add(subscription)
    },
  }
}
