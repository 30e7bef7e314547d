// Unused connections to a host and how long they are kept. A request on a connection that the receiver is closing fails, so each is
// closed earlier where the receiver's limit is known.
import type { Connection } from './connection.ts'
import type { Handshakes } from './late_handshakes.ts'

export type IdleTimes = {
  /** How long an unused connection is kept at most, in milliseconds. */
  idleMs: number
  /** The same for a host that closes unused connections after this time or later. */
  idleShortMs: number
}

// As many as one subscription has in flight.
const idleMax = 64
// API clients choose the hosts, so their number is limited.
const hostsMax = 1_000
// A host that closes unused connections after a fixed time closes two at different moments after about the same time; one that
// restarts closes all at one moment.
const momentMs = 1_000
const alikeMs = 500

type Closing = { at: number; unusedMs: number }

/** Remembers the hosts that close unused connections early. */
export function openIdleLimits({ idleMs, idleShortMs }: IdleTimes) {
  const closesEarly = new Set<string>()
  const closings = new Map<string, Closing>()
  return {
    /** For how long a connection is kept whose last response allows `allowedMs`. */
    keptMs: (host: string, allowedMs: number): number =>
      Math.min(allowedMs, closesEarly.has(host) ? idleShortMs : idleMs),
    /** The host closed a connection after it was unused for `unusedMs`. Below `idleShortMs` that says nothing about its limit. */
    noteClosed(host: string, unusedMs: number) {
      const at = performance.now()
      const last = closings.get(host)
      if (unusedMs < idleShortMs || (last && at - last.at < momentMs)) return
      for (const known of [closesEarly, closings]) if (known.size >= hostsMax) known.clear()
      closings.set(host, { at, unusedMs })
      if (last && Math.abs(last.unusedMs - unusedMs) < alikeMs) closesEarly.add(host)
    },
  }
}

export type IdleLimits = ReturnType<typeof openIdleLimits>

/** Unused connections of one group to one host. */
export function openIdle(host: string, limits: IdleLimits, handshakes: Handshakes) {
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
      if (idle.length >= idleMax || handshakes.takesUnused(connection.address)) {
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
