// The manifest: every query file. Embedded as text, so the binary carries them. rows.ts has the shape of their rows.
import listAppointments from '../../sql/appointments/list_appointments.sql' with { type: 'text' }
import getEventPage from '../../sql/events/get_event_page.sql' with { type: 'text' }
import getEventPageByTypes from '../../sql/events/get_event_page_by_types.sql' with { type: 'text' }
import getOutboxState from '../../sql/events/get_outbox_state.sql' with { type: 'text' }
import prepareEventsPartitions from '../../sql/events/prepare_events_partitions.sql' with {
  type: 'text',
}
import pruneEvents from '../../sql/events/prune_events.sql' with { type: 'text' }
import sequenceEvents from '../../sql/events/sequence_events.sql' with { type: 'text' }
import updateFeedHead from '../../sql/events/update_feed_head.sql' with { type: 'text' }
import updateFeedIdle from '../../sql/events/update_feed_idle.sql' with { type: 'text' }
import claimPermits from '../../sql/keys/claim_permits.sql' with { type: 'text' }
import insertApiKey from '../../sql/keys/insert_api_key.sql' with { type: 'text' }
import listApiKeys from '../../sql/keys/list_api_keys.sql' with { type: 'text' }
import listLiveApiKeys from '../../sql/keys/list_live_api_keys.sql' with { type: 'text' }
import updateApiKeyRevoked from '../../sql/keys/update_api_key_revoked.sql' with { type: 'text' }
import updateApiKeysLastUsed from '../../sql/keys/update_api_keys_last_used.sql' with {
  type: 'text',
}
import deleteKontakt from '../../sql/kontakte/delete_kontakt.sql' with { type: 'text' }
import getHaushalt from '../../sql/kontakte/get_haushalt.sql' with { type: 'text' }
import getKontaktHoldings from '../../sql/kontakte/get_kontakt_holdings.sql' with { type: 'text' }
import getKontaktLeads from '../../sql/kontakte/get_kontakt_leads.sql' with { type: 'text' }
import listKontakte from '../../sql/kontakte/list_kontakte.sql' with { type: 'text' }
import resolveKontaktKey from '../../sql/kontakte/resolve_kontakt_key.sql' with { type: 'text' }
import getLead from '../../sql/leads/get_lead.sql' with { type: 'text' }
import getLeadAnalysis from '../../sql/leads/get_lead_analysis.sql' with { type: 'text' }
import getLeadPresence from '../../sql/leads/get_lead_presence.sql' with { type: 'text' }
import listActiveLeads from '../../sql/leads/list_active_leads.sql' with { type: 'text' }
import listLeads from '../../sql/leads/list_leads.sql' with { type: 'text' }
import searchLeads from '../../sql/leads/search_leads.sql' with { type: 'text' }
import getMeetingIntelligence from '../../sql/meetings/get_meeting_intelligence.sql' with {
  type: 'text',
}
import getLostSettings from '../../sql/roles/get_lost_settings.sql' with { type: 'text' }
import getReadiness from '../../sql/service/get_readiness.sql' with { type: 'text' }
import getReplicaState from '../../sql/service/get_replica_state.sql' with { type: 'text' }
import insertSchemaMigration from '../../sql/service/insert_schema_migration.sql' with {
  type: 'text',
}
import listSchemaMigrations from '../../sql/service/list_schema_migrations.sql' with {
  type: 'text',
}
import listSignals from '../../sql/signals/list_signals.sql' with { type: 'text' }
import { hookQueries } from './hook_queries.ts'
import { ownerQueries } from './owner_queries.ts'
import { readQueryFile } from './query_file.ts'
import { redactionQueries } from './redaction_queries.ts'

export const queries = {
  listLeads: readQueryFile('leads/list_leads', listLeads),
  listActiveLeads: readQueryFile('leads/list_active_leads', listActiveLeads),
  searchLeads: readQueryFile('leads/search_leads', searchLeads),
  getLead: readQueryFile('leads/get_lead', getLead),
  getLeadAnalysis: readQueryFile('leads/get_lead_analysis', getLeadAnalysis),

  listKontakte: readQueryFile('kontakte/list_kontakte', listKontakte),
  getHaushalt: readQueryFile('kontakte/get_haushalt', getHaushalt),
  resolveKontaktKey: readQueryFile('kontakte/resolve_kontakt_key', resolveKontaktKey),
  getKontaktLeads: readQueryFile('kontakte/get_kontakt_leads', getKontaktLeads),
  getKontaktHoldings: readQueryFile('kontakte/get_kontakt_holdings', getKontaktHoldings),
  deleteKontakt: readQueryFile('kontakte/delete_kontakt', deleteKontakt),

  listAppointments: readQueryFile('appointments/list_appointments', listAppointments),
  getMeetingIntelligence: readQueryFile(
    'meetings/get_meeting_intelligence',
    getMeetingIntelligence,
  ),
  listSignals: readQueryFile('signals/list_signals', listSignals),

  getEventPage: readQueryFile('events/get_event_page', getEventPage),
  getEventPageByTypes: readQueryFile('events/get_event_page_by_types', getEventPageByTypes),
  sequenceEvents: readQueryFile('events/sequence_events', sequenceEvents),
  getOutboxState: readQueryFile('events/get_outbox_state', getOutboxState),
  updateFeedHead: readQueryFile('events/update_feed_head', updateFeedHead),
  updateFeedIdle: readQueryFile('events/update_feed_idle', updateFeedIdle),
  prepareEventsPartitions: readQueryFile(
    'events/prepare_events_partitions',
    prepareEventsPartitions,
  ),
  pruneEvents: readQueryFile('events/prune_events', pruneEvents),

  ...hookQueries,
  ...ownerQueries,

  listApiKeys: readQueryFile('keys/list_api_keys', listApiKeys),
  listLiveApiKeys: readQueryFile('keys/list_live_api_keys', listLiveApiKeys),
  insertApiKey: readQueryFile('keys/insert_api_key', insertApiKey),
  updateApiKeyRevoked: readQueryFile('keys/update_api_key_revoked', updateApiKeyRevoked),
  updateApiKeysLastUsed: readQueryFile('keys/update_api_keys_last_used', updateApiKeysLastUsed),
  claimPermits: readQueryFile('keys/claim_permits', claimPermits),

  ...redactionQueries,

  getLostSettings: readQueryFile('roles/get_lost_settings', getLostSettings),

  getLeadPresence: readQueryFile('leads/get_lead_presence', getLeadPresence),
  getReadiness: readQueryFile('service/get_readiness', getReadiness),
  listSchemaMigrations: readQueryFile('service/list_schema_migrations', listSchemaMigrations),
  getReplicaState: readQueryFile('service/get_replica_state', getReplicaState),
  insertSchemaMigration: readQueryFile('service/insert_schema_migration', insertSchemaMigration),
}

export type Queries = typeof queries
export type QueryName = keyof Queries
