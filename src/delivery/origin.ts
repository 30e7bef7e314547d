// One owner's host and port: its connections, and the exchanges that wait for one.
import {
  type Connection,
  ConnectTimeoutError,
  dial,
  type Exchange,
  type Place,
  type Stage,
} from './connection.ts'
import { NoAddressError, type tlsOptions } from './tls_options.ts'

export type OriginLimits = {
  /** Name, TCP and TLS together. */
  connectMs: number
  /** How long a connection is kept unused. */
  idleMs: number
  /** How long a connection is used at most, so that a name that moves is followed. */
  ageMaxMs: number
}

export type Origin = {
  /** Gets the exchange a connection: one that is kept, is given back, or is new, whichever comes first. */
  take(exchange: Exchange): void
  /** The exchange does not wait for a connection any more. */
  leave(exchange: Exchange): void
  /** The connection is there for the next exchange. */
  keep(connection: Connection): void
  close(): void
}

// As many as one subscription has under way (places.ts).
const keptMax = 64
// A fast receiver gives connections back before new ones are open, so a few carry many deliveries; a slow one gets
// as many as it keeps busy. A handshake is as dear as twenty deliveries: with one for each of 64 waiting deliveries,
// 20,000 deliveries to 50 origins took 8,600 handshakes; with two at a time, 1,100.
const openingMax = 2
// One more has to be earned, by so many deliveries over each of those there are: what a burst opens idles after it and is
// closed again. With a hundred over all together 80,000 deliveries to 50 origins took 710 handshakes in place of 290, and
// a quarter more of the processor.
const carriedMin = 100
// or its lack felt: longer than a process waits for itself when it has all it can send under way.
const waitedMsMin = 250

type Waiting = ReadonlyMap<Exchange, number>

// A timer may be early by less.
const timerSlackMs = 5

/** Whom it fails that no connection came about: the first, and after a timeout all who waited as long. */
function whoFails(waiting: Waiting, error: Error | undefined, connectMs: number): Exchange[] {
  const longAgo = performance.now() - connectMs + timerSlackMs
  const timedOut = error instanceof ConnectTimeoutError
  return [...waiting]
    .filter(([, since], place) => (timedOut ? since <= longAgo : place === 0))
    .map(([exchange]) => exchange)
}

/** No connection comes about for these. */
function fail(
  failing: readonly Exchange[],
  waiting: Map<Exchange, number>,
  stage: Stage,
  error: Error | undefined,
): void {
  for (const exchange of failing) waiting.delete(exchange)
  for (const exchange of failing) exchange.onEnd(stage, error)
}

/** When another connection is opened for those who wait. */
function openPace(waiting: Waiting, again: () => void) {
  let carried = 0
  // One timer for all who wait: when it is over, those who wait then are looked at.
  let timed = false
  const look = () => {
    timed = false
    again()
  }
  return {
    /** An exchange is over. */
    carry() {
      carried += 1
    },
    /** Whether one is to be opened now, beside so many; `again` is called when one may be later. */
    opens(count: number): boolean {
      const [since = 0] = waiting.values()
      const isDue = count < openingMax || carried >= carriedMin * count
      const waitMs = isDue ? 0 : since + waitedMsMin - performance.now()
      if (waitMs <= 0) {
        carried = 0
        return true
      }
      if (!timed) setTimeout(look, waitMs)
      timed = true
      return false
    },
  }
}

/** Keeps a connection until it is wanted or has idled too long; beyond the limit not at all. */
function shelve(kept: Connection[], connection: Connection, idleMs: number): void {
  if (kept.length >= keptMax) {
    connection.socket.destroy()
    return
  }
  connection.idleTimer = setTimeout(() => connection.socket.destroy(), idleMs)
  kept.push(connection)
}

export function openOrigin(
  place: Place,
  settings: ReturnType<typeof tlsOptions>,
  { connectMs, idleMs, ageMaxMs }: OriginLimits,
  onEmpty: () => void,
): Origin {
  const all = new Set<Connection>()
  const kept: Connection[] = []
  // First come, first served; with the moment each came.
  const waiting = new Map<Exchange, number>()
  let opening = 0
  const pace = openPace(waiting, refill)

  /** Hands an open connection to whoever waits longest, or keeps it. */
  function give(connection: Connection): void {
    const [next] = waiting.keys()
    clearTimeout(connection.idleTimer)
    connection.exchange = next
    if (next === undefined) shelve(kept, connection, idleMs)
    else if (waiting.delete(next)) next.onTurn(connection)
  }

  function end(connection: Connection, stage: Stage, error: Error | undefined): void {
    all.delete(connection)
    if (kept.includes(connection)) kept.splice(kept.indexOf(connection), 1)
    if (stage === 'open') connection.exchange?.onEnd(stage, error)
    else {
      opening -= 1
      fail(whoFails(waiting, error, connectMs), waiting, stage, error)
    }
    refill()
  }

  /** Opens what is missing. */
  function refill(): void {
    while (opening < Math.min(openingMax, waiting.size) && pace.opens(all.size)) {
      opening += 1
      const connection: Connection = dial(settings, place, connectMs, {
        onOpen() {
          opening -= 1
          give(connection)
          refill()
        },
        onEnd: (stage, error) => end(connection, stage, error),
      })
      all.add(connection)
    }
    if (all.size + waiting.size === 0) onEmpty()
  }

  return {
    take(exchange) {
      waiting.set(exchange, performance.now())
      const connection = kept.pop()
      if (connection) give(connection)
      else refill()
    },
    leave(exchange) {
      waiting.delete(exchange)
      refill()
    },
    keep(connection) {
      pace.carry()
      connection.exchange = undefined
      const tooOld = performance.now() - connection.openedAt > ageMaxMs
      if (tooOld || !all.has(connection)) connection.socket.destroy()
      else give(connection)
    },
    close() {
      for (const { socket } of all) socket.destroy()
      fail([...waiting.keys()], waiting, 'connect', new NoAddressError('blocked'))
    },
  }
}
