// Unused connections to a host and how long they are kept. A request on a connection that the receiver is closing fails, so each is
// closed earlier where the receiver's limit is known.
import type { Connection } from './connection.ts'
import type { Handshakes } from './late_handshakes.ts'

export type IdleTimes = {
  /** How long an unused connection is kept at most, in milliseconds. */
  idleMs: number
}

// As many as one subscription has in flight.
const idleMax = 64
// API clients choose the hosts, so their number is limited.
const hostsMax = 1_000
// A host that closes unused connections after a fixed time closes two at different moments after about the same time; one that
// restarts closes all at one moment.
const momentMs = 1_000
const alikePart = 1 / 3
// After less, a closing is more likely a restart, or the end of a response, than a limit.
const limitMinMs = 200
const keptPart = 3 / 4
// Two restarts can look like a limit, so it is forgotten.
const memoryMs = 3_600_000

type Closing = { at: number; unusedMs: number }

/** Remembers for an hour which hosts close unused connections, and after what time. */
export function openIdleLimits({ idleMs }: IdleTimes, now = () => performance.now()) {
  // After how long each host closes.
  const limits = new Map<string, Closing>()
  const closings = new Map<string, Closing>()
  const recent = (known: ReadonlyMap<string, Closing>, host: string): Closing | undefined => {
    const closing = known.get(host)
    return closing && now() - closing.at < memoryMs ? closing : undefined
  }
  return {
    /** For how long a connection is kept whose last response allows `allowedMs`. */
    keptMs(host: string, allowedMs: number): number {
      const limit = recent(limits, host)
      return Math.min(allowedMs, idleMs, limit ? limit.unusedMs * keptPart : idleMs)
    },
    /** The host closed a connection after it was unused for `unusedMs`. */
    noteClosed(host: string, unusedMs: number) {
      const at = now()
      const last = recent(closings, host)
      if (unusedMs < limitMinMs || (last && at - last.at < momentMs)) return
      for (const known of [limits, closings]) if (known.size >= hostsMax) known.clear()
      closings.set(host, { at, unusedMs })
      const shorter = Math.min(last?.unusedMs ?? 0, unusedMs)
      const longer = Math.max(last?.unusedMs ?? 0, unusedMs)
      if (longer - shorter < longer * alikePart) limits.set(host, { at, unusedMs: shorter })
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
