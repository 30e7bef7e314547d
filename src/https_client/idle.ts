// Unused connections and how long they are kept. Each is closed before its receiver closes it: a request sent meanwhile would fail.
import type { Connection } from './connection.ts'
import type { Crowds } from './crowds.ts'

export type KeepLimits = {
  /** How long an unused connection is kept at most, in milliseconds. */
  idleMs: number
  /** The same for a host that closed one sooner than that, without announcing it. */
  idleShortMs: number
}

// As many as one subscription has in flight.
const idleMax = 64
// Strangers choose the hosts, so the set is limited.
const hostsMax = 1_000

/** Remembers the hosts that close connections early. */
export function openKeeping({ idleMs, idleShortMs }: KeepLimits) {
  const closesEarly = new Set<string>()
  return {
    /** For how long a connection is kept whose last response allows `allowedMs`. */
    keptMs: (host: string, allowedMs: number): number =>
      Math.min(allowedMs, closesEarly.has(host) ? idleShortMs : idleMs),
    /** The host closed a connection that was unused for so long. Within the short time that may have any reason. */
    noteClosed(host: string, unusedMs: number) {
      if (unusedMs < idleShortMs) return
      if (closesEarly.size >= hostsMax) closesEarly.clear()
      closesEarly.add(host)
    },
  }
}

export type Keeping = ReturnType<typeof openKeeping>

export type Idle = ReturnType<typeof openIdle>

/** Unused connections of one group to one host. */
export function openIdle(host: string, keeping: Keeping, crowds: Crowds) {
  const idle: Connection[] = []

  /** True: it was here. */
  function leave(connection: Connection): boolean {
    clearTimeout(connection.idleTimer)
    const index = idle.indexOf(connection)
    if (index >= 0) idle.splice(index, 1)
    return index >= 0
  }

  const keptMs = ({ keepMs }: Connection) => keeping.keptMs(host, keepMs)

  return {
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
      if (idle.length >= idleMax || crowds.isCrowded(host)) {
        connection.socket.destroy()
        return
      }
      connection.idleSince = performance.now()
      const giveUp = () => {
        leave(connection)
        connection.socket.destroy()
      }
      connection.idleTimer = setTimeout(giveUp, keptMs(connection))
      idle.push(connection)
    },
    /** Since when one has been unused for longest; undefined: there is none. */
    oldestSince: () => idle[0]?.idleSince,
    closeOldest() {
      const [oldest] = idle
      if (!oldest) return
      leave(oldest)
      oldest.socket.destroy()
    },
    /** It was closed: by the host, if it was here or carries a request. */
    remove(connection: Connection): void {
      if (leave(connection)) connection.unusedMs = performance.now() - connection.idleSince
      else if (connection.exchange === undefined) return
      keeping.noteClosed(host, connection.unusedMs)
    },
  }
}
