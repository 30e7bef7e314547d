// Finds handshakes that wait. A receiver that serves a limited number of connections accepts the next one only when another ends,
// and that may be an unused one of ours: those are closed then. A receiver whose handshakes are slow looks alike, and would only get
// more of them; so unused connections are closed only where no handshake ends, and as long as closing them helps.

import type { Connection } from './connection.ts'

/** The connections of one group to one host. */
export type HandshakePool = {
  /** Those being opened that a request waits for. */
  opening(): readonly Connection[]
  /** Those that are unused. */
  idle: { connections(): readonly Connection[]; close(connection: Connection): void }
}

/** What is known of an address. */
type Address = {
  fastestMs: number
  /** When a handshake last ended. */
  endedAt: number
  /** When unused connections were closed, until it is known whether that helped. */
  closedAt: number | undefined
  pausedUntil: number
  pauseMs: number
}

// A lost SYN is sent again after 1 s: what takes longer probably waits for the receiver to end another connection.
const lateMs = 1_500
const stalledMs = 500
const lookMs = 250
const pauseMinMs = 60_000
const pauseMaxMs = 16 * pauseMinMs
// API clients choose the addresses, so their number is limited.
const addressesMax = 1_000

/** Whether unused connections are to be closed now for handshakes that are late. */
function mayClose(address: Address, now: number): boolean {
  const { fastestMs, endedAt, closedAt } = address
  if (now < address.pausedUntil) return false
  if (closedAt !== undefined) {
    if (now - closedAt < Math.max(lookMs, 2 * fastestMs)) return false
    address.closedAt = undefined
    if (endedAt < closedAt) {
      address.pausedUntil = now + address.pauseMs
      address.pauseMs = Math.min(2 * address.pauseMs, pauseMaxMs)
      return false
    }
    address.pauseMs = pauseMinMs
  }
  return now - endedAt >= Math.max(stalledMs, 2 * fastestMs)
}

/** Looks four times a second while any pool opens a connection. */
export function watchHandshakes(pools: { values(): Iterable<HandshakePool> }) {
  const addresses = new Map<string, Address>()
  // By address: how many connections are still to be closed as they become unused.
  const wanted = new Map<string | undefined, number>()
  let timer: ReturnType<typeof setInterval> | undefined

  /** Closes the longest unused; returns how many there were. */
  function closeUnused(to: string, count: number): number {
    const unused = [...pools.values()]
      .flatMap(({ idle }) => idle.connections().map(connection => ({ idle, connection })))
      .filter(({ connection }) => connection.address === to)
      .toSorted((one, other) => one.connection.idleSince - other.connection.idleSince)
      .slice(0, count)
    for (const { idle, connection } of unused) idle.close(connection)
    return unused.length
  }

  function lookAt(to: string, opening: readonly Connection[], now: number) {
    const address = addresses.get(to)
    if (!address) return
    const since = now - Math.max(lateMs, 2 * address.fastestMs)
    const late = opening.filter(({ openedAt }) => openedAt <= since).length
    wanted.set(to, Math.min(wanted.get(to) ?? 0, late))
    if (late === 0 || !mayClose(address, now)) return
    const closed = closeUnused(to, late)
    if (closed > 0) address.closedAt = now
    wanted.set(to, late - closed)
  }

  function look() {
    const opening = [...pools.values()].flatMap(pool => pool.opening())
    const now = performance.now()
    const byAddress = Map.groupBy(opening, ({ address }) => address)
    for (const to of wanted.keys()) if (!byAddress.has(to)) wanted.delete(to)
    for (const [to, group] of byAddress) if (to !== undefined) lookAt(to, group, now)
    if (opening.length > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    /** A connection is being opened. */
    begin() {
      timer ??= setInterval(look, lookMs)
    },
    /** The handshake of a connection is over. */
    end({ address: to, openedAt }: Connection) {
      if (to === undefined) return
      const endedAt = performance.now()
      const fastestMs = endedAt - openedAt
      const known = addresses.get(to)
      if (known) {
        known.endedAt = endedAt
        known.fastestMs = Math.min(known.fastestMs, fastestMs)
        return
      }
      if (addresses.size >= addressesMax) addresses.clear()
      const first = { closedAt: undefined, pausedUntil: 0, pauseMs: pauseMinMs }
      addresses.set(to, { fastestMs, endedAt, ...first })
    },
    /** Whether a connection to the address that becomes unused is to be closed; once for each late handshake. */
    takesUnused(to: string | undefined): boolean {
      const count = wanted.get(to) ?? 0
      if (count > 0) wanted.set(to, count - 1)
      return count > 0
    },
  }
}

export type Handshakes = ReturnType<typeof watchHandshakes>
