// Generated: bun run queries. Every query of the service, by the names of the files below sql/: what it takes by the
// head of its file, what it returns as PostgreSQL describes it.
import listAppointments from '../../sql/appointments/list_appointments.sql' with { type: 'text' }
import getEvent from '../../sql/events/get_event.sql' with { type: 'text' }
import getEventPage from '../../sql/events/get_event_page.sql' with { type: 'text' }
import getFeedCheck from '../../sql/events/get_feed_check.sql' with { type: 'text' }
import listFoundCursors from '../../sql/events/list_found_cursors.sql' with { type: 'text' }
import listNewestEvents from '../../sql/events/list_newest_events.sql' with { type: 'text' }
import pruneEvents from '../../sql/events/prune_events.sql' with { type: 'text' }
import sequenceEvents from '../../sql/events/sequence_events.sql' with { type: 'text' }
import updateFeedFloor from '../../sql/events/update_feed_floor.sql' with { type: 'text' }
import updateFeedHead from '../../sql/events/update_feed_head.sql' with { type: 'text' }
import claimDueDeliveries from '../../sql/hooks/claim_due_deliveries.sql' with { type: 'text' }
import deleteHookFailures from '../../sql/hooks/delete_hook_failures.sql' with { type: 'text' }
import getArrivals from '../../sql/hooks/get_arrivals.sql' with { type: 'text' }
import getHookTarget from '../../sql/hooks/get_hook_target.sql' with { type: 'text' }
import insertHook from '../../sql/hooks/insert_hook.sql' with { type: 'text' }
import listActiveHooks from '../../sql/hooks/list_active_hooks.sql' with { type: 'text' }
import listAttemptHours from '../../sql/hooks/list_attempt_hours.sql' with { type: 'text' }
import listAttempts from '../../sql/hooks/list_attempts.sql' with { type: 'text' }
import listDeliveries from '../../sql/hooks/list_deliveries.sql' with { type: 'text' }
import listDeliveryPage from '../../sql/hooks/list_delivery_page.sql' with { type: 'text' }
import listEventDeliveries from '../../sql/hooks/list_event_deliveries.sql' with { type: 'text' }
import listHookReports from '../../sql/hooks/list_hook_reports.sql' with { type: 'text' }
import listHookSecrets from '../../sql/hooks/list_hook_secrets.sql' with { type: 'text' }
import listHooks from '../../sql/hooks/list_hooks.sql' with { type: 'text' }
import pruneDeliveries from '../../sql/hooks/prune_deliveries.sql' with { type: 'text' }
import recordAttempts from '../../sql/hooks/record_attempts.sql' with { type: 'text' }
import updateHook from '../../sql/hooks/update_hook.sql' with { type: 'text' }
import updateHookDeleted from '../../sql/hooks/update_hook_deleted.sql' with { type: 'text' }
import updateHookPaused from '../../sql/hooks/update_hook_paused.sql' with { type: 'text' }
import updateHookReactivated from '../../sql/hooks/update_hook_reactivated.sql' with { type: 'text' }
import updateHookRedelivered from '../../sql/hooks/update_hook_redelivered.sql' with { type: 'text' }
import updateHookReplayed from '../../sql/hooks/update_hook_replayed.sql' with { type: 'text' }
import updateHookSecret from '../../sql/hooks/update_hook_secret.sql' with { type: 'text' }
import updateHookSecretSwitched from '../../sql/hooks/update_hook_secret_switched.sql' with { type: 'text' }
import claimPermits from '../../sql/keys/claim_permits.sql' with { type: 'text' }
import getUsage from '../../sql/keys/get_usage.sql' with { type: 'text' }
import insertApiKey from '../../sql/keys/insert_api_key.sql' with { type: 'text' }
import insertApiKeySuccessor from '../../sql/keys/insert_api_key_successor.sql' with { type: 'text' }
import listApiKeys from '../../sql/keys/list_api_keys.sql' with { type: 'text' }
import listKeyUsage from '../../sql/keys/list_key_usage.sql' with { type: 'text' }
import listLiveApiKeys from '../../sql/keys/list_live_api_keys.sql' with { type: 'text' }
import recordKeyUsage from '../../sql/keys/record_key_usage.sql' with { type: 'text' }
import updateApiKeyRevoked from '../../sql/keys/update_api_key_revoked.sql' with { type: 'text' }
import deleteKontakt from '../../sql/kontakte/delete_kontakt.sql' with { type: 'text' }
import getHaushalt from '../../sql/kontakte/get_haushalt.sql' with { type: 'text' }
import getKontaktHoldings from '../../sql/kontakte/get_kontakt_holdings.sql' with { type: 'text' }
import getKontaktLeads from '../../sql/kontakte/get_kontakt_leads.sql' with { type: 'text' }
import listKontakte from '../../sql/kontakte/list_kontakte.sql' with { type: 'text' }
import listKontakteWithHaushalt from '../../sql/kontakte/list_kontakte_with_haushalt.sql' with { type: 'text' }
import resolveKontaktKey from '../../sql/kontakte/resolve_kontakt_key.sql' with { type: 'text' }
import resolveKontaktKeys from '../../sql/kontakte/resolve_kontakt_keys.sql' with { type: 'text' }
import getLead from '../../sql/leads/get_lead.sql' with { type: 'text' }
import getLeadAnalysis from '../../sql/leads/get_lead_analysis.sql' with { type: 'text' }
import getLeadPresence from '../../sql/leads/get_lead_presence.sql' with { type: 'text' }
import listLeads from '../../sql/leads/list_leads.sql' with { type: 'text' }
import getMeetingIntelligence from '../../sql/meetings/get_meeting_intelligence.sql' with { type: 'text' }
import claimOwnerNotices from '../../sql/owner/claim_owner_notices.sql' with { type: 'text' }
import deleteOwnerSession from '../../sql/owner/delete_owner_session.sql' with { type: 'text' }
import getGauges from '../../sql/owner/get_gauges.sql' with { type: 'text' }
import getNoticeSettings from '../../sql/owner/get_notice_settings.sql' with { type: 'text' }
import getOverview from '../../sql/owner/get_overview.sql' with { type: 'text' }
import getOwnerSession from '../../sql/owner/get_owner_session.sql' with { type: 'text' }
import insertOwnerSession from '../../sql/owner/insert_owner_session.sql' with { type: 'text' }
import insertTestNotice from '../../sql/owner/insert_test_notice.sql' with { type: 'text' }
import listOwnerNotices from '../../sql/owner/list_owner_notices.sql' with { type: 'text' }
import pruneOwnerNotices from '../../sql/owner/prune_owner_notices.sql' with { type: 'text' }
import pruneOwnerSessions from '../../sql/owner/prune_owner_sessions.sql' with { type: 'text' }
import updateNoticeSettings from '../../sql/owner/update_notice_settings.sql' with { type: 'text' }
import updateOwnerNotice from '../../sql/owner/update_owner_notice.sql' with { type: 'text' }
import updateOwnerSessionUsed from '../../sql/owner/update_owner_session_used.sql' with { type: 'text' }
import listRedactionTables from '../../sql/redaction/list_redaction_tables.sql' with { type: 'text' }
import updateIncome from '../../sql/redaction/update_income.sql' with { type: 'text' }
import deleteSchemaFunctions from '../../sql/service/delete_schema_functions.sql' with { type: 'text' }
import getLoginAccess from '../../sql/service/get_login_access.sql' with { type: 'text' }
import getReadiness from '../../sql/service/get_readiness.sql' with { type: 'text' }
import getReplicaState from '../../sql/service/get_replica_state.sql' with { type: 'text' }
import insertSchemaMigration from '../../sql/service/insert_schema_migration.sql' with { type: 'text' }
import listLoggingSettings from '../../sql/service/list_logging_settings.sql' with { type: 'text' }
import listSchemaFunctions from '../../sql/service/list_schema_functions.sql' with { type: 'text' }
import listSchemaMigrations from '../../sql/service/list_schema_migrations.sql' with { type: 'text' }
import listSubscribedTables from '../../sql/service/list_subscribed_tables.sql' with { type: 'text' }
import recordSchemaFunctions from '../../sql/service/record_schema_functions.sql' with { type: 'text' }
import listSignals from '../../sql/signals/list_signals.sql' with { type: 'text' }
import claimLease from '../../sql/worker/claim_lease.sql' with { type: 'text' }
import updateLeaseEnded from '../../sql/worker/update_lease_ended.sql' with { type: 'text' }
import { readQueryFile } from './query_file.ts'

