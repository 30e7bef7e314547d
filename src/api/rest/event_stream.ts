// The feed as a stream (text/event-stream): the same pages, one message per event, then whatever comes.
// A notification only shortens the wait; a look at the feed every second would do alone.
import type { Database, JsonText } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import type { EventType } from '../../model/event_type.ts'
import { feedHeaders, readEvents } from '../../operations/events.ts'
import { readPlainInteger } from '../../operations/parameters.ts'
import type { OpenStream, StreamContext } from './route.ts'

// Two pages in flight are enough; a client that reads slowly makes the stream wait, not grow.
const pageLimit = 200
const pollMs = 1_000
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

// The database writes one event per line, its cursor last; inside JSON text there are no line breaks.
const eventLine = /"cursor":(\d+)\}$/

const messages = (json: JsonText): string =>
  json
    .toString()
    .slice(1, -1)
    .split(',\n')
    // Without a name of its own a message is heard by onmessage, which is where clients listen.
    .map(event => `id: ${eventLine.exec(event)?.[1]}\ndata: ${event}\n\n`)
    .join('')

/**
 * Opens the stream. Throws invalid_cursor and cursor_expired before the first byte; later the stream just
 * ends, and the client's reconnection learns why. Ends too when the key is no longer live.
 */
export async function openEventStream(
  database: Database,
  query: StreamQuery,
  context: StreamContext,
): Promise<OpenStream> {
  const read = (after: number | null, sentAs?: string) =>
    readEvents(database, { after, types: query.types, limit: pageLimit }, sentAs)
  const encoder = new TextEncoder()

  async function readFirst() {
    try {
      const { after, sentAs } = startOf(context.request, query)
      return await read(after, sentAs)
    } catch (error) {
      context.end()
      throw error
    }
  }

  let page = await readFirst()
  const headers = feedHeaders(page.head)
  let unsent = `retry: ${reconnectMs}\n\n${page.count > 0 ? messages(page.data) : ''}`
  let sentAt = performance.now()

  async function look(): Promise<void> {
    const woken = context.waitForEvents(pollMs)
    page = await read(page.next_cursor)
    if (page.count > 0) unsent = messages(page.data)
    // With the position scanned: a client of a rare type must not fall below the horizon while it waits.
    else if (performance.now() - sentAt > keepAliveMs)
      unsent = `id: ${page.next_cursor}\n: keep-alive\n\n`
    // Behind a page of erased events there may be more.
    else if (page.next_cursor >= page.head) await woken
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          while (unsent === '' && (await context.isWanted())) await look()
        } catch {
          // The connection ends; the client comes back and learns why.
        }
        if (unsent === '') {
          context.end()
          return controller.close()
        }
        controller.enqueue(encoder.encode(unsent))
        unsent = ''
        sentAt = performance.now()
      },
      cancel: () => context.end(),
    },
    { highWaterMark: 1 },
  )
  return { stream, headers }
}
