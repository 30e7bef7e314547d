// The manifest: every query file with the shape of its rows. Embedded as text, so the binary carries them.
import { Type } from '@sinclair/typebox'
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
import { Appointment } from '../model/appointment.ts'
import { Erasure, KontaktLeads } from '../model/erasure.ts'
import { Haushalt, KontaktSummary } from '../model/haushalt.ts'
import { Lead, LeadAnalysis } from '../model/lead.ts'
import { MeetingIntelligence } from '../model/meeting.ts'
import { DateTime, Exact, Nullable, Uuid } from '../model/schema.ts'
import { Signal } from '../model/signal.ts'
import { hookQueries, toldOnce } from './hook_queries.ts'
import { ownerQueries } from './owner_queries.ts'
import { command, query } from './query.ts'
import { redactionQueries } from './redaction_queries.ts'

const EventPage = Exact({
  horizon: Type.Integer(),
  head: Type.Integer(),
  count: Type.Integer(),
  next_cursor: Type.Integer(),
  data: Type.String(),
})

export const queries = {
  listLeads: query('leads/list_leads', listLeads, Lead),
  listActiveLeads: query('leads/list_active_leads', listActiveLeads, Lead),
  searchLeads: query('leads/search_leads', searchLeads, Lead),
  getLead: query('leads/get_lead', getLead, Lead),
  getLeadAnalysis: query('leads/get_lead_analysis', getLeadAnalysis, LeadAnalysis),

  listKontakte: query('kontakte/list_kontakte', listKontakte, KontaktSummary),
  getHaushalt: query('kontakte/get_haushalt', getHaushalt, Haushalt),
  resolveKontaktKey: query(
    'kontakte/resolve_kontakt_key',
    resolveKontaktKey,
    Exact({ kontakt_key: Nullable(Type.String()) }),
  ),
  getKontaktLeads: query('kontakte/get_kontakt_leads', getKontaktLeads, KontaktLeads),
  getKontaktHoldings: query('kontakte/get_kontakt_holdings', getKontaktHoldings, Erasure),
  deleteKontakt: query('kontakte/delete_kontakt', deleteKontakt, Erasure),

  listAppointments: query('appointments/list_appointments', listAppointments, Appointment),
  getMeetingIntelligence: query(
    'meetings/get_meeting_intelligence',
    getMeetingIntelligence,
    MeetingIntelligence,
  ),
  listSignals: query('signals/list_signals', listSignals, Signal),

  getEventPage: query('events/get_event_page', getEventPage, EventPage),
  getEventPageByTypes: query('events/get_event_page_by_types', getEventPageByTypes, EventPage),
  sequenceEvents: query(
    'events/sequence_events',
    sequenceEvents,
    Exact({
      moved: Nullable(Type.Integer()),
      unclaimed: Nullable(Type.Integer()),
      id: Nullable(Type.Integer()),
      subscription_id: Nullable(Uuid),
      cursor: Nullable(Type.Integer()),
      attempts: Nullable(Type.Integer()),
      ...toldOnce,
    }),
  ),
  getOutboxState: query(
    'events/get_outbox_state',
    getOutboxState,
    Exact({ waiting: Nullable(Type.Boolean()) }),
  ),
  updateFeedHead: query(
    'events/update_feed_head',
    updateFeedHead,
    Exact({
      head: Nullable(Type.Integer()),
      current_partition: Nullable(Type.String()),
      next_partition: Nullable(Type.String()),
    }),
  ),
  updateFeedIdle: query(
    'events/update_feed_idle',
    updateFeedIdle,
    Exact({ idle: Nullable(Type.Boolean()) }),
  ),
  prepareEventsPartitions: query(
    'events/prepare_events_partitions',
    prepareEventsPartitions,
    Exact({
      current_partition: Nullable(Type.String()),
      next_partition: Nullable(Type.String()),
    }),
  ),
  pruneEvents: query(
    'events/prune_events',
    pruneEvents,
    Exact({
      horizon: Nullable(Type.Integer()),
      partitions_dropped: Nullable(Type.Integer()),
    }),
  ),

  ...hookQueries,
  ...ownerQueries,

  listApiKeys: query(
    'keys/list_api_keys',
    listApiKeys,
    Exact({
      id: Uuid,
      prefix: Type.String(),
      label: Type.String(),
      scopes: Type.Array(Type.String()),
      created_at: DateTime,
      last_used_at: Nullable(DateTime),
      expires_at: Nullable(DateTime),
      revoked_at: Nullable(DateTime),
    }),
  ),
  listLiveApiKeys: query(
    'keys/list_live_api_keys',
    listLiveApiKeys,
    Exact({
      id: Uuid,
      digest: Nullable(Type.String()),
      scopes: Type.Array(Type.String()),
      expires_at: Nullable(DateTime),
    }),
  ),
  insertApiKey: query('keys/insert_api_key', insertApiKey, Exact({ id: Uuid })),
  updateApiKeyRevoked: query(
    'keys/update_api_key_revoked',
    updateApiKeyRevoked,
    Exact({ id: Uuid, prefix: Type.String(), label: Type.String() }),
  ),
  updateApiKeysLastUsed: command('keys/update_api_keys_last_used', updateApiKeysLastUsed),
  claimPermits: query(
    'keys/claim_permits',
    claimPermits,
    Exact({
      key_id: Uuid,
      granted: Type.Integer(),
      used: Type.Integer(),
      wait_seconds: Nullable(Type.Integer()),
    }),
  ),

  ...redactionQueries,

  getLostSettings: query(
    'roles/get_lost_settings',
    getLostSettings,
    Exact({ names: Nullable(Type.Array(Type.String())) }),
  ),

  getLeadPresence: query(
    'leads/get_lead_presence',
    getLeadPresence,
    Exact({ present: Nullable(Type.Boolean()) }),
  ),
  getReadiness: query(
    'service/get_readiness',
    getReadiness,
    Exact({ schema_version: Nullable(Type.Integer()) }),
  ),
  listSchemaMigrations: query(
    'service/list_schema_migrations',
    listSchemaMigrations,
    Exact({ number: Type.Integer(), name: Type.String(), sha256: Type.String() }),
  ),
  getReplicaState: query(
    'service/get_replica_state',
    getReplicaState,
    Exact({ schema_version: Nullable(Type.Integer()), database: Nullable(Type.String()) }),
  ),
  insertSchemaMigration: query(
    'service/insert_schema_migration',
    insertSchemaMigration,
    Exact({ number: Type.Integer(), lock_timeout: Nullable(Type.String()) }),
  ),
}

export type { Query } from './query.ts'
export type Queries = typeof queries
export type QueryName = keyof Queries