export const queries = {
  listAppointments: readQueryFile('appointments/list_appointments', listAppointments),
  getEvent: readQueryFile('events/get_event', getEvent),
  getEventPage: readQueryFile('events/get_event_page', getEventPage),
  getFeedCheck: readQueryFile('events/get_feed_check', getFeedCheck),
  listFoundCursors: readQueryFile('events/list_found_cursors', listFoundCursors),
  listNewestEvents: readQueryFile('events/list_newest_events', listNewestEvents),
  pruneEvents: readQueryFile('events/prune_events', pruneEvents),
  sequenceEvents: readQueryFile('events/sequence_events', sequenceEvents),
  updateFeedFloor: readQueryFile('events/update_feed_floor', updateFeedFloor),
  updateFeedHead: readQueryFile('events/update_feed_head', updateFeedHead),
  claimDueDeliveries: readQueryFile('hooks/claim_due_deliveries', claimDueDeliveries),
  deleteHookFailures: readQueryFile('hooks/delete_hook_failures', deleteHookFailures),
  getArrivals: readQueryFile('hooks/get_arrivals', getArrivals),
  getHookTarget: readQueryFile('hooks/get_hook_target', getHookTarget),
  insertHook: readQueryFile('hooks/insert_hook', insertHook),
  listActiveHooks: readQueryFile('hooks/list_active_hooks', listActiveHooks),
  listAttemptHours: readQueryFile('hooks/list_attempt_hours', listAttemptHours),
  listAttempts: readQueryFile('hooks/list_attempts', listAttempts),
  listDeliveries: readQueryFile('hooks/list_deliveries', listDeliveries),
  listDeliveryPage: readQueryFile('hooks/list_delivery_page', listDeliveryPage),
  listEventDeliveries: readQueryFile('hooks/list_event_deliveries', listEventDeliveries),
  listHookReports: readQueryFile('hooks/list_hook_reports', listHookReports),
  listHookSecrets: readQueryFile('hooks/list_hook_secrets', listHookSecrets),
  listHooks: readQueryFile('hooks/list_hooks', listHooks),
  pruneDeliveries: readQueryFile('hooks/prune_deliveries', pruneDeliveries),
  recordAttempts: readQueryFile('hooks/record_attempts', recordAttempts),
  updateHook: readQueryFile('hooks/update_hook', updateHook),
  updateHookDeleted: readQueryFile('hooks/update_hook_deleted', updateHookDeleted),
  updateHookPaused: readQueryFile('hooks/update_hook_paused', updateHookPaused),
  updateHookReactivated: readQueryFile('hooks/update_hook_reactivated', updateHookReactivated),
  updateHookRedelivered: readQueryFile('hooks/update_hook_redelivered', updateHookRedelivered),
  updateHookReplayed: readQueryFile('hooks/update_hook_replayed', updateHookReplayed),
  updateHookSecret: readQueryFile('hooks/update_hook_secret', updateHookSecret),
  updateHookSecretSwitched: readQueryFile('hooks/update_hook_secret_switched', updateHookSecretSwitched),
  claimPermits: readQueryFile('keys/claim_permits', claimPermits),
  getUsage: readQueryFile('keys/get_usage', getUsage),
  insertApiKey: readQueryFile('keys/insert_api_key', insertApiKey),
  insertApiKeySuccessor: readQueryFile('keys/insert_api_key_successor', insertApiKeySuccessor),
  listApiKeys: readQueryFile('keys/list_api_keys', listApiKeys),
  listKeyUsage: readQueryFile('keys/list_key_usage', listKeyUsage),
  listLiveApiKeys: readQueryFile('keys/list_live_api_keys', listLiveApiKeys),
  recordKeyUsage: readQueryFile('keys/record_key_usage', recordKeyUsage),
  updateApiKeyRevoked: readQueryFile('keys/update_api_key_revoked', updateApiKeyRevoked),
  deleteKontakt: readQueryFile('kontakte/delete_kontakt', deleteKontakt),
  getHaushalt: readQueryFile('kontakte/get_haushalt', getHaushalt),
  getKontaktHoldings: readQueryFile('kontakte/get_kontakt_holdings', getKontaktHoldings),
  getKontaktLeads: readQueryFile('kontakte/get_kontakt_leads', getKontaktLeads),
  listKontakte: readQueryFile('kontakte/list_kontakte', listKontakte),
  listKontakteWithHaushalt: readQueryFile('kontakte/list_kontakte_with_haushalt', listKontakteWithHaushalt),
  resolveKontaktKey: readQueryFile('kontakte/resolve_kontakt_key', resolveKontaktKey),
  resolveKontaktKeys: readQueryFile('kontakte/resolve_kontakt_keys', resolveKontaktKeys),
  getLead: readQueryFile('leads/get_lead', getLead),
  getLeadAnalysis: readQueryFile('leads/get_lead_analysis', getLeadAnalysis),
  getLeadPresence: readQueryFile('leads/get_lead_presence', getLeadPresence),
  listLeads: readQueryFile('leads/list_leads', listLeads),
  getMeetingIntelligence: readQueryFile('meetings/get_meeting_intelligence', getMeetingIntelligence),
  claimOwnerNotices: readQueryFile('owner/claim_owner_notices', claimOwnerNotices),
  deleteOwnerSession: readQueryFile('owner/delete_owner_session', deleteOwnerSession),
  getGauges: readQueryFile('owner/get_gauges', getGauges),
  getNoticeSettings: readQueryFile('owner/get_notice_settings', getNoticeSettings),
  getOverview: readQueryFile('owner/get_overview', getOverview),
  getOwnerSession: readQueryFile('owner/get_owner_session', getOwnerSession),
  insertOwnerSession: readQueryFile('owner/insert_owner_session', insertOwnerSession),
  insertTestNotice: readQueryFile('owner/insert_test_notice', insertTestNotice),
  listOwnerNotices: readQueryFile('owner/list_owner_notices', listOwnerNotices),
  pruneOwnerNotices: readQueryFile('owner/prune_owner_notices', pruneOwnerNotices),
  pruneOwnerSessions: readQueryFile('owner/prune_owner_sessions', pruneOwnerSessions),
  updateNoticeSettings: readQueryFile('owner/update_notice_settings', updateNoticeSettings),
  updateOwnerNotice: readQueryFile('owner/update_owner_notice', updateOwnerNotice),
  updateOwnerSessionUsed: readQueryFile('owner/update_owner_session_used', updateOwnerSessionUsed),
  listRedactionTables: readQueryFile('redaction/list_redaction_tables', listRedactionTables),
  updateIncome: readQueryFile('redaction/update_income', updateIncome),
  deleteSchemaFunctions: readQueryFile('service/delete_schema_functions', deleteSchemaFunctions),
  getLoginAccess: readQueryFile('service/get_login_access', getLoginAccess),
  getReadiness: readQueryFile('service/get_readiness', getReadiness),
  getReplicaState: readQueryFile('service/get_replica_state', getReplicaState),
  insertSchemaMigration: readQueryFile('service/insert_schema_migration', insertSchemaMigration),
  listLoggingSettings: readQueryFile('service/list_logging_settings', listLoggingSettings),
  listSchemaFunctions: readQueryFile('service/list_schema_functions', listSchemaFunctions),
  listSchemaMigrations: readQueryFile('service/list_schema_migrations', listSchemaMigrations),
  listSubscribedTables: readQueryFile('service/list_subscribed_tables', listSubscribedTables),
  recordSchemaFunctions: readQueryFile('service/record_schema_functions', recordSchemaFunctions),
  listSignals: readQueryFile('signals/list_signals', listSignals),
  claimLease: readQueryFile('worker/claim_lease', claimLease),
  updateLeaseEnded: readQueryFile('worker/update_lease_ended', updateLeaseEnded),
}

