// The connections of a sender, one pool per group, host and port. Each connection is opened only to an address that
// was checked, and a kept one still leads to that address.
import type { Connection, Exchange } from './connection.ts'
import type { Destination } from './destination.ts'
import { type HostPool, openHostPool, type PoolLimits } from './host_pool.ts'
import { NoAddressError, type TrustOptions, tlsOptions } from './tls.ts'

export type ConnectionPool = {
  /** Gives the exchange a connection: an idle one, a released one or a new one, whichever is ready first. */
  acquire(destination: Destination, exchange: Exchange): void
  /** The exchange no longer waits for a connection. */
  cancel(destination: Destination, exchange: Exchange): void
  /** The connection can carry another exchange with the same host. */
  release(destination: Destination, connection: Connection): void
  /** The connection cannot be used again. */
  discard(connection: Connection): void
  /** Exchanges under way fail; those that wait, and later ones, are blocked: they were certainly not sent. */
  close(): void
}

export function openConnectionPool(options: TrustOptions & PoolLimits): ConnectionPool {
  const tls = tlsOptions(options)
  const pools = new Map<string, HostPool>()
  let closed = false

  function poolOf(destination: Destination): HostPool {
    const { poolKey } = destination
    const known = pools.get(poolKey)
    if (known) return known
    const pool = openHostPool(destination, tls, options, () => {
      // An old pool may report that it is empty again when a newer one has its key.
      if (pools.get(poolKey) === pool) pools.delete(poolKey)
    })
    pools.set(poolKey, pool)
    return pool
  }

  return {
    acquire(destination, exchange) {
      if (closed) exchange.onClose('connect', new NoAddressError('blocked'))
      else poolOf(destination).acquire(exchange)
    },
    cancel: (destination, exchange) => pools.get(destination.poolKey)?.cancel(exchange),
    release: (destination, connection) => poolOf(destination).release(connection),
    discard(connection) {
      connection.exchange = undefined
      connection.socket.destroy()
    },
    close() {
      closed = true
      for (const pool of pools.values()) pool.close()
    },
  }
}
