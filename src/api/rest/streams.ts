// The open event streams of this process: how many there may be, whose they are, what wakes them, and when they end.

import { ApiError } from '../../errors.ts'
import type { StreamContext } from './route.ts'

// Each costs a socket and some 256 KB of events that its client does not take.
const streamsMax = 200
const retryAfterSeconds = 10
// How late events are while no notification comes.
const pollMs = 1_000

export type Streams = {
  /**
   * Goes on for as long as `isAllowed` says so. When too many are open, the holder of the most loses its newest one to a
   * holder of fewer; to any other this throws rate_limited.
   */
  open(request: Request, holder: string, isAllowed: () => Promise<boolean>): StreamContext
  /** Events were sequenced, or keys changed. */
  wake(): void
  /** No notification comes from now on, or all do. */
  setDeaf(isDeaf: boolean): void
  /** Ends all streams: the service stops. */
  close(): void
}

/** One open stream. */
type Slot = { holder: string }

const tooMany = () =>
  new ApiError('rate_limited', 'Too many event streams are open; poll, or try again later.', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })

/** What is to end for one more of `holder`: nothing, or the newest of who holds more than it then has. Throws rate_limited. */
function slotToFree(slots: ReadonlySet<Slot>, holder: string): Slot | undefined {
  if (slots.size < streamsMax) return undefined
  const byHolder = Map.groupBy(slots, slot => slot.holder)
  const [most = []] = [...byHolder.values()].toSorted((one, other) => other.length - one.length)
  if ((byHolder.get(holder)?.length ?? 0) + 1 >= most.length) throw tooMany()
  return most.at(-1)
}

export function openStreams(): Streams {
  // In the order in which they were opened.
  const slots = new Set<Slot>()
  const waiting = new Set<() => void>()
  let isDeaf = true

  const wake = () => {
    for (const resume of waiting) resume()
  }

  const polling = setInterval(() => isDeaf && wake(), pollMs)

  const waitForEvents = (milliseconds: number) =>
    new Promise<void>(resolve => {
      const resume = () => {
        clearTimeout(timer)
        waiting.delete(resume)
        resolve()
      }
      const timer = setTimeout(resume, milliseconds)
      waiting.add(resume)
    })

  return {
    open(request, holder, isAllowed) {
      const freed = slotToFree(slots, holder)
      if (freed) {
        slots.delete(freed)
        wake()
      }
      const slot = { holder }
      const end = () => void slots.delete(slot)
      slots.add(slot)
      request.signal.addEventListener('abort', end)
      // It left before.
      if (request.signal.aborted) end()
      return {
        request,
        waitForEvents,
        end,
        async isWanted() {
          return slots.has(slot) && !request.signal.aborted && (await isAllowed())
        },
      }
    },
    wake,
    setDeaf(next) {
      isDeaf = next
      wake()
    },
    close() {
      clearInterval(polling)
      slots.clear()
      wake()
    },
  }
}
