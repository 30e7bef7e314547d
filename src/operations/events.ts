// The event feed.
import { Type } from '@sinclair/typebox'
import type { Database, JsonText } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { EventTypeName, PublishedEvent } from '../model/event.ts'
import { type EventType, eventTypes, isEventType } from '../model/event_type.ts'
import { Exact } from '../model/schema.ts'
import { operation } from './operation.ts'
import { entryCount } from './pages.ts'
import { integerParameter, type Parameter, readPlainInteger } from './parameters.ts'

export type ListEvents = {
  /** Cursor of the last event processed; null: from the oldest one retained. */
  after: number | null
  /** null: every type. */
  types: EventType[] | null
  limit: number
  /** After which a page ends; one event is always on it. */
  bytesMax: number
}

// Of a page of /events; a stream reads less at a time.
const pageBytesMax = 4 * 1024 * 1024

type EventPage = { data: JsonText; count: number; next_cursor: number; head: number }

/** Where the feed ends, with every answer that knows it: a copy begins there. */
export const feedHeaders = (head: number): Record<string, string> => ({
  'x-feed-head': String(head),
})

/**
 * FeedEvent[] in ascending cursor order. Throws invalid_cursor, cursor_expired (spec 4, rule 5), which name the cursor by
 * `sentAs`.
 */
export async function readEvents(
  database: Database,
  input: ListEvents,
  sentAs = 'after',
): Promise<EventPage> {
  const { after, types: event_types, limit: row_limit, bytesMax: bytes_max } = input
  const page = await database.bytes('getEventPage', { after, event_types, row_limit, bytes_max })
  if (!page) throw new Error('the feed has no row')
  const head = Number(page.head)
  const headers = feedHeaders(head)
  // A cursor this feed never gave out (another database, a restored backup) must not skip events in silence.
  // Right after a restore or a failover it may be one that was given out: the sequencer advances the feed with its first look.
  if (after !== null && after > head && String(page.is_own) === 't')
    throw new ApiError(
      'invalid_cursor',
      `${sentAs} is beyond the last event of this feed; omit it to start over.`,
      { headers },
    )
  if (after !== null && after < Number(page.horizon))
    throw new ApiError(
      'cursor_expired',
      `Events after this cursor have expired; omit ${sentAs} to start from the oldest.`,
      { headers },
    )
  const [count, next_cursor] = [Number(page.count), Number(page.next_cursor)]
  return { data: page.data, count, next_cursor, head }
}

// 2^53 - 1: the last integer that every JSON reader keeps exact.
const cursorMax = Number.MAX_SAFE_INTEGER

const after: Parameter<number | null> = {
  // Cursors outgrow 32 bits at the first `feed advance`.
  schema: { type: 'integer', format: 'int64', minimum: 0, maximum: cursorMax },
  description:
    'Cursor of the last processed event (`meta.next_cursor`); omitted: from the oldest event retained.',
  absent: null,
  expected: 'the cursor of an event: a whole number in plain decimal digits',
  code: 'invalid_cursor',
  parse: readPlainInteger,
}

const types: Parameter<EventType[] | null> = {
  schema: { type: 'array', items: EventTypeName, minItems: 1 },
  isList: true,
  description: 'Only events of these types, separated by commas or repeated.',
  absent: null,
  expected: `a comma-separated list of event types: ${eventTypes.join(', ')}`,
  code: 'invalid_types',
  parse: readTypes,
}

const isTypeName = (entry: unknown): entry is EventType =>
  typeof entry === 'string' && isEventType(entry)

/** A type that is repeated counts once, so that no list is longer than the enumeration. */
function readTypes(given: unknown): EventType[] | undefined {
  const entries = typeof given === 'string' ? given.split(',') : given
  const named = Array.isArray(entries) ? [...new Set(entries)] : []
  return named.length > 0 && named.every(isTypeName) ? named : undefined
}

const FeedMeta = Exact(
  {
    next_cursor: Type.Integer({
      format: 'int64',
      minimum: 0,
      description:
        'Send it as `after` on the next call. Never null: stop where it equals the header X-Feed-Head.',
    }),
    count: entryCount,
  },
  { $id: 'FeedMeta' },
)

/** In ascending order. Throws as readEvents does. */
export const listEvents = operation({
  name: 'listEvents',
  scope: 'read:events',
  input: {
    after,
    types,
    limit: integerParameter({
      min: 1,
      max: 200,
      absent: 100,
      description: 'Number of events, 1 to 200.',
    }),
  },
  bytesMax: pageBytesMax,
  data: Type.Array(PublishedEvent),
  meta: FeedMeta,
  async run(database, input) {
    const { bytesMax = pageBytesMax } = database
    const page = await readEvents(database, { ...input, bytesMax })
    const { data, count, next_cursor, head } = page
    return { data, meta: { next_cursor, count }, headers: feedHeaders(head) }
  },
})

/** Newest first; `before` is the cursor of the last event seen. No types: all. */
export type NewestEvents = { types: readonly EventType[]; before: number | null; limit: number }

const typesOf = ({ types }: NewestEvents) => (types.length === 0 ? eventTypes : types)

/** For the owner, with whom each is about. */
export const listNewestEvents = (database: Database, page: NewestEvents) =>
  database.list('listNewestEvents', {
    event_types: typesOf(page),
    before: page.before,
    row_limit: page.limit,
  })

// No index has the ids of events: one is looked for among so many of the newest.
export const idsMax = 20_000
// Hundreds of events about one person are rare.
const foundMax = 1_000

/** The same of what a text is about: a person, a type, an id (sql/functions/events/search.sql), or a cursor by itself. */
export async function listEventsAbout(database: Database, searched: string, page: NewestEvents) {
  const asked = { searched, log_max: idsMax, row_limit: foundMax }
  const found = await database.list('listFoundCursors', asked)
  const itself = readPlainInteger(searched.trim())
  const cursors = found.map(({ cursor }) => cursor)
  return await database.list('listEventsAt', {
    cursors: itself === undefined ? cursors : [...cursors, itself],
    event_types: typesOf(page),
    before: page.before,
    row_limit: page.limit,
  })
}

/** Those of them that are still there, with whom each is about. */
export const listEventsAtCursors = (database: Database, cursors: readonly number[]) =>
  database.list('listEventsAt', {
    cursors,
    event_types: eventTypes,
    before: null,
    row_limit: cursors.length,
  })

/** Null: erased, expired, or there is no event at this cursor. */
export async function getEvent(database: Database, cursor: number) {
  const [event] = await database.list('getEvent', { cursor })
  return event ?? null
}
