// Unused connections to a host. Each is closed before its receiver closes it: a request sent meanwhile would fail.
import type { Connection } from './connection.ts'

// As many as one subscription has in flight.
const idleMax = 64

/** Keeps each for `idleMs` at most, and no longer than its last response allows. */
export function openIdle(idleMs: number) {
  const idle: Connection[] = []
  return {
    /** The one that was used last. Timers are late where the event loop is, so its time is checked. */
    take(): Connection | undefined {
      for (let connection = idle.pop(); connection; connection = idle.pop()) {
        clearTimeout(connection.idleTimer)
        if (performance.now() < connection.idleUntil) return connection
        connection.socket.destroy()
      }
      return undefined
    },
    keep(connection: Connection): void {
      const { socket, keepMs } = connection
      if (idle.length >= idleMax) {
        socket.destroy()
        return
      }
      const milliseconds = Math.min(idleMs, keepMs)
      connection.idleUntil = performance.now() + milliseconds
      connection.idleTimer = setTimeout(() => socket.destroy(), milliseconds)
      idle.push(connection)
    },
    /** It was closed. */
    remove(connection: Connection): void {
      clearTimeout(connection.idleTimer)
      const index = idle.indexOf(connection)
      if (index >= 0) idle.splice(index, 1)
    },
  }
}
