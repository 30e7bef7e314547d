// The event feed.
import type { Database, JsonText } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { type EventType, eventTypes } from '../model/event_type.ts'
import type { Answer } from './operation.ts'
import { readPlainInteger } from './parameters.ts'

type ListEvents = {
  /** Cursor of the last event processed; null: from the oldest one retained. */
  after: number | null
  /** null: every type. */
  types: EventType[] | null
  limit: number
  /** After which a page ends; one event is always on it. */
  bytesMax: number
}

// Of a page of /events; a stream reads less at a time.
export const pageBytesMax = 4 * 1024 * 1024

type EventPage = { data: JsonText; count: number; next_cursor: number; head: number }

/** Where the feed ends, with every answer that knows it: a copy begins there. */
export const feedHeaders = (head: number): Record<string, string> => ({
  'x-feed-head': String(head),
})

/** FeedEvent[] in ascending cursor order. Throws invalid_cursor, cursor_expired (spec 4, rule 5). */
export async function readEvents(database: Database, input: ListEvents): Promise<EventPage> {
  const { after, types: event_types, limit: row_limit, bytesMax: bytes_max } = input
  const [page] = await database.rows('getEventPage', { after, event_types, row_limit, bytes_max })
  if (!page) throw new Error('the feed has no row')
  const { data, count, next_cursor, head } = page
  const headers = feedHeaders(head)
  // A cursor this feed never gave out (another database, a restored backup) must not skip events in silence.
  // Right after a restore or a failover it may be one that was given out: the sequencer advances the feed with its first look.
  if (after !== null && after > head && page.is_own)
    throw new ApiError(
      'invalid_cursor',
      'The cursor is beyond the last event of this feed; omit it to start over.',
      { headers },
    )
  if (after !== null && after < page.horizon)
    throw new ApiError(
      'cursor_expired',
      'Events after this cursor have expired; omit it to start from the oldest.',
      { headers },
    )
  return { data: Buffer.from(data), count, next_cursor, head }
}

/** In ascending order. Throws as readEvents does. */
export async function listEvents(
  database: Database,
  input: Omit<ListEvents, 'bytesMax'>,
): Promise<Answer> {
  const { bytesMax = pageBytesMax } = database
  const { data, count, next_cursor, head } = await readEvents(database, { ...input, bytesMax })
  const next = next_cursor < head ? { after: next_cursor } : undefined
  return { data, meta: { next_cursor, count }, headers: feedHeaders(head), next }
}

/** Newest first; `before` is the cursor of the last event seen. No types: all. */
type NewestEvents = { types: readonly EventType[]; before: number | null; limit: number }

const typesOf = ({ types }: NewestEvents) => (types.length === 0 ? eventTypes : types)

/** For the owner, with whom each is about; of some cursors alone, or of all. */
export const listNewestEvents = (
  database: Database,
  page: NewestEvents,
  cursors: readonly number[] | null = null,
) =>
  database.rows('listNewestEvents', {
    cursors,
    event_types: typesOf(page),
    before: page.before,
    row_limit: page.limit,
  })

// No index has the ids of events: one is looked for among so many of the newest.
const idsMax = 20_000
// Hundreds of events about one person are rare.
const foundMax = 1_000

/** The same of what a text is about: a person, a type, an id (sql/functions/events/find_events.sql), or a cursor by itself. */
export async function listEventsAbout(database: Database, searched: string, page: NewestEvents) {
  const asked = { searched, log_max: idsMax, row_limit: foundMax }
  const found = await database.rows('listFoundCursors', asked)
  const itself = readPlainInteger(searched.trim()) ?? []
  return await listNewestEvents(database, page, [found.map(({ cursor }) => cursor), itself].flat())
}

/** Those of them that are still there, with whom each is about. */
export const listEventsAtCursors = (database: Database, cursors: readonly number[]) =>
  listNewestEvents(database, { types: [], before: null, limit: cursors.length }, cursors)

/** Null: erased, expired, or there is no event at this cursor. */
export async function getEvent(database: Database, cursor: number) {
  const [event] = await database.rows('getEvent', { cursor })
  return event ?? null
}
