// Unused connections, and how long they are kept: a request fails that is on its way while the receiver closes its connection, so
// it is given up before.
import type { Connection } from './connection.ts'

export type KeepLimits = {
  /** How long an unused connection is kept at most. */
  idleMs: number
  /** The same where a host closes connections sooner than that, without saying so. */
  idleShortMs: number
}

// As many as one subscription has in flight.
const idleMax = 64
// Strangers give the names of hosts.
const hostsMax = 1_000

/** What hosts taught about how long they keep connections. */
export function openKeeping({ idleMs, idleShortMs }: KeepLimits) {
  const hasty = new Set<string>()
  return {
    /** For how long a connection is kept whose last response allows `allowedMs`. */
    keptMs: (host: string, allowedMs: number): number =>
      Math.min(allowedMs, hasty.has(host) ? idleShortMs : idleMs),
    /** The host closed a connection that was unused for so long. Within the short time that may have any reason. */
    noteClosed(host: string, unusedMs: number) {
      if (unusedMs < idleShortMs) return
      if (hasty.size >= hostsMax) hasty.clear()
      hasty.add(host)
    },
  }
}

export type Keeping = ReturnType<typeof openKeeping>

/** Unused connections to one host. */
export function openIdle(host: string, keeping: Keeping) {
  const idle: Connection[] = []

  /** True: it was here. */
  function leave(connection: Connection): boolean {
    clearTimeout(connection.idleTimer)
    const place = idle.indexOf(connection)
    if (place >= 0) idle.splice(place, 1)
    return place >= 0
  }

  return {
    /** The one that was used last. */
    take(): Connection | undefined {
      const connection = idle.pop()
      clearTimeout(connection?.idleTimer)
      return connection
    },
    keep(connection: Connection): void {
      if (idle.length >= idleMax) {
        connection.socket.destroy()
        return
      }
      connection.idleSince = performance.now()
      const giveUp = () => {
        leave(connection)
        connection.socket.destroy()
      }
      connection.idleTimer = setTimeout(giveUp, keeping.keptMs(host, connection.keepMs))
      idle.push(connection)
    },
    /** It was closed: while it was here, by the host. */
    remove(connection: Connection): void {
      if (leave(connection)) keeping.noteClosed(host, performance.now() - connection.idleSince)
    },
  }
}
