// The open event streams of this process: how many there may be, what wakes them, and when they end.
import { ApiError } from '../errors.ts'
import { authenticate, type Gate } from './auth.ts'
import type { StreamContext } from './route.ts'

// Each costs a socket and one look at the feed per second.
const streamsMax = 200
const retryAfterSeconds = 10

export type Streams = {
  /** Throws rate_limited when too many are open. */
  open(request: Request, gate: Gate): StreamContext
  /** Events were sequenced. */
  wake(): void
  /** Ends all streams: the service stops. */
  close(): void
}

export function openStreams(): Streams {
  let open = 0
  let closed = false
  let waiting: (() => void)[] = []

  const wake = () => {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }

  const waitForEvents = (milliseconds: number) =>
    new Promise<void>(resolve => {
      const timer = setTimeout(resolve, milliseconds)
      waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })

  return {
    open(request, gate) {
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
      request.signal.addEventListener('abort', wake)
      const header = request.headers.get('authorization')
      return {
        request,
        waitForEvents,
        end() {
          if (!ended) open -= 1
          ended = true
        },
        async isWanted() {
          if (closed || ended || request.signal.aborted) return false
          return await authenticate(gate, header, () => 'stream').then(
            () => true,
            () => false,
          )
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
