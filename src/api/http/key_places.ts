// How much of the database one key may use at the same time. Requests share a few connections, which take statements in the
// order in which they come: behind a burst of one key those of all others would wait for as long as the burst takes.
import { TimeoutError, withTimeout } from '../../lib/timeout.ts'

export type KeyPlaces = {
  /**
   * What `work` comes to. It begins at once while the key has a place, otherwise after what came before it with the same key;
   * what is not permitted does not wait. Fails as `permitted` and `work` do, with TimeoutError when it has not begun, or not
   * ended, after patienceMs.
   */
  use<Value>(keyId: string, permitted: Promise<void>, work: () => Promise<Value>): Promise<Value>
}

/** A key that uses its places, and what waits for one. */
type Use = { taken: number; waiting: (() => void)[] }

/** A connection is left to the other keys, where there are several. */
export const placesOf = (connectionsMax: number): number => Math.max(1, connectionsMax - 1)

/** Each key has as many places; what runs for patienceMs gives its place back, because its request has been given up. */
export function openKeyPlaces(placesMax: number, patienceMs: number): KeyPlaces {
  const uses = new Map<string, Use>()

  function useOf(keyId: string): Use {
    const use = uses.get(keyId) ?? { taken: 0, waiting: [] }
    uses.set(keyId, use)
    return use
  }

  /** The place goes to what has waited longest, or is free. */
  function leave(keyId: string, use: Use) {
    const enter = use.waiting.shift()
    if (enter) return enter()
    use.taken -= 1
    if (use.taken === 0) uses.delete(keyId)
  }

  async function enter(keyId: string, permitted: Promise<void>): Promise<Use> {
    if (useOf(keyId).taken >= placesMax) await permitted
    const use = useOf(keyId)
    if (use.taken >= placesMax) await new Promise<void>(resolve => use.waiting.push(resolve))
    else use.taken += 1
    return use
  }

  return {
    async use(keyId, permitted, work) {
      const askedAt = performance.now()
      const use = await enter(keyId, permitted)
      try {
        if (performance.now() - askedAt > patienceMs)
          throw new TimeoutError(`no place within ${patienceMs} ms`)
        return await withTimeout(work(), patienceMs)
      } finally {
        leave(keyId, use)
      }
    },
  }
}
