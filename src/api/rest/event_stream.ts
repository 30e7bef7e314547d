// The feed as a stream (text/event-stream): small pages of it, one message per event, then whatever comes. How many streams
// of this process there may be, whose they are, what wakes them, and when they end.
import type { Database, JsonText } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import type { EventType } from '../../model/event_type.ts'
import { feedHeaders, readEvents } from '../../operations/events.ts'
import { readPlainInteger } from '../../operations/parameters.ts'

/** What a stream needs to know of the request it answers. */
type StreamContext = {
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

const tooMany = () =>
  new ApiError('rate_limited', 'Too many event streams are open; poll, or try again later.', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  })

export function openStreams(): Streams {
  const slots = new Set<{ keyId: string }>()
  const waiting = new Set<() => void>()
  let isDeaf = true

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
      const timer = setTimeout(resume, isDeaf ? Math.min(milliseconds, pollMs) : milliseconds)
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
      slots.clear()
      wake()
    },
  }
}

// A page is read when the socket has taken the one before it but for what the runtime holds: two pages at most wait for a slow
// client, which makes the stream wait, not grow.
const pageSize = { limit: 200, bytesMax: 64 * 1024 }
// Proxies close connections on which nothing moves, commonly after 30 to 60 s.
const keepAliveMs = 15_000
const reconnectMs = 1_000

type StreamQuery = { after: number | null; types: EventType[] | null }

/** Last-Event-ID goes before after: it is what the client saw last. Throws invalid_cursor. */
function startOf(request: Request, { after }: StreamQuery): number | null {
  const last = request.headers.get('last-event-id')
  if (last === null || last === '') return after
  const cursor = readPlainInteger(last)
  if (cursor !== undefined) return cursor
  throw new ApiError('invalid_cursor', 'Last-Event-ID must be the cursor of an event.')
}

/** The database writes one event per line, its cursor last; inside JSON text there are no line breaks. */
function messages(json: JsonText): Buffer {
  const pieces: Buffer[] = []
  for (let start = 1; start < json.length; ) {
    const comma = json.indexOf(',\n', start)
    const end = comma < 0 ? json.length - 1 : comma
    const cursor = json.toString('latin1', json.lastIndexOf(':', end) + 1, end - 1)
    // Without a name of its own a message is heard by onmessage, which is where clients listen.
    const head = Buffer.from(`id: ${cursor}\ndata: `)
    pieces.push(head, json.subarray(start, end), Buffer.from('\n\n'))
    start = end + 2
  }
  return Buffer.concat(pieces)
}

/**
 * Opens the stream. Throws invalid_cursor and cursor_expired before the first byte; later the stream just
 * ends, and the client's reconnection learns why. Ends too when the key is no longer live.
 */
export async function openEventStream(
  database: Database,
  query: StreamQuery,
  context: StreamContext,
): Promise<OpenStream> {
  const read = async (after: number | null) => {
    const input = { after, types: query.types, ...pageSize }
    const { data, ...page } = await readEvents(database, input)
    return { ...page, text: page.count > 0 ? messages(data) : undefined }
  }

  async function readFirst() {
    try {
      return await read(startOf(context.request, query))
    } catch (error) {
      context.end()
      throw error
    }
  }

  const { text, ...first } = await readFirst()
  let { next_cursor: cursor } = first
  let unsent = [Buffer.from(`retry: ${reconnectMs}\n\n`), ...(text ? [text] : [])]
  let sentAt = performance.now()

  async function look(): Promise<void> {
    const woken = context.waitForEvents(sentAt + keepAliveMs - performance.now())
    const { text, next_cursor, head } = await read(cursor)
    cursor = next_cursor
    if (text) unsent = [text]
    // With the position scanned: a client of a rare type must not fall below the horizon while it waits.
    else if (performance.now() - sentAt >= keepAliveMs)
      unsent = [Buffer.from(`id: ${cursor}\n: keep-alive\n\n`)]
    // Behind a page of erased events there may be more.
    else if (cursor >= head) await woken
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          while (unsent.length === 0 && (await context.isWanted())) await look()
        } catch {
          // The connection ends; the client comes back and learns why.
        }
        const next = unsent.shift()
        if (next === undefined) {
          context.end()
          return controller.close()
        }
        controller.enqueue(next)
        sentAt = performance.now()
      },
      cancel: () => context.end(),
    },
    { highWaterMark: 0 },
  )
  return { stream, headers: feedHeaders(first.head) }
}
