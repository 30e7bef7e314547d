// The connections of a sender: a pool for each group, host and port. A kept connection still leads to the address that was
// checked when it was opened.
import {
  type Connection,
  ConnectTimeoutError,
  type Exchange,
  NoAddressError,
  openConnection,
  type Stage,
  type TrustOptions,
  tlsOptions,
} from './connection.ts'
import type { Destination } from './destination.ts'
import { connectingMax, limitGrowth } from './growth.ts'

export type PoolLimits = {
  /** Name, TCP and TLS together. */
  connectMs: number
  /** How long an unused connection is kept. */
  idleMs: number
  /** How long a connection is used at most, so that a name that moves is followed. */
  ageMaxMs: number
}

type HostPool = {
  /** Gives the exchange a connection: an idle one, a released one or a new one, whichever is ready first. */
  acquire(exchange: Exchange): void
  /** The exchange no longer waits for a connection. */
  cancel(exchange: Exchange): void
  /** The connection can carry another exchange. */
  release(connection: Connection): void
  close(): void
}

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

// As many as one subscription has in flight.
const idleMax = 64

// A timer may fire early by less.
const timerSlackMs = 5

/** When a connection fails, its first waiter fails; after a timeout, every waiter that waited as long. */
function waitersToFail(
  waiting: ReadonlyMap<Exchange, number>,
  error: Error | undefined,
  connectMs: number,
): Exchange[] {
  const startOfWait = performance.now() - connectMs + timerSlackMs
  const isTimeout = error instanceof ConnectTimeoutError
  return [...waiting]
    .filter(([, since], index) => (isTimeout ? since <= startOfWait : index === 0))
    .map(([exchange]) => exchange)
}

function failWaiters(
  failing: readonly Exchange[],
  waiting: Map<Exchange, number>,
  stage: Stage,
  error: Error | undefined,
): void {
  // All leave first: onClose may start another exchange.
  for (const exchange of failing) waiting.delete(exchange)
  for (const exchange of failing) exchange.onClose(stage, error)
}

function keepIdle(idle: Connection[], connection: Connection, idleMs: number): void {
  if (idle.length >= idleMax) {
    connection.socket.destroy()
    return
  }
  connection.idleTimer = setTimeout(() => connection.socket.destroy(), idleMs)
  idle.push(connection)
}

/** The connections of one group to one host and port, and the exchanges that wait for one of them. */
function openHostPool(
  destination: Destination,
  tls: ReturnType<typeof tlsOptions>,
  { connectMs, idleMs, ageMaxMs }: PoolLimits,
  onEmpty: () => void,
): HostPool {
  const connections = new Set<Connection>()
  const idle: Connection[] = []
  const waiting = new Map<Exchange, number>()
  let connecting = 0
  const growth = limitGrowth(waiting, connectMissing)

  /** Gives an open connection to the exchange that waits longest, or keeps it idle. */
  function assign(connection: Connection): void {
    const [next] = waiting.keys()
    clearTimeout(connection.idleTimer)
    connection.exchange = next
    if (next === undefined) keepIdle(idle, connection, idleMs)
    else if (waiting.delete(next)) next.onConnection(connection)
  }

  function remove(connection: Connection, stage: Stage, error: Error | undefined): void {
    connections.delete(connection)
    if (idle.includes(connection)) idle.splice(idle.indexOf(connection), 1)
    if (stage === 'open') connection.exchange?.onClose(stage, error)
    else {
      connecting -= 1
      failWaiters(waitersToFail(waiting, error, connectMs), waiting, stage, error)
    }
    connectMissing()
  }

  function connectMissing(): void {
    while (connecting < Math.min(connectingMax, waiting.size) && growth.mayOpen(connections.size)) {
      connecting += 1
      const connection: Connection = openConnection(tls, destination, connectMs, {
        onOpen() {
          connecting -= 1
          assign(connection)
          connectMissing()
        },
        onClose: (stage, error) => remove(connection, stage, error),
      })
      connections.add(connection)
    }
    if (connections.size + waiting.size === 0) onEmpty()
  }

  return {
    acquire(exchange) {
      waiting.set(exchange, performance.now())
      const connection = idle.pop()
      if (connection) assign(connection)
      else connectMissing()
    },
    cancel(exchange) {
      waiting.delete(exchange)
      connectMissing()
    },
    release(connection) {
      growth.countExchange()
      connection.exchange = undefined
      const isTooOld = performance.now() - connection.openedAt > ageMaxMs
      if (isTooOld || !connections.has(connection)) connection.socket.destroy()
      else assign(connection)
    },
    close() {
      for (const { socket } of connections) socket.destroy()
      failWaiters([...waiting.keys()], waiting, 'connect', new NoAddressError('blocked'))
    },
  }
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
