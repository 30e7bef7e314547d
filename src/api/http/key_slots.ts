// How much of the database one key may use at the same time. Requests share a few connections, which take statements in the
// order in which they come: behind a burst of one key those of all others would wait for as long as the burst takes.
import { ApiError } from '../../errors.ts'
import { withTimeout } from '../../lib/timeout.ts'

export type KeySlots = {
  /**
   * What `work` comes to, which hears whether it had to wait. It begins at once while the key has a slot, otherwise after what came
   * before it with the same key; what is not permitted does not wait. Fails as `permitted` and `work` do, with internal_error (503)
   * when it did not begin in time, counted from askedAt (without it: now), and with TimeoutError when it has not ended after timeoutMs.
   */
  use<Value>(
    keyId: string,
    permitted: Promise<void>,
    work: (waited: boolean) => Promise<Value>,
    askedAt?: number,
  ): Promise<Value>
  /** Some key has taken all of its slots. */
  isCrowded(): boolean
}

/** A key that uses its slots, and what waits for one, longest first. */
type Use = { taken: number; waiting: Set<() => void> }

// Of the timeout, for waiting: the answer must leave before the request is given up as one that failed.
const waitShare = 0.9

const noSlot = () =>
  new ApiError(
    'internal_error',
    'Too many requests of this key wait for each other; this one did not begin. Try again in a second.',
    { status: 503, headers: { 'retry-after': '1' } },
  )

/** Resolves when `wake` is called, which `waiting` has until then. */
const waitForSlot = (waiting: Use['waiting'], waitMs: number) =>
  new Promise<void>((resolve, reject) => {
    const wake = () => {
      clearTimeout(timer)
      waiting.delete(wake)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.delete(wake)
      reject(noSlot())
    }, waitMs)
    waiting.add(wake)
  })

/** A connection is left to the other keys, where there are several. */
export const slotsOf = (connectionsMax: number): number => Math.max(1, connectionsMax - 1)

/** Each key has as many slots; what runs for timeoutMs gives its slot back, because its request has been given up. */
export function openKeySlots(slotsMax: number, timeoutMs: number): KeySlots {
  const uses = new Map<string, Use>()
  let full = 0

  function useOf(keyId: string): Use {
    const use = uses.get(keyId) ?? { taken: 0, waiting: new Set() }
    uses.set(keyId, use)
    return use
  }

  function take(use: Use) {
    use.taken += 1
    if (use.taken === slotsMax) full += 1
  }

  /** The slot goes to what has waited longest, or is free. */
  function leave(keyId: string, use: Use) {
    const [wake] = use.waiting
    if (wake) return wake()
    if (use.taken === slotsMax) full -= 1
    use.taken -= 1
    if (use.taken === 0) uses.delete(keyId)
  }

  const isFull = (keyId: string) => (uses.get(keyId)?.taken ?? 0) >= slotsMax

  async function enter(keyId: string, permitted: Promise<void>, askedAt: number): Promise<Use> {
    if (isFull(keyId)) await permitted
    const use = useOf(keyId)
    if (isFull(keyId))
      await waitForSlot(use.waiting, askedAt + timeoutMs * waitShare - performance.now())
    else take(use)
    return use
  }

  return {
    async use(keyId, permitted, work, askedAt = performance.now()) {
      const waits = isFull(keyId)
      const use = await enter(keyId, permitted, askedAt)
      try {
        return await withTimeout(work(waits), timeoutMs)
      } finally {
        leave(keyId, use)
      }
    },
    isCrowded: () => full > 0,
  }
}
