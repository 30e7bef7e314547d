// The open event streams of this process: how many there may be, whose they are, what wakes them, and when they end.

import { ApiError } from '../../errors.ts'

/** What a stream needs to know of the request it answers. */
export type StreamContext = {
  request: Request
  /** Resolves when events were sequenced, or after so many milliseconds. */
  waitForEvents(milliseconds: number): Promise<void>
  /** Whether the client is still there, its key still live and the service still running. */
  isWanted(): Promise<boolean>
  /** Gives the stream's place back. Harmless when done twice. */
  end(): void
}

/** An answer that stays open. */
export type OpenStream = { stream: ReadableStream<Uint8Array>; headers: Record<string, string> }

// Each costs a socket and some 256 KB of events that its client does not take.
const streamsMax = 200
// Of one key, so that others find room.
const streamsOfKeyMax = streamsMax / 2
const retryAfterSeconds = 10
// How late events are while no notification comes.
const pollMs = 1_000

export type Streams = {
  /** Goes on for as long as `isAllowed` says so. Throws rate_limited where too many are open. */
  open(request: Request, keyId: string, isAllowed: () => Promise<boolean>): StreamContext
  /** Events were sequenced, or keys changed. */
  wake(): void
  /** No notification comes from now on, or all do. */
  setDeaf(isDeaf: boolean): void
  /** Ends all streams: the service stops. */
  close(): void
}

/** One open stream. */
type Slot = { keyId: string }

const tooMany = () =>
  new ApiError('rate_limited', 'Too many event streams are open; poll, or try again later.', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })

export function openStreams(): Streams {
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
    open(request, keyId, isAllowed) {
      const own = [...slots].filter(slot => slot.keyId === keyId)
      if (slots.size >= streamsMax || own.length >= streamsOfKeyMax) throw tooMany()
      const slot = { keyId }
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