type Nothing = Record<string, never>

export type QueryTypes = {
  listAppointments: { args: { status: string | null; lead_id: string | null; starts_from: Date | string | null; starts_to: Date | string | null; row_limit: number; row_offset: number }; row: { id: string; title: string | null; status: string; platform: string; meeting_url: string | null; starts_at: string; ends_at: string | null; customer_display_name: string | null; source: string | null; intelligence_status: string | null; created_at: string } }
  getEvent: { args: { cursor: number }; row: { id: string; event_type: string; schema_version: string; occurred_at: string; object_type: string; object_id: string; links: unknown; data: unknown; cursor: number } }
  getEventPage: { args: { after: number | null; event_types: readonly (string | null)[] | null; row_limit: number; bytes_max: number }; row: { horizon: number; head: number; count: number; is_own: boolean; next_cursor: number; data: string } }
  getFeedCheck: { args: Nothing; row: { stuck: boolean } }
  listFoundCursors: { args: { searched: string; log_max: number; row_limit: number }; row: { cursor: number } }
  listNewestEvents: { args: { cursors: readonly (number | null)[] | null; event_types: readonly (string | null)[]; before: number | null; row_limit: number }; row: { cursor: number | null; id: string; event_type: string; occurred_at: string; object_type: string; object_id: string; person: string | null } }
  pruneEvents: { args: { keep_seconds: number; at: Date | string | null; until: Date | string | null; row_limit: number }; row: { horizon: number | null; deleted: number | null; expired_before: string | null } }
  sequenceEvents: { args: { row_limit: number; known_identity: string | null; log_floor: number; late: object; sleeping: boolean; wanted_types: readonly (string | null)[] }; row: { cursor: number | null; event_type: string | null; event_id: string | null; occurred_ms: number | null; body: string | null; state: string | null } }
  updateFeedFloor: { args: { log_floor: number; late: object; identity: string }; row: never }
  updateFeedHead: { args: Nothing; row: { head: number | null } }
  claimDueDeliveries: { args: { subscription_id: string; event_types: readonly (string | null)[]; row_limit: number; bytes_max: number }; row: { cursor: number; attempts: number; event_id: string | null; event_type: string | null; occurred_ms: number | null; body: string | null } }
  deleteHookFailures: { args: { id: string }; row: { dismissed: number } }
  getArrivals: { args: { count_max: number; on_its_way_ms: number }; row: { events: number; missing: number } }
  getHookTarget: { args: { id: string }; row: { id: string; target_url: string; event_types: string[]; secret: string; old_secret: string | null; old_secret_until: string | null; old_secret_leads: boolean } }
  insertHook: { args: { id: string; target_url: string; event_types: readonly (string | null)[]; label: string | null; source: string; secret: string; subscriptions_max: number }; row: { subscription: string } }
  listActiveHooks: { args: Nothing; row: { id: string; target_url: string; event_types: string[]; secret: string; old_secret: string | null; old_secret_until: string | null; old_secret_leads: boolean; cursor: number; version: number; replayed_version: number; consecutive_failures: number; waiting: number } }
  listAttemptHours: { args: { subscription_id: string }; row: { hour: string; delivered: number; retried: number; failed: number } }
  listAttempts: { args: { subscription_id: string; cursor: number }; row: { started_at: string; duration_ms: number; attempt: number; status: number | null; outcome: string; error_class: string | null; excerpt: string | null; headers: string | null } }
  listDeliveries: { args: { subscription_id: string; state: string; before: number | null; row_limit: number }; row: { cursor: number; due_at: string | null; sequenced_at: string | null; event_id: string | null; event_type: string | null; attempts: number; tried_at: string | null; status: number | null; error_class: string | null; duration_ms: number | null; excerpt: string | null } }
  listDeliveryPage: { args: { subscription_id: string; after: number; event_types: readonly (string | null)[]; replayed_version: number; row_limit: number; bytes_max: number }; row: { cursor: number; event_id: string | null; event_type: string | null; occurred_ms: number | null; body: string | null; is_last: boolean; at_head: boolean | null } }
  listEventDeliveries: { args: { cursor: number }; row: { id: string; label: string | null; target_url: string | null; active: boolean; state: string; due_at: string | null; attempts: number; last_at: string | null } }
  listHookReports: { args: { id: string | null; count_max: number }; row: { id: string; target_url: string; event_types: string[]; label: string | null; source: string; active: boolean; created_at: string; cursor: number; version: number; consecutive_failures: number; failing_since: string | null; paused_at: string | null; pause_reason: string | null; missed_from: number | null; missed_to: number | null; old_secret_until: string | null; old_secret_leads: boolean; waiting: number; failed: number; behind: number; tried_cursor: number | null; tried_at: string | null; status: number | null; error_class: string | null; excerpt: string | null; delivered_at: string | null; behind_since: string | null } }
  listHookSecrets: { args: Nothing; row: { id: string; secret: string; old_secret: string | null } }
  listHooks: { args: Nothing; row: { id: string; target_url: string; event_types: string[]; label: string | null; source: string; active: boolean; created_at: string; paused_at: string | null; consecutive_failures: number; cursor: number } }
  pruneDeliveries: { args: { row_limit: number }; row: { pruned: number } }
  recordAttempts: { args: { fence: number; identity: string; attempts: object; positions: object }; row: { subscription_id: string | null; held: boolean; version: number | null; paused: boolean } }
  updateHook: { args: { id: string; target_url: string; event_types: readonly (string | null)[]; label: string | null }; row: { id: string } }
  updateHookDeleted: { args: { id: string }; row: { id: string } }
  updateHookPaused: { args: { id: string; reason: string }; row: { id: string } }
  updateHookReactivated: { args: { id: string; from_head: boolean }; row: { gap_after: number | null } }
  updateHookRedelivered: { args: { subscription_id: string; cursors: readonly (number | null)[] | null; row_limit: number }; row: { cursor: number; state: string } }
  updateHookReplayed: { args: { id: string; after: number | null; since: Date | string | null }; row: { reached: number | null; lowest: number | null; after: number | null } }
  updateHookSecret: { args: { id: string; secret: string; overlap_seconds: number; again: boolean }; row: { id: string; old_secret_until: string | null } }
  updateHookSecretSwitched: { args: { id: string }; row: { id: string } }
  claimPermits: { args: { key_ids: readonly (string | null)[]; wanted: readonly (number | null)[]; permits_max: number; at: Date | string | null }; row: { key_id: string; granted: number; used: number; wait_seconds: number | null } }
  getUsage: { args: Nothing; row: { answered: number; refused: number; limited: number } }
  insertApiKey: { args: { prefix: string; digest: string; label: string; scopes: readonly (string | null)[]; expires_at: Date | string | null }; row: { id: string } }
  insertApiKeySuccessor: { args: { id: string; ends_at: Date | string; prefix: string; digest: string }; row: { id: string } }
  listApiKeys: { args: Nothing; row: { id: string; prefix: string; label: string; scopes: string[]; created_at: string; last_used_at: string | null; expires_at: string | null; revoked_at: string | null } }
  listKeyUsage: { args: { key_ids: readonly (string | null)[] }; row: { key_id: string; hour: string; code: string; requests: number; last_at: string; last_route: string } }
  listLiveApiKeys: { args: { at: Date | string | null }; row: { id: string; digest: string | null; scopes: string[]; expires_at: string | null } }
  recordKeyUsage: { args: { key_ids: readonly (string | null)[]; hours: readonly (Date | string | null)[]; codes: readonly (string | null)[]; counts: readonly (number | null)[]; last_ats: readonly (Date | string | null)[]; last_routes: readonly (string | null)[] }; row: { recorded: number } }
  updateApiKeyRevoked: { args: { id: string | null; prefix: string | null; digest: string | null }; row: { id: string; prefix: string; label: string } }
  deleteKontakt: { args: { identity: string }; row: { canonical_key: string; keys: string[]; shared_keys: string[]; other_leads: unknown; counts: unknown; recipients: unknown } }
  getHaushalt: { args: { kontakt_key: string }; row: { kontakt_key: string; canonical_key: string; aliases: string[]; haushalt: unknown; provenance: unknown; din_check: unknown; empfehlungen_aktuell: unknown; updated_at: string } }
  getKontaktHoldings: { args: { identity: string }; row: { canonical_key: string; keys: string[]; shared_keys: string[]; other_leads: unknown; counts: unknown; recipients: unknown } }
  getKontaktLeads: { args: { identity: string; row_limit: number }; row: { canonical_key: string; keys: string[]; shared_keys: string[]; lead_count: number; leads: unknown } }
  listKontakte: { args: { updated_since: Date | string | null; row_limit: number; row_offset: number }; row: { kontakt_key: string; vertraege_anzahl: number; luecken_nach_stufe: unknown; params_version: string | null; updated_at: string } }
  listKontakteWithHaushalt: { args: { updated_since: Date | string | null; row_limit: number; row_offset: number }; row: { kontakt_key: string; vertraege_anzahl: number; luecken_nach_stufe: unknown; params_version: string | null; updated_at: string; haushalt: unknown } }
  resolveKontaktKey: { args: { identity: string }; row: { kontakt_key: string | null } }
  resolveKontaktKeys: { args: { identity: string }; row: { kontakt_keys: string[] } }
  getLead: { args: { lead_id: string }; row: { id: string; name: string | null; email: string | null; phone: string | null; status: string; source_type: string | null; contacted_at: string | null; archived_at: string | null; archive_reason_code: string | null; parsed_data: unknown; created_at: string } }
  getLeadAnalysis: { args: { lead_id: string }; row: { lead_id: string; channel: string; source_id: string; analysis_schema_version: string | null; analysis: unknown; analysis_v2: unknown; din_check: unknown; created_at: string } }
  getLeadPresence: { args: Nothing; row: { present: boolean | null } }
  listLeads: { args: { search: string | null; status: string | null; include_archived: boolean; row_limit: number; row_offset: number }; row: { id: string; name: string | null; email: string | null; phone: string | null; status: string; source_type: string | null; contacted_at: string | null; archived_at: string | null; archive_reason_code: string | null; parsed_data: unknown; created_at: string } }
  getMeetingIntelligence: { args: { appointment_id: string }; row: { appointment: unknown; overall_score: number | null; customer_persona: string | null; conversation_type: string | null; results: unknown } }
  claimOwnerNotices: { args: { is_set: boolean; retry_ms: number; row_limit: number }; row: { id: string; failures: number | null; created_at: string; subscription_id: string | null; label: string | null; target_url: string | null; failing_since: string | null; status: number | null; error_class: string | null; mail_to: string | null; language: string | null } }
  deleteOwnerSession: { args: { digest: string }; row: { created_at: string } }
  getGauges: { args: { count_max: number }; row: { head: number; horizon: number; head_age: number | null; unsequenced: number; unsequenced_age: number | null; pending: number; failed: number; due_age: number | null; active: number; failing: number; paused: number; has_leader: boolean } }
  getNoticeSettings: { args: Nothing; row: { mail_to: string | null; language: string | null } }
  getOverview: { args: { count_max: number }; row: { head: number; horizon: number; unsequenced: number; unsequenced_since: string | null; requests: number; has_leader: boolean; has_keys: boolean; at: string } }
  getOwnerSession: { args: { digest: string; idle_seconds_max: number; age_seconds_max: number }; row: { stale: boolean | null } }
  insertOwnerSession: { args: { digest: string }; row: { created_at: string } }
  insertTestNotice: { args: Nothing; row: { id: string; notified: string | null } }
  listOwnerNotices: { args: { row_limit: number }; row: { id: string; created_at: string; sent_at: string | null; error_class: string | null } }
  pruneOwnerNotices: { args: Nothing; row: { id: string } }
  pruneOwnerSessions: { args: { idle_seconds_max: number; age_seconds_max: number }; row: { created_at: string } }
  updateNoticeSettings: { args: { mail_to: string | null; language: string | null }; row: { language: string | null } }
  updateOwnerNotice: { args: { id: string; error_class: string | null }; row: { id: string } }
  updateOwnerSessionUsed: { args: { digest: string }; row: { used_at: string } }
  listRedactionTables: { args: Nothing; row: { table_name: string; about: number } }
  updateIncome: { args: { table_name: string; after_key: string | null; row_limit: number }; row: { last_key: string | null; seen: number; changed: number } }
  deleteSchemaFunctions: { args: Nothing; row: never }
  getLoginAccess: { args: Nothing; row: { login: string; api: boolean; worker: boolean; dashboard: boolean } }
  getReadiness: { args: Nothing; row: { schema_version: number | null; takes_writes: boolean } }
  getReplicaState: { args: Nothing; row: { schema_version: number | null; database: string | null; standby: boolean | null } }
  insertSchemaMigration: { args: { number: number; name: string; sha256: string }; row: { number: number; lock_timeout: string | null } }
  listLoggingSettings: { args: Nothing; row: { setting: string } }
  listSchemaFunctions: { args: Nothing; row: { path: string; sha256: string; version: string } }
  listSchemaMigrations: { args: Nothing; row: { number: number; name: string; sha256: string } }
  listSubscribedTables: { args: Nothing; row: { name: string } }
  recordSchemaFunctions: { args: { paths: readonly (string | null)[]; sha256s: readonly (string | null)[]; version: string }; row: { path: string; lock_timeout: string | null } }
  listSignals: { args: { status: string | null; lead_id: string | null; kontakt_keys: readonly (string | null)[] | null; row_limit: number; row_offset: number }; row: { id: string; kind: string; title: string; status: string; score: number; lead_id: string | null; detected_at: string; updated_at: string } }
  claimLease: { args: { worker: string; alone: boolean; lease_ms: number }; row: { fence: number | null; identity: string; versions: string; due: string[]; left_ms: number } }
  updateLeaseEnded: { args: { worker: string }; row: { fence: number; notified: string | null } }
}
