// The shapes of rows for webhooks.
import { Type } from '@sinclair/typebox'
import { Event } from '../model/event.ts'
import { HookSubscription } from '../model/hook.ts'
import { DateTime, Exact, Nullable, Uuid } from '../model/schema.ts'

/** What the owner is told of a subscription, wherever. */
export const hookState = {
  id: Uuid,
  target_url: Type.String(),
  event_types: Type.Array(Type.String()),
  label: Nullable(Type.String()),
  source: Type.String(),
  active: Type.Boolean(),
  created_at: DateTime,
  consecutive_failures: Type.Integer(),
  failing_since: Nullable(DateTime),
  paused_at: Nullable(DateTime),
  old_secret_until: Nullable(DateTime),
  old_secret_leads: Type.Boolean(),
  catch_up_cursor: Nullable(Type.Integer()),
}

/** How far a delivery came. */
export const deliveryState = {
  cursor: Nullable(Type.Integer()),
  state: Type.String(),
  attempts: Type.Integer(),
  created_at: DateTime,
  due_at: Nullable(DateTime),
  ended_at: Nullable(DateTime),
}

/** A claim's answer: a row per subscription, with JSON arrays of what was claimed of it, and one per event. */
export const claimed = {
  subscription_id: Nullable(Uuid),
  target_url: Nullable(Type.String()),
  secret: Nullable(Type.String()),
  old_secret: Nullable(Type.String()),
  old_secret_leads: Nullable(Type.Boolean()),
  ids: Nullable(Type.String()),
  cursors: Nullable(Type.String()),
  attempts: Nullable(Type.String()),
  cursor: Nullable(Type.Integer()),
  body: Nullable(Type.String()),
}

/** A subscription whose run of failures changed, or a delivery whose attempt is to be said again. */
const recorded = Exact({
  id: Nullable(Uuid),
  consecutive_failures: Nullable(Type.Integer()),
  active: Nullable(Type.Boolean()),
  moved_id: Nullable(Type.Integer()),
})

export const hookRows = {
  listHooks: HookSubscription,
  insertHook: Exact({ subscription: Type.String() }),
  deleteHook: Exact({ id: Uuid }),
  listHookSecrets: Exact({ id: Uuid, secret: Type.String(), old_secret: Nullable(Type.String()) }),
  claimDeliveries: Exact(claimed),
  insertTestDelivery: Exact({ id: Type.Integer(), event_id: Nullable(Type.String()) }),
  listAttempts: Exact({
    claim: Uuid,
    started_at: DateTime,
    duration_ms: Type.Integer(),
    status: Nullable(Type.Integer()),
    error_class: Nullable(Type.String()),
    excerpt: Nullable(Type.String()),
  }),
  listDeliveries: Exact({
    id: Type.Integer(),
    ...deliveryState,
    event_id: Nullable(Uuid),
    event_type: Nullable(Type.String()),
  }),
  listHookStates: Exact(hookState),
  listSampleEvents: Event,
  pruneDeliveries: Exact({ pruned: Nullable(Type.Integer()) }),
  recordAttempts: recorded,
  recordDelivered: recorded,
  updateDeliveriesMissed: Exact({ id: Type.Integer() }),
  updateDeliveriesReleased: null,
  updateDeliveryRedelivered: Exact({ id: Type.Integer() }),
  updateHookCaughtUp: Exact({ id: Uuid }),
  updateHookReactivated: Exact({ id: Uuid }),
  updateHookSecret: Exact({ id: Uuid, old_secret_until: Nullable(DateTime) }),
  updateHookSecretSwitched: Exact({ id: Uuid }),
}
