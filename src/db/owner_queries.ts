// The manifest's part for the owner and operators: sessions of the dashboard, what it shows, notices, gauges.
import { Type } from '@sinclair/typebox'
import getEvent from '../../sql/events/get_event.sql' with { type: 'text' }
import listNewestEvents from '../../sql/events/list_newest_events.sql' with { type: 'text' }
import getDelivery from '../../sql/hooks/get_delivery.sql' with { type: 'text' }
import listHookReports from '../../sql/hooks/list_hook_reports.sql' with { type: 'text' }
import claimOwnerNotices from '../../sql/owner/claim_owner_notices.sql' with { type: 'text' }
import countRecentAttempts from '../../sql/owner/count_recent_attempts.sql' with { type: 'text' }
import deleteOwnerNotice from '../../sql/owner/delete_owner_notice.sql' with { type: 'text' }
import deleteOwnerSession from '../../sql/owner/delete_owner_session.sql' with { type: 'text' }
import getGauges from '../../sql/owner/get_gauges.sql' with { type: 'text' }
import getOverview from '../../sql/owner/get_overview.sql' with { type: 'text' }
import getOwnerSession from '../../sql/owner/get_owner_session.sql' with { type: 'text' }
import insertOwnerSession from '../../sql/owner/insert_owner_session.sql' with { type: 'text' }
import listHookNames from '../../sql/owner/list_hook_names.sql' with { type: 'text' }
import pruneOwnerNotices from '../../sql/owner/prune_owner_notices.sql' with { type: 'text' }
import pruneOwnerSessions from '../../sql/owner/prune_owner_sessions.sql' with { type: 'text' }
import updateOwnerSessionUsed from '../../sql/owner/update_owner_session_used.sql' with {
  type: 'text',
}
import { FeedEvent } from '../model/event.ts'
import { DateTime, Exact, FreeForm, Nullable, Uuid } from '../model/schema.ts'
import { hookState } from './hook_queries.ts'
import { query } from './query.ts'

const count = Type.Integer()

export const ownerQueries = {
  getOverview: query(
    'owner/get_overview',
    getOverview,
    Exact({
      head: Type.Integer(),
      horizon: Type.Integer(),
      unsequenced: count,
      unsequenced_since: Nullable(DateTime),
      pending: count,
      due_since: Nullable(DateTime),
      requests: count,
      at: DateTime,
    }),
  ),
  getGauges: query(
    'owner/get_gauges',
    getGauges,
    Exact({
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
  ),
  countRecentAttempts: query(
    'owner/count_recent_attempts',
    countRecentAttempts,
    Exact({ at: DateTime, accepted: count, failed: count }),
  ),
  listHookNames: query(
    'owner/list_hook_names',
    listHookNames,
    Exact({
      id: Uuid,
      label: Nullable(Type.String()),
      target_url: Type.String(),
      active: Type.Boolean(),
      consecutive_failures: Type.Integer(),
      failing_since: Nullable(DateTime),
      paused_at: Nullable(DateTime),
    }),
  ),
  listHookReports: query(
    'hooks/list_hook_reports',
    listHookReports,
    Exact({
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
  ),
  getDelivery: query(
    'hooks/get_delivery',
    getDelivery,
    Exact({
      id: Type.Integer(),
      subscription_id: Uuid,
      cursor: Nullable(Type.Integer()),
      state: Type.String(),
      attempts: Type.Integer(),
      created_at: DateTime,
      due_at: DateTime,
      ended_at: Nullable(DateTime),
      event: Nullable(FreeForm),
    }),
  ),
  listNewestEvents: query(
    'events/list_newest_events',
    listNewestEvents,
    Exact({
      cursor: Type.Integer(),
      id: Uuid,
      event_type: Type.String(),
      occurred_at: DateTime,
      object_type: Type.String(),
      object_id: Type.String(),
    }),
  ),
  getEvent: query('events/get_event', getEvent, FeedEvent),

  insertOwnerSession: query(
    'owner/insert_owner_session',
    insertOwnerSession,
    Exact({ created_at: DateTime }),
  ),
  getOwnerSession: query(
    'owner/get_owner_session',
    getOwnerSession,
    Exact({ stale: Nullable(Type.Boolean()) }),
  ),
  updateOwnerSessionUsed: query(
    'owner/update_owner_session_used',
    updateOwnerSessionUsed,
    Exact({ used_at: DateTime }),
  ),
  deleteOwnerSession: query(
    'owner/delete_owner_session',
    deleteOwnerSession,
    Exact({ created_at: DateTime }),
  ),
  pruneOwnerSessions: query(
    'owner/prune_owner_sessions',
    pruneOwnerSessions,
    Exact({ created_at: DateTime }),
  ),

  claimOwnerNotices: query(
    'owner/claim_owner_notices',
    claimOwnerNotices,
    Exact({
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
  ),
  deleteOwnerNotice: query('owner/delete_owner_notice', deleteOwnerNotice, Exact({ id: Uuid })),
  pruneOwnerNotices: query('owner/prune_owner_notices', pruneOwnerNotices, Exact({ id: Uuid })),
}
