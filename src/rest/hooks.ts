// Spec part 4: /hooks.
import { Type } from '@sinclair/typebox'
import { enumParameter } from '../http/parameters.ts'
import { Event } from '../model/event.ts'
import { eventTypes } from '../model/event_type.ts'
import { Exact } from '../model/schema.ts'
import { listSampleEvents } from '../operations/hooks.ts'
import { type Route, route } from './route.ts'

export const hookRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/hooks/sample',
    operationId: 'listSampleEvents',
    scope: 'write:hooks',
    summary: 'Example events for field mapping',
    description:
      'One invented event per type, with the fields of a live event and every one filled',
    query: {
      type: {
        ...enumParameter(eventTypes, 'Only the example of this type.'),
        code: 'unknown_event_type',
      },
    },
    data: Type.Array(Event),
    meta: Exact({ count: Type.Integer({ description: 'Number of entries in `data`.' }) }),
    errors: ['unknown_event_type'],
    async run(database, { query }) {
      const { json, count } = await listSampleEvents(database, query.type)
      return { data: json, meta: { count } }
    },
  }),
]
