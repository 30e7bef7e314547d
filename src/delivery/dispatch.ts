// Decides what is sent next: subscriptions take turns, each with a bounded number of requests in flight, and all with a bound
// of their own, in requests and in bytes.
import type { LogReader } from './log_reader.ts'
import type { Delivery, Subscription } from './subscription.ts'

/** Requests in flight in all. Of more first connections at once Bun, busy, leaves some unfinished until their time is over. */
const inFlightMax = 256
/** Length of their bodies in all. */
const bytesMax = 56 * 1_024 * 1_024
// From here on a subscription has one request in flight, so that large events to receivers that hang leave room for others.
const scarceBytes = bytesMax / 2

type DispatchOptions = {
  reader: Pick<LogReader, 'next' | 'nextRetry'>
  /** Requests in flight to one subscription. */
  concurrency: number
  head(): number
  /** Nothing is to be sent now: another process may lead, or what ended cannot be recorded. */
  isBlocked(): boolean
  send(subscription: Subscription, delivery: Delivery): void
}

export class Dispatch {
  readonly #options: DispatchOptions
  /** Those that may have something to send, the one whose turn is next first. */
  readonly #ready = new Set<Subscription>()
  /** Those, and those with a request in flight. */
  readonly #sharing = new Set<Subscription>()
  inFlight = 0
  #bytes = 0

  constructor(options: DispatchOptions) {
    this.#options = options
  }

  add(subscription: Subscription) {
    if (subscription.isLeaving) return
    this.#ready.add(subscription)
    this.#sharing.add(subscription)
  }

  remove(subscription: Subscription) {
    this.#ready.delete(subscription)
    if (subscription.inFlight === 0) this.#sharing.delete(subscription)
  }

  /** A request of it is over. */
  end(subscription: Subscription, delivery: Delivery) {
    this.inFlight -= 1
    this.#bytes -= delivery.body.length
    subscription.end(delivery)
    this.remove(subscription)
    this.add(subscription)
  }

  run() {
    // A Set visits what is added meanwhile: each one that has sent waits for its next turn at the end.
    for (const subscription of this.#ready) {
      if (this.inFlight >= inFlightMax || this.#bytes >= bytesMax) return
      if (this.#options.isBlocked()) return
      const delivery = this.#next(subscription)
      this.remove(subscription)
      if (delivery === undefined) continue
      subscription.begin(delivery)
      this.inFlight += 1
      this.#bytes += delivery.body.length
      this.add(subscription)
      this.#options.send(subscription, delivery)
    }
  }

  /** How many requests to one may be in flight: at least one, and no more than its part of all. */
  #share(): number {
    const requests = Math.floor(inFlightMax / this.#sharing.size)
    const isScarce = this.#bytes > scarceBytes
    return isScarce ? 1 : Math.max(1, Math.min(this.#options.concurrency, requests))
  }

  #next(subscription: Subscription): Delivery | undefined {
    const { reader } = this.#options
    const share = this.#share()
    if (subscription.isHeld || subscription.inFlight >= share) return undefined
    // Retries go first, in half of the requests at most while there are new events.
    const isTurnOfRetries =
      share === 1 ? !subscription.lastWasRetry : subscription.retriesInFlight < share / 2
    return (
      (isTurnOfRetries ? reader.nextRetry(subscription) : undefined) ??
      this.#nextEvent(subscription) ??
      reader.nextRetry(subscription)
    )
  }

  #nextEvent(subscription: Subscription): Delivery | undefined {
    while (subscription.takesNewEvents) {
      const event = this.#options.reader.next(subscription, this.#options.head())
      if (event === undefined) return undefined
      // The owner may have sent one again before its turn.
      if (!subscription.isUnderWay(event.cursor)) return { ...event, attempts: 0, isRetry: false }
    }
    return undefined
  }
}
