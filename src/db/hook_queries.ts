// The manifest's part for webhooks.
import { Type } from '@sinclair/typebox'
import claimDeliveries from '../../sql/hooks/claim_deliveries.sql' with { type: 'text' }
import deleteHook from '../../sql/hooks/delete_hook.sql' with { type: 'text' }
import insertHook from '../../sql/hooks/insert_hook.sql' with { type: 'text' }
import insertTestDelivery from '../../sql/hooks/insert_test_delivery.sql' with { type: 'text' }
import listAttempts from '../../sql/hooks/list_attempts.sql' with { type: 'text' }
import listDeliveries from '../../sql/hooks/list_deliveries.sql' with { type: 'text' }
import listHookSecrets from '../../sql/hooks/list_hook_secrets.sql' with { type: 'text' }
import listHookStates from '../../sql/hooks/list_hook_states.sql' with { type: 'text' }
import listHooks from '../../sql/hooks/list_hooks.sql' with { type: 'text' }
import listSampleEvents from '../../sql/hooks/list_sample_events.sql' with { type: 'text' }
import pruneDeliveries from '../../sql/hooks/prune_deliveries.sql' with { type: 'text' }
import recordAttempts from '../../sql/hooks/record_attempts.sql' with { type: 'text' }
import updateDeliveriesMissed from '../../sql/hooks/update_deliveries_missed.sql' with {
  type: 'text',
}
import updateDeliveriesReleased from '../../sql/hooks/update_deliveries_released.sql' with {
  type: 'text',
}
import updateDeliveryRedelivered from '../../sql/hooks/update_delivery_redelivered.sql' with {
  type: 'text',
}
import updateHookCaughtUp from '../../sql/hooks/update_hook_caught_up.sql' with { type: 'text' }
import updateHookReactivated from '../../sql/hooks/update_hook_reactivated.sql' with {
  type: 'text',
}
import updateHookSecret from '../../sql/hooks/update_hook_secret.sql' with { type: 'text' }
import updateHookSecretSwitched from '../../sql/hooks/update_hook_secret_switched.sql' with {
  type: 'text',
}
import { Event } from '../model/event.ts'
import { HookSubscription } from '../model/hook.ts'
import { DateTime, Exact, Nullable, Uuid } from '../model/schema.ts'
import { command, query } from './query.ts'

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

/** What one of the rows of a claim tells of a subscription, and one of an event. */
export const toldOnce = {
  target_url: Nullable(Type.String()),
  secret: Nullable(Type.String()),
  old_secret: Nullable(Type.String()),
  old_secret_leads: Nullable(Type.Boolean()),
  event_id: Nullable(Type.String()),
  body: Nullable(Type.String()),
}

export const hookQueries = {
  listHooks: query('hooks/list_hooks', listHooks, HookSubscription),
  insertHook: query('hooks/insert_hook', insertHook, Exact({ subscription: Type.String() })),
  deleteHook: query('hooks/delete_hook', deleteHook, Exact({ id: Uuid })),
  listHookSecrets: query(
    'hooks/list_hook_secrets',
    listHookSecrets,
    Exact({ id: Uuid, secret: Type.String(), old_secret: Nullable(Type.String()) }),
  ),
  claimDeliveries: query(
    'hooks/claim_deliveries',
    claimDeliveries,
    Exact({
      id: Type.Integer(),
      subscription_id: Uuid,
      cursor: Nullable(Type.Integer()),
      attempts: Type.Integer(),
      ...toldOnce,
    }),
  ),
  insertTestDelivery: query(
    'hooks/insert_test_delivery',
    insertTestDelivery,
    Exact({ id: Type.Integer(), event_id: Nullable(Type.String()) }),
  ),
  listAttempts: query(
    'hooks/list_attempts',
    listAttempts,
    Exact({
      claim: Uuid,
      started_at: DateTime,
      duration_ms: Type.Integer(),
      status: Nullable(Type.Integer()),
      error_class: Nullable(Type.String()),
      excerpt: Nullable(Type.String()),
    }),
  ),
  listDeliveries: query(
    'hooks/list_deliveries',
    listDeliveries,
    Exact({
      id: Type.Integer(),
      cursor: Nullable(Type.Integer()),
      state: Type.String(),
      attempts: Type.Integer(),
      created_at: DateTime,
      due_at: DateTime,
      ended_at: Nullable(DateTime),
      event_id: Nullable(Uuid),
      event_type: Nullable(Type.String()),
    }),
  ),
  listHookStates: query('hooks/list_hook_states', listHookStates, Exact(hookState)),
  listSampleEvents: query('hooks/list_sample_events', listSampleEvents, Event),
  pruneDeliveries: query(
    'hooks/prune_deliveries',
    pruneDeliveries,
    Exact({ pruned: Nullable(Type.Integer()) }),
  ),
  recordAttempts: query(
    'hooks/record_attempts',
    recordAttempts,
    Exact({ id: Uuid, consecutive_failures: Type.Integer(), active: Type.Boolean() }),
  ),
  updateDeliveriesMissed: query(
    'hooks/update_deliveries_missed',
    updateDeliveriesMissed,
    Exact({ id: Type.Integer() }),
  ),
  updateDeliveriesReleased: command('hooks/update_deliveries_released', updateDeliveriesReleased),
  updateDeliveryRedelivered: query(
    'hooks/update_delivery_redelivered',
    updateDeliveryRedelivered,
    Exact({ id: Type.Integer() }),
  ),
  updateHookCaughtUp: query('hooks/update_hook_caught_up', updateHookCaughtUp, Exact({ id: Uuid })),
  updateHookReactivated: query(
    'hooks/update_hook_reactivated',
    updateHookReactivated,
    Exact({ id: Uuid }),
  ),
  updateHookSecret: query(
    'hooks/update_hook_secret',
    updateHookSecret,
    Exact({ id: Uuid, old_secret_until: Nullable(DateTime) }),
  ),
  updateHookSecretSwitched: query(
    'hooks/update_hook_secret_switched',
    updateHookSecretSwitched,
    Exact({ id: Uuid }),
  ),
}
