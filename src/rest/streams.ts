// The open event streams of this process: how many there may be, what wakes them, and when they end.
import { ApiError } from '../errors.ts'
import type { StreamContext } from './route.ts'

// Each costs a socket and one look at the feed per second.
const streamsMax = 200
const retryAfterSeconds = 10

export type Streams = {
  /** Goes on for as long as `isAllowed` says so. Throws rate_limited when too many are open. */
  open(request: Request, isAllowed: () => Promise<boolean>): StreamContext
  /** Events were sequenced. */
  wake(): void
  /** Ends all streams: the service stops. */
  close(): void
}

export function openStreams(): Streams {
  let open = 0
  let closed = false
  const waiting = new Set<() => void>()

  const wake = () => {
    for (const resume of waiting) resume()
  }

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
    open(request, isAllowed) {
      if (open >= streamsMax)
        throw new ApiError(
          'rate_limited',
          'Too many event streams are open; poll, or try again later.',
          {
            headers: { 'retry-after': String(retryAfterSeconds) },
          },
        )
      open += 1
      let ended = false
      const end = () => {
        if (!ended) open -= 1
        ended = true
      }
      request.signal.addEventListener('abort', end)
      return {
        request,
        waitForEvents,
        end,
        async isWanted() {
          if (closed || ended || request.signal.aborted) return false
          return await isAllowed()
        },
      }
    },
    wake,
    close() {
      closed = true
      wake()
    },
  }
}
