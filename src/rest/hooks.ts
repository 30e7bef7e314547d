// Spec part 4: /hooks.
import { Type } from '@sinclair/typebox'
import { enumParameter } from '../http/parameters.ts'
import { Event } from '../model/event.ts'
import { eventTypes } from '../model/event_type.ts'
import { HookRequest, HookSubscription, NewHookSubscription } from '../model/hook.ts'
import { Exact } from '../model/schema.ts'
import { createHook, deleteHook, listHooks, listSampleEvents } from '../operations/hooks.ts'
import { readHookBody } from './hook_body.ts'
import { type Route, route } from './route.ts'

const CountMeta = Exact({ count: Type.Integer({ description: 'Number of entries in `data`.' }) })

export const hookRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/hooks',
    operationId: 'listHooks',
    scope: 'write:hooks',
    summary: 'List webhook subscriptions, newest first',
    description: 'All of them, without their signing secrets',
    query: {},
    data: Type.Array(HookSubscription),
    meta: CountMeta,
    errors: [],
    async run(database) {
      const { json, count } = await listHooks(database)
      return { data: json, meta: { count } }
    },
  }),
  route({
    method: 'POST',
    path: '/hooks',
    operationId: 'createHook',
    scope: 'write:hooks',
    summary: 'Subscribe a URL to events',
    description:
      'Events of these types that arise from now on are sent to `target_url`, signed with the `signing_secret` of this answer, which is shown nowhere else. ' +
      'Whoever holds this scope receives full payloads without any read scope',
    query: {},
    body: HookRequest,
    status: 201,
    data: NewHookSubscription,
    errors: ['invalid_json', 'missing_target_url', 'invalid_event_types', 'invalid_subscription'],
    async run(database, { body }, subscribing) {
      return { data: await createHook(database, readHookBody(body), subscribing) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/hooks/{hookId}',
    operationId: 'deleteHook',
    scope: 'write:hooks',
    summary: 'End a webhook subscription',
    description: 'At once: what is not under way to it at this moment is not sent any more',
    pathParameters: { hookId: { kind: 'uuid', description: 'Id of the subscription.' } },
    query: {},
    data: Exact({ deleted: Type.Literal(true) }),
    errors: ['invalid_id', 'not_found'],
    async run(database, { path }) {
      await deleteHook(database, path.hookId ?? '')
      return { data: '{"deleted":true}' }
    },
  }),
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
    meta: CountMeta,
    errors: ['unknown_event_type'],
    async run(database, { query }) {
      const { json, count } = await listSampleEvents(database, query.type)
      return { data: json, meta: { count } }
    },
  }),
]
