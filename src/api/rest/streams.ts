// The open event streams of this process: how many there may be, whose they are, what wakes them, and when they end.
import { ApiError } from '../../errors.ts'
import type { StreamContext } from './route.ts'

// Each costs a socket and one look at the feed per second.
const streamsMax = 200
const retryAfterSeconds = 10

export type Streams = {
  /**
   * Goes on for as long as `isAllowed` says so. When too many are open, the holder of the most loses its newest one to a
   * holder of fewer; to any other this throws rate_limited.
   */
  open(request: Request, holder: string, isAllowed: () => Promise<boolean>): StreamContext
  /** Events were sequenced. */
  wake(): void
  /** Ends all streams: the service stops. */
  close(): void
}

type Place = { holder: string }

const tooMany = () =>
  new ApiError('rate_limited', 'Too many event streams are open; poll, or try again later.', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })

/** What is to end for one more of `holder`: nothing, or the newest of who holds more than it then has. Throws rate_limited. */
function inTheWay(places: ReadonlySet<Place>, holder: string): Place | undefined {
  if (places.size < streamsMax) return undefined
  const byHolder = Map.groupBy(places, place => place.holder)
  const [most = []] = [...byHolder.values()].toSorted((one, other) => other.length - one.length)
  if ((byHolder.get(holder)?.length ?? 0) + 1 >= most.length) throw tooMany()
  return most.at(-1)
}

export function openStreams(): Streams {
  // In the order in which they were opened.
  const places = new Set<Place>()
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
    open(request, holder, isAllowed) {
      const ended = inTheWay(places, holder)
      if (ended) {
        places.delete(ended)
        wake()
      }
      const place = { holder }
      const end = () => void places.delete(place)
      places.add(place)
      request.signal.addEventListener('abort', end)
      return {
        request,
        waitForEvents,
        end,
        async isWanted() {
          if (closed || !places.has(place) || request.signal.aborted) return false
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
