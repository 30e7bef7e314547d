// The manifest's part for webhooks.
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
import recordDelivered from '../../sql/hooks/record_delivered.sql' with { type: 'text' }
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
import { readQueryFile } from './query_file.ts'

export const hookQueries = {
  listHooks: readQueryFile('hooks/list_hooks', listHooks),
  insertHook: readQueryFile('hooks/insert_hook', insertHook),
  deleteHook: readQueryFile('hooks/delete_hook', deleteHook),
  listHookSecrets: readQueryFile('hooks/list_hook_secrets', listHookSecrets),
  claimDeliveries: readQueryFile('hooks/claim_deliveries', claimDeliveries),
  insertTestDelivery: readQueryFile('hooks/insert_test_delivery', insertTestDelivery),
  listAttempts: readQueryFile('hooks/list_attempts', listAttempts),
  listDeliveries: readQueryFile('hooks/list_deliveries', listDeliveries),
  listHookStates: readQueryFile('hooks/list_hook_states', listHookStates),
  listSampleEvents: readQueryFile('hooks/list_sample_events', listSampleEvents),
  pruneDeliveries: readQueryFile('hooks/prune_deliveries', pruneDeliveries),
  recordAttempts: readQueryFile('hooks/record_attempts', recordAttempts),
  recordDelivered: readQueryFile('hooks/record_delivered', recordDelivered),
  updateDeliveriesMissed: readQueryFile('hooks/update_deliveries_missed', updateDeliveriesMissed),
  updateDeliveriesReleased: readQueryFile(
    'hooks/update_deliveries_released',
    updateDeliveriesReleased,
  ),
  updateDeliveryRedelivered: readQueryFile(
    'hooks/update_delivery_redelivered',
    updateDeliveryRedelivered,
  ),
  updateHookCaughtUp: readQueryFile('hooks/update_hook_caught_up', updateHookCaughtUp),
  updateHookReactivated: readQueryFile('hooks/update_hook_reactivated', updateHookReactivated),
  updateHookSecret: readQueryFile('hooks/update_hook_secret', updateHookSecret),
  updateHookSecretSwitched: readQueryFile(
    'hooks/update_hook_secret_switched',
    updateHookSecretSwitched,
  ),
}
