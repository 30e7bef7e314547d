// The shapes of rows for the owner and operators.
import { Type } from '@sinclair/typebox'
import { FeedEvent } from '../model/event.ts'
import { DateTime, Exact, FreeForm, Nullable, Uuid } from '../model/schema.ts'
import { deliveryState, hookState } from './hook_rows.ts'

const count = Type.Integer()

export const ownerRows = {
  getOverview: Exact({
    head: Type.Integer(),
    horizon: Type.Integer(),
    unsequenced: count,
    unsequenced_since: Nullable(DateTime),
    pending: count,
    due_since: Nullable(DateTime),
    requests: count,
    at: DateTime,
  }),
  getGauges: Exact({
    head: Type.Integer(),
    horizon: Type.Integer(),
    head_age: Nullable(Type.Number()),
    partitions: count,
    outbox: count,
    outbox_age: Nullable(Type.Number()),
    pending: count,
    due_age: Nullable(Type.Number()),
    active: count,
    failing: count,
    paused: count,
  }),
  countRecentAttempts: Exact({ at: DateTime, accepted: count, failed: count }),
  listHookNames: Exact({
    id: Uuid,
    label: Nullable(Type.String()),
    target_url: Type.String(),
    active: Type.Boolean(),
    consecutive_failures: Type.Integer(),
    failing_since: Nullable(DateTime),
    paused_at: Nullable(DateTime),
  }),
  listHookReports: Exact({
    ...hookState,
    pending: count,
    skipped: count,
    delivered_at: Nullable(DateTime),
    failure_delivery_id: Nullable(Type.Integer()),
    failure_at: Nullable(DateTime),
    failure_status: Nullable(Type.Integer()),
    failure_class: Nullable(Type.String()),
    failure_excerpt: Nullable(Type.String()),
  }),
  getDelivery: Exact({
    id: Type.Integer(),
    subscription_id: Uuid,
    ...deliveryState,
    event: Nullable(FreeForm),
  }),
  listNewestEvents: Exact({
    cursor: Type.Integer(),
    id: Uuid,
    event_type: Type.String(),
    occurred_at: DateTime,
    object_type: Type.String(),
    object_id: Type.String(),
  }),
  getEvent: FeedEvent,

  insertOwnerSession: Exact({ created_at: DateTime }),
  getOwnerSession: Exact({ stale: Nullable(Type.Boolean()) }),
  updateOwnerSessionUsed: Exact({ used_at: DateTime }),
  deleteOwnerSession: Exact({ created_at: DateTime }),
  pruneOwnerSessions: Exact({ created_at: DateTime }),

  claimOwnerNotices: Exact({
    id: Uuid,
    failures: Type.Integer(),
    created_at: DateTime,
    subscription_id: Uuid,
    label: Nullable(Type.String()),
    target_url: Type.String(),
    active: Type.Boolean(),
    failing_since: Nullable(DateTime),
    catch_up_cursor: Nullable(Type.Integer()),
  }),
  deleteOwnerNotice: Exact({ id: Uuid }),
  pruneOwnerNotices: Exact({ id: Uuid }),
}
