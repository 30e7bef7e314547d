// Unused connections to a host and how long they are kept. A request on a connection that the receiver is closing fails, so each is
// closed earlier where the receiver's limit is known.
import type { Connection } from './connection.ts'
import type { LateRequests } from './late_requests.ts'

export type IdleTimes = {
  /** How long an unused connection is kept at most, in milliseconds. */
  idleMs: number
  /** The same for a host that once closed an unused connection after this time or later. */
  idleShortMs: number
}

// As many as one subscription has in flight.
const idleMax = 64
// API clients choose the hosts, so the set is limited.
const hostsMax = 1_000

/** Remembers the hosts that close connections early. */
export function openIdleLimits({ idleMs, idleShortMs }: IdleTimes) {
  const closesEarly = new Set<string>()
  return {
    /** For how long a connection is kept whose last response allows `allowedMs`. */
    keptMs: (host: string, allowedMs: number): number =>
      Math.min(allowedMs, closesEarly.has(host) ? idleShortMs : idleMs),
    /** The host closed a connection after it was unused for `unusedMs`. Below `idleShortMs` that says nothing about its limit. */
    noteClosed(host: string, unusedMs: number) {
      if (unusedMs < idleShortMs) return
      if (closesEarly.size >= hostsMax) closesEarly.clear()
      closesEarly.add(host)
    },
  }
}

export type IdleLimits = ReturnType<typeof openIdleLimits>

/** Unused connections of one group to one host. */
export function openIdle(host: string, limits: IdleLimits, lateRequests: LateRequests) {
  const idle: Connection[] = []

  /** True: it was here. */
  function leave(connection: Connection): boolean {
    clearTimeout(connection.idleTimer)
    const index = idle.indexOf(connection)
    if (index >= 0) idle.splice(index, 1)
    return index >= 0
  }

  function close(connection: Connection) {
    leave(connection)
    connection.socket.destroy()
  }

  const keptMs = ({ keepMs }: Connection) => limits.keptMs(host, keepMs)

  return {
    connections: (): readonly Connection[] => idle,
    close,
    /** The one that was used last. Timers are late where the event loop is, so its time is checked. */
    take(): Connection | undefined {
      for (let connection = idle.pop(); connection; connection = idle.pop()) {
        clearTimeout(connection.idleTimer)
        connection.unusedMs = performance.now() - connection.idleSince
        if (connection.unusedMs < keptMs(connection)) return connection
        connection.socket.destroy()
      }
      return undefined
    },
    keep(connection: Connection): void {
      if (idle.length >= idleMax || lateRequests.takesUnused(host)) {
        connection.socket.destroy()
        return
      }
      connection.idleSince = performance.now()
      connection.idleTimer = setTimeout(() => close(connection), keptMs(connection))
      idle.push(connection)
    },
    /** The connection was closed. If it was idle or carries a request, the host closed it. */
    remove(connection: Connection): void {
      if (leave(connection)) connection.unusedMs = performance.now() - connection.idleSince
      else if (connection.exchange === undefined) return
      limits.noteClosed(host, connection.unusedMs)
    },
  }
}

export type Idle = ReturnType<typeof openIdle>
