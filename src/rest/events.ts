// Spec part 4: /events.
import { Type } from '@sinclair/typebox'
import { afterParameter, FeedMeta, typesParameter } from '../http/feed_parameters.ts'
import { integerParameter } from '../http/parameters.ts'
import { FeedEvent } from '../model/event.ts'
import { listEvents } from '../operations/events.ts'
import { openEventStream } from './event_stream.ts'
import { type Route, route } from './route.ts'

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
    meta: FeedMeta,
    errors: ['invalid_request', 'invalid_cursor', 'invalid_types', 'cursor_expired'],
    async run(database, { query }) {
      const { json, count, next_cursor } = await listEvents(database, query)
      return { data: json, meta: { next_cursor, count } }
    },
    stream: openEventStream,
  }),
]
