// Failed authentications per client (spec part 5, 4). Counted in this process alone: it slows guessing,
// which 256 random bits make hopeless anyway, and must never cost a valid key a round trip.

export const authenticationFailuresMax = 20
const windowMs = 60_000
// Room for the clients of a flood; past it the oldest are forgotten.
const clientsMax = 10_000

export type Throttle = {
  /** 0: may try. Otherwise whole seconds to wait. */
  waitSeconds(client: string): number
  recordFailure(client: string): void
  /** Removes the newest failure: it was not one. */
  takeBack(client: string): void
  /** Failures in the last minute, up to the most that count. */
  count(client: string): number
}

/** now: monotonic milliseconds. failuresMax: failures per minute before a client must wait. */
export function openThrottle(
  now: () => number = () => performance.now(),
  failuresMax: number = authenticationFailuresMax,
): Throttle {
  const failures = new Map<string, number[]>()

  const recent = (client: string) =>
    (failures.get(client) ?? []).filter(at => at > now() - windowMs)

  return {
    waitSeconds(client) {
      const times = recent(client)
      const oldest = times[times.length - failuresMax]
      return oldest === undefined ? 0 : Math.max(1, Math.ceil((oldest + windowMs - now()) / 1000))
    },
    recordFailure(client) {
      const times = [...recent(client), now()].slice(-failuresMax)
      failures.delete(client)
      failures.set(client, times)
      if (failures.size > clientsMax) failures.delete(failures.keys().next().value as string)
    },
    takeBack(client) {
      failures.get(client)?.pop()
    },
    count: client => recent(client).length,
  }
}
