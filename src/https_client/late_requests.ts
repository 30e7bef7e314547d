// Finds requests that wait too long for a connection. A receiver that serves a limited number of connections accepts the next one
// only when another ends, and that may be an unused one of ours: those are closed then.

import type { Connection } from './connection.ts'

/** The connections of one group to one host. */
export type LateRequestsPool = {
  host: string
  /** Those that are unused. */
  idle: { connections(): readonly Connection[]; close(connection: Connection): void }
  /** How many connections are being opened. */
  connecting(): number
  /** For how many of them a request waits since that moment or longer. */
  lateCount(since: number): number
}

// A lost SYN is sent again after 1 s: what takes longer probably waits for the receiver to end another connection.
const lateMs = 1_500
const lookMs = 250

/** Closes as many unused connections of these pools, the longest unused first; returns how many there were. */
function closeUnused(pools: readonly LateRequestsPool[], count: number): number {
  const unused = pools
    .flatMap(({ idle }) => idle.connections().map(connection => ({ idle, connection })))
    .toSorted((one, other) => one.connection.idleSince - other.connection.idleSince)
    .slice(0, count)
  for (const { idle, connection } of unused) idle.close(connection)
  return unused.length
}

/** Looks four times a second while any pool opens a connection. */
export function watchLateRequests(pools: { values(): Iterable<LateRequestsPool> }) {
  // By host: how many connections are still to be closed as they become unused.
  const wanted = new Map<string, number>()
  let timer: ReturnType<typeof setInterval> | undefined

  function look() {
    wanted.clear()
    const lateSince = performance.now() - lateMs
    let connecting = 0
    for (const [host, group] of Map.groupBy(pools.values(), pool => pool.host)) {
      let late = 0
      for (const pool of group) {
        connecting += pool.connecting()
        late += pool.lateCount(lateSince)
      }
      if (late > 0) wanted.set(host, late - closeUnused(group, late))
    }
    if (connecting > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    /** A connection is being opened. */
    noteConnecting() {
      timer ??= setInterval(look, lookMs)
    },
    /** Whether a connection to the host that becomes unused is to be closed; once for each late request. */
    takesUnused(host: string): boolean {
      const count = wanted.get(host) ?? 0
      if (count > 0) wanted.set(host, count - 1)
      return count > 0
    },
  }
}

export type LateRequests = ReturnType<typeof watchLateRequests>
