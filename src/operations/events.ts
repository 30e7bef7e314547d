// The event feed. Shared by REST and the tool server.
import type { Database, JsonText } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { EventType } from '../model/event_type.ts'

export type ListEvents = {
  /** Cursor of the last event processed; null: from the oldest one retained. */
  after: number | null
  /** null: every type. */
  types: EventType[] | null
  limit: number
}

export type EventPage = { json: JsonText; count: number; next_cursor: number }

function readPage(database: Database, { after, types, limit: row_limit }: ListEvents) {
  return types === null
    ? database.bytes('getEventPage', { after, row_limit })
    : database.bytes('getEventPageByTypes', { after, event_types: types, row_limit })
}

/** FeedEvent[] in ascending cursor order. Throws invalid_cursor, cursor_expired (spec 4, rule 5). */
export async function listEvents(database: Database, input: ListEvents): Promise<EventPage> {
  const page = await readPage(database, input)
  if (!page) throw new Error('the feed has no row')
  const { after } = input
  // A cursor this feed never gave out (another database, a restored backup) must not skip events in silence.
  if (after !== null && after > Number(page.head))
    throw new ApiError(
      'invalid_cursor',
      'after is beyond the last event of this feed; omit it to start over.',
    )
  if (after !== null && after < Number(page.horizon))
    throw new ApiError(
      'cursor_expired',
      'Events after this cursor have expired; omit after to start from the oldest.',
    )
  return { json: page.data, count: Number(page.count), next_cursor: Number(page.next_cursor) }
}
