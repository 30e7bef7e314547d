// Spec part 4: /events.
import { Type } from '@sinclair/typebox'
import { FeedEvent } from '../model/event.ts'
import { type EventType, eventTypes, isEventType } from '../model/event_type.ts'
import { Exact } from '../model/schema.ts'
import { listEvents } from '../operations/events.ts'
import { openEventStream } from './event_stream.ts'
import { integerParameter, type QueryParameter } from './parameters.ts'
import { type Route, route } from './route.ts'

// 2^53 - 1: the last integer that every JSON reader keeps exact.
const cursorMax = Number.MAX_SAFE_INTEGER

const afterParameter: QueryParameter<number | null> = {
  ...integerParameter({ min: 0, max: cursorMax, absent: 0, description: '' }),
  schema: { type: 'integer', minimum: 0, maximum: cursorMax },
  description:
    'Cursor of the last processed event (`meta.next_cursor`); omitted: from the oldest event retained.',
  absent: null,
  expected: 'the cursor of an event: a whole number in plain decimal digits',
  code: 'invalid_cursor',
}

const typesParameter: QueryParameter<EventType[] | null> = {
  schema: { type: 'array', items: { type: 'string', enum: eventTypes }, minItems: 1 },
  style: { style: 'form', explode: false },
  description: 'Only events of these types, separated by commas.',
  absent: null,
  expected: `a comma-separated list of event types: ${eventTypes.join(', ')}`,
  code: 'invalid_types',
  parse: readTypes,
}

// All types with their commas are shorter; what is longer repeats itself.
const typesLengthMax = 2_000

function readTypes(text: string): EventType[] | undefined {
  const named = [...new Set(text.slice(0, typesLengthMax).split(','))]
  return named.every(isEventType) ? named : undefined
}

export const eventRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/events',
    operationId: 'listEvents',
    scope: 'read:events',
    summary: 'Read the event feed',
    description:
      'Ascending by cursor, at least once. Store `meta.next_cursor` and send it as `after`; de-duplicate by event `id`. ' +
      'With `Accept: text/event-stream` the answer stays open and follows the feed: event id = cursor, `Last-Event-ID` resumes',
    query: {
      after: afterParameter,
      types: typesParameter,
      limit: integerParameter({
        min: 1,
        max: 200,
        absent: 100,
        description: 'Number of events, 1 to 200.',
      }),
    },
    data: Type.Array(FeedEvent),
    meta: Exact({
      next_cursor: Type.Integer({
        minimum: 0,
        description: 'Send it as `after` on the next call.',
      }),
      count: Type.Integer({ description: 'Number of entries in `data`.' }),
    }),
    errors: ['invalid_request', 'invalid_cursor', 'invalid_types', 'cursor_expired'],
    async run(database, { query }) {
      const { json, count, next_cursor } = await listEvents(database, query)
      return { data: json, meta: { next_cursor, count } }
    },
    stream: openEventStream,
  }),
]
