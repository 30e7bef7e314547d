// The feed as a stream (text/event-stream): small pages of it, one message per event, then whatever comes.
import type { Database, JsonText } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import type { EventType } from '../../model/event_type.ts'
import { feedHeaders, readEvents } from '../../operations/events.ts'
import { readPlainInteger } from '../../operations/parameters.ts'
import type { OpenStream, StreamContext } from './streams.ts'

// A page is read when the socket has taken the one before it but for what the runtime holds: two pages at most wait for a slow
// client, which makes the stream wait, not grow.
const pageSize = { limit: 200, bytesMax: 64 * 1024 }
// Proxies close connections on which nothing moves, commonly after 30 to 60 s.
const keepAliveMs = 15_000
const reconnectMs = 1_000

type StreamQuery = { after: number | null; types: EventType[] | null }

type Start = { after: number | null; sentAs: string }

/** Last-Event-ID goes before after: it is what the client saw last. Throws invalid_cursor. */
function startOf(request: Request, { after }: StreamQuery): Start {
  const last = request.headers.get('last-event-id')
  if (last === null || last === '') return { after, sentAs: 'after' }
  const sentAs = 'Last-Event-ID'
  const cursor = readPlainInteger(last)
  if (cursor === undefined)
    throw new ApiError('invalid_cursor', `${sentAs} must be the cursor of an event.`)
  return { after: cursor, sentAs }
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
  const read = async (after: number | null, sentAs?: string) => {
    const input = { after, types: query.types, ...pageSize }
    const { data, ...page } = await readEvents(database, input, sentAs)
    return { ...page, text: page.count > 0 ? messages(data) : undefined }
  }

  async function readFirst() {
    try {
      const { after, sentAs } = startOf(context.request, query)
      return await read(after, sentAs)
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
