// What clients may do about webhook subscriptions; the owner may do more (hooks.ts).
import { Type } from '@sinclair/typebox'
import { EventTypeName, PublishedEvent } from '../model/event.ts'
import { eventTypes } from '../model/event_type.ts'
import { HookRequest, HookSubscription, NewHookSubscription } from '../model/hook.ts'
import { Exact } from '../model/schema.ts'
import { readHookBody } from './hook_body.ts'
import { createHook, deleteHook, listSampleEvents } from './hooks.ts'
import { operation } from './operation.ts'
import { CountMeta, wholeList } from './pages.ts'
import { enumParameter, required, uuidParameter } from './parameters.ts'

const scope = 'write:hooks'

export const hookOperations = {
  /** Newest first. */
  list: operation({
    name: 'listHooks',
    scope,
    input: {},
    data: Type.Array(HookSubscription),
    meta: CountMeta,
    run: async database => wholeList(await database.listJson('listHooks', {})),
  }),
  create: operation({
    name: 'createHook',
    scope,
    input: {},
    body: HookRequest,
    data: NewHookSubscription,
    run: async (database, { body }, settings) => ({
      data: await createHook(database, readHookBody(body), settings),
    }),
  }),
  delete: operation({
    name: 'deleteHook',
    scope,
    input: { hook_id: required(uuidParameter('Id of the subscription.')) },
    data: Exact({ deleted: Type.Literal(true) }, { $id: 'HookDeleted' }),
    async run(database, { hook_id }) {
      await deleteHook(database, hook_id)
      return { data: '{"deleted":true}' }
    },
  }),
  listSamples: operation({
    name: 'listSampleEvents',
    scope,
    input: {
      type: {
        ...enumParameter(eventTypes, 'Only the example of this type.'),
        schema: EventTypeName,
        code: 'unknown_event_type',
      },
    },
    data: Type.Array(PublishedEvent),
    meta: CountMeta,
    run: async (database, { type }) => wholeList(await listSampleEvents(database, type)),
  }),
}
