// The connections deliveries go over: kept for the next delivery to the same origin, and each opened only
// to an address that was checked. A kept one still leads where it was checked to lead.
import type { Connection, Exchange, Place } from './connection.ts'
import { type Origin, type OriginLimits, openOrigin } from './origin.ts'
import { NoAddressError, type TrustOptions, tlsOptions } from './tls_options.ts'

export type Connections = {
  /** Gets the exchange a connection: one that is kept, is given back, or is new, whichever comes first. */
  take(place: Place, exchange: Exchange): void
  /** The exchange does not wait for a connection any more. */
  leave(place: Place, exchange: Exchange): void
  /** The connection is there for the next exchange to the same place. */
  keep(place: Place, connection: Connection): void
  /** The connection is good for nothing any more. */
  drop(connection: Connection): void
  /** What is under way fails; what waits, and what comes, is blocked: it was certainly not sent. */
  close(): void
}

export function openConnections(options: TrustOptions & OriginLimits): Connections {
  const settings = tlsOptions(options)
  const origins = new Map<string, Origin>()
  let closed = false

  function originOf(place: Place): Origin {
    const { name } = place
    const known = origins.get(name)
    if (known) return known
    const origin = openOrigin(place, settings, options, () => {
      // It may say so again later, when another one has its name.
      if (origins.get(name) === origin) origins.delete(name)
    })
    origins.set(name, origin)
    return origin
  }

  return {
    take(place, exchange) {
      if (closed) exchange.onEnd('connect', new NoAddressError('blocked'))
      else originOf(place).take(exchange)
    },
    leave: (place, exchange) => origins.get(place.name)?.leave(exchange),
    keep: (place, connection) => originOf(place).keep(connection),
    drop(connection) {
      connection.exchange = undefined
      connection.socket.destroy()
    },
    close() {
      closed = true
      for (const origin of origins.values()) origin.close()
    },
  }
}
