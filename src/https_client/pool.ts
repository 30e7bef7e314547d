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
import { type Idle, type IdleLimits, type IdleTimes, openIdle, openIdleLimits } from './idle.ts'
import { type HandshakePool, type Handshakes, watchHandshakes } from './late_handshakes.ts'

export type PoolLimits = IdleTimes & {
  /** Name, TCP and TLS together. */
  connectMs: number
  /** How long a connection is used at most, so that a name that moves is followed. */
  ageMaxMs: number
}

type HostPool = HandshakePool & {
  /** Gives the exchange a connection: an idle one, a released one or a new one, whichever is ready first. */
  acquire(exchange: Exchange): void
  /** The exchange no longer waits for a connection. */
  cancel(exchange: Exchange): void
  /** The connection can carry another exchange, and be kept unused for so long. */
  release(connection: Connection, keepMs: number): void
  close(): void
}

export type ConnectionPool = {
  /** Gives the exchange a connection: an idle one, a released one or a new one, whichever is ready first. */
  acquire(destination: Destination, exchange: Exchange): void
  /** The exchange no longer waits for a connection. */
  cancel(destination: Destination, exchange: Exchange): void
  /** The connection can carry another exchange with the same host, and be kept unused for so long. */
  release(destination: Destination, connection: Connection, keepMs: number): void
  /** The connection cannot be used again. */
  discard(connection: Connection): void
  /** Exchanges under way fail; those that wait, and later ones, are blocked: they were certainly not sent. */
  close(): void
}

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

/** What the pools of a sender have in common. */
type PoolParts = {
  tls: ReturnType<typeof tlsOptions>
  limits: PoolLimits
  idleLimits: IdleLimits
  handshakes: Handshakes
}

function give(connection: Connection, exchange: Exchange): void {
  connection.exchange = exchange
  exchange.onConnection(connection)
}

/** Gives an open connection to the exchange that waits longest, or keeps it idle. */
function assign(connection: Connection, waiting: Map<Exchange, number>, idle: Idle): void {
  const [next] = waiting.keys()
  connection.exchange = undefined
  if (next === undefined) idle.keep(connection)
  else if (waiting.delete(next)) give(connection, next)
}

/** The connections of one group to one host and port, and the exchanges that wait for one of them. */
function openHostPool(
  destination: Destination,
  { tls, limits, idleLimits, handshakes }: PoolParts,
  onEmpty: () => void,
): HostPool {
  const { host } = destination
  const { connectMs, ageMaxMs } = limits
  const connections = new Set<Connection>()
  const opening = new Set<Connection>()
  const idle = openIdle(host, idleLimits, handshakes)
  const waiting = new Map<Exchange, number>()
  const growth = limitGrowth(waiting, connectMissing)

  function remove(connection: Connection, stage: Stage, error: Error | undefined): void {
    connections.delete(connection)
    opening.delete(connection)
    idle.remove(connection)
    if (stage === 'open') connection.exchange?.onClose(stage, error)
    else failWaiters(waitersToFail(waiting, error, connectMs), waiting, stage, error)
    connectMissing()
  }

  function connectMissing(): void {
    while (
      opening.size < Math.min(connectingMax, waiting.size) &&
      growth.mayOpen(connections.size)
    ) {
      handshakes.begin()
      const connection: Connection = openConnection(tls, destination, connectMs, {
        onOpen() {
          opening.delete(connection)
          handshakes.end(connection)
          assign(connection, waiting, idle)
          connectMissing()
        },
        onClose: (stage, error) => remove(connection, stage, error),
      })
      connections.add(connection)
      opening.add(connection)
    }
    if (connections.size + waiting.size === 0) onEmpty()
  }

  return {
    acquire(exchange) {
      const connection = idle.take()
      if (connection) return give(connection, exchange)
      waiting.set(exchange, performance.now())
      connectMissing()
    },
    cancel(exchange) {
      waiting.delete(exchange)
      connectMissing()
    },
    release(connection, keepMs) {
      growth.countExchange()
      connection.exchange = undefined
      connection.keepMs = keepMs
      const isTooOld = performance.now() - connection.openedAt > ageMaxMs
      if (isTooOld || !connections.has(connection)) connection.socket.destroy()
      else assign(connection, waiting, idle)
    },
    idle,
    opening: () => [...opening].slice(0, waiting.size),
    close() {
      for (const { socket } of connections) socket.destroy()
      failWaiters([...waiting.keys()], waiting, 'connect', new NoAddressError('blocked'))
    },
  }
}

export function openConnectionPool(options: TrustOptions & PoolLimits): ConnectionPool {
  const pools = new Map<string, HostPool>()
  const parts: PoolParts = {
    tls: tlsOptions(options),
    limits: options,
    idleLimits: openIdleLimits(options),
    handshakes: watchHandshakes(pools),
  }
  let closed = false

  function poolOf(destination: Destination): HostPool {
    const { poolKey } = destination
    const known = pools.get(poolKey)
    if (known) return known
    const pool = openHostPool(destination, parts, () => {
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
    release: (destination, connection, keepMs) => poolOf(destination).release(connection, keepMs),
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
