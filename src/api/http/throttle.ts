// Failed authentications per client, and sign-ins (spec part 5, 4). Counted in this process alone: it slows guessing,
// which 256 random bits make hopeless anyway, and must never cost a valid key a round trip.

const authenticationFailuresMax = 20
const windowMs = 60_000
// Room for the clients of a flood; past it the oldest are forgotten.
const clientsMax = 10_000

export type Throttle = {
  /** 0: may try. Otherwise whole seconds to wait. */
  waitSeconds(client: string): number
  recordTry(client: string): void
}

/** now: monotonic milliseconds. triesMax: tries per minute before a client must wait. */
export function openThrottle(
  now: () => number = () => performance.now(),
  triesMax: number = authenticationFailuresMax,
): Throttle {
  const tries = new Map<string, number[]>()

  const recent = (client: string) => (tries.get(client) ?? []).filter(at => at > now() - windowMs)

  return {
    waitSeconds(client) {
      const times = recent(client)
      const oldest = times[times.length - triesMax]
      return oldest === undefined ? 0 : Math.max(1, Math.ceil((oldest + windowMs - now()) / 1000))
    },
    recordTry(client) {
      const times = [...recent(client), now()].slice(-triesMax)
      tries.delete(client)
      tries.set(client, times)
      if (tries.size > clientsMax) tries.delete(tries.keys().next().value as string)
    },
  }
}
