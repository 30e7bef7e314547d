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
import { type Crowds, openCrowds } from './crowds.ts'
import type { Destination } from './destination.ts'
import { connectingMax, limitGrowth } from './growth.ts'
import { type Idle, type Keeping, type KeepLimits, openIdle, openKeeping } from './idle.ts'

export type PoolLimits = KeepLimits & {
  /** Name, TCP and TLS together. */
  connectMs: number
  /** How long a connection is used at most, so that a name that moves is followed. */
  ageMaxMs: number
}

type HostPool = {
  /** Gives the exchange a connection: an idle one, a released one or a new one, whichever is ready first. */
  acquire(exchange: Exchange): void
  /** The exchange no longer waits for a connection. */
  cancel(exchange: Exchange): void
  /** The connection can carry another exchange, and be kept unused for so long. */
  release(connection: Connection, keepMs: number): void
  host: string
  idle: Idle
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

/** What the pools of a sender share. */
type Shared = {
  tls: ReturnType<typeof tlsOptions>
  limits: PoolLimits
  keeping: Keeping
  crowds: Crowds
}

/** Others to the host make room when its handshake is late. */
function openInCrowd(
  { tls, limits, crowds }: Shared,
  destination: Destination,
  { onOpen, onClose }: Parameters<typeof openConnection>[3],
): Connection {
  const endHandshake = crowds.begin(destination.host)
  return openConnection(tls, destination, limits.connectMs, {
    onOpen() {
      endHandshake()
      onOpen()
    },
    onClose(stage, error) {
      if (stage !== 'open') endHandshake()
      onClose(stage, error)
    },
  })
}

/** Gives an open connection to the exchange that waits longest, or keeps it idle. */
function assign(connection: Connection, waiting: Map<Exchange, number>, idle: Idle): void {
  const [next] = waiting.keys()
  connection.exchange = next
  if (next === undefined) idle.keep(connection)
  else if (waiting.delete(next)) next.onConnection(connection)
}

/** The connections of one group to one host and port, and the exchanges that wait for one of them. */
function openHostPool(destination: Destination, shared: Shared, onEmpty: () => void): HostPool {
  const { host } = destination
  const { keeping, crowds } = shared
  const { connectMs, ageMaxMs } = shared.limits
  const connections = new Set<Connection>()
  const idle = openIdle(host, keeping, crowds)
  const waiting = new Map<Exchange, number>()
  let connecting = 0
  const growth = limitGrowth(waiting, connectMissing)

  function remove(connection: Connection, stage: Stage, error: Error | undefined): void {
    connections.delete(connection)
    idle.remove(connection)
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
      const connection: Connection = openInCrowd(shared, destination, {
        onOpen() {
          connecting -= 1
          assign(connection, waiting, idle)
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
      const connection = idle.take()
      if (connection) assign(connection, waiting, idle)
      else connectMissing()
    },
    cancel(exchange) {
      waiting.delete(exchange)
      connectMissing()
    },
    release(connection, keepMs) {
      growth.countExchange()
      connection.exchange = undefined
      connection.keepMs = keepMs
      connection.unusedMs = 0
      const isTooOld = performance.now() - connection.openedAt > ageMaxMs
      if (isTooOld || !connections.has(connection)) connection.socket.destroy()
      else assign(connection, waiting, idle)
    },
    host,
    idle,
    close() {
      for (const { socket } of connections) socket.destroy()
      failWaiters([...waiting.keys()], waiting, 'connect', new NoAddressError('blocked'))
    },
  }
}

export function openConnectionPool(options: TrustOptions & PoolLimits): ConnectionPool {
  const pools = new Map<string, HostPool>()
  const shared: Shared = {
    tls: tlsOptions(options),
    limits: options,
    keeping: openKeeping(options),
    crowds: openCrowds(giveBack),
  }
  let closed = false

  /** Closes so many unused connections to a host, of all groups those that are so for longest. */
  function giveBack(host: string, count: number) {
    const unused = [...pools.values()].flatMap(pool => {
      const since = pool.host === host ? pool.idle.oldestSince() : undefined
      return since === undefined ? [] : [{ idle: pool.idle, since }]
    })
    const longest = unused.toSorted((one, other) => one.since - other.since).slice(0, count)
    for (const { idle } of longest) idle.closeOldest()
  }

  function poolOf(destination: Destination): HostPool {
    const { poolKey } = destination
    const known = pools.get(poolKey)
    if (known) return known
    const pool = openHostPool(destination, shared, () => {
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
