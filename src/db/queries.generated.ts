// Generated: bun run queries. Every query of the service, by the names of the files below sql/: what it takes by the
// head of its file, what it returns as PostgreSQL describes it.
import listAppointments from '../../sql/appointments/list_appointments.sql' with { type: 'text' }
import getEvent from '../../sql/events/get_event.sql' with { type: 'text' }
import getEventPage from '../../sql/events/get_event_page.sql' with { type: 'text' }
import getFeedFault from '../../sql/events/get_feed_fault.sql' with { type: 'text' }
import listFoundCursors from '../../sql/events/list_found_cursors.sql' with { type: 'text' }
import listNewestEvents from '../../sql/events/list_newest_events.sql' with { type: 'text' }
import preparePartitions from '../../sql/events/prepare_partitions.sql' with { type: 'text' }
import pruneAttempts from '../../sql/events/prune_attempts.sql' with { type: 'text' }
import pruneEvents from '../../sql/events/prune_events.sql' with { type: 'text' }
import pruneLog from '../../sql/events/prune_log.sql' with { type: 'text' }
import sequenceEvents from '../../sql/events/sequence_events.sql' with { type: 'text' }
import updateFeedFloor from '../../sql/events/update_feed_floor.sql' with { type: 'text' }
import updateFeedHead from '../../sql/events/update_feed_head.sql' with { type: 'text' }
import updateFeedState from '../../sql/events/update_feed_state.sql' with { type: 'text' }
import updateFeedWake from '../../sql/events/update_feed_wake.sql' with { type: 'text' }
import updateFeedWatch from '../../sql/events/update_feed_watch.sql' with { type: 'text' }
import claimRetries from '../../sql/hooks/claim_retries.sql' with { type: 'text' }
import claimSubscriptions from '../../sql/hooks/claim_subscriptions.sql' with { type: 'text' }
import claimWorkerLock from '../../sql/hooks/claim_worker_lock.sql' with { type: 'text' }
import countLiveWorkers from '../../sql/hooks/count_live_workers.sql' with { type: 'text' }
import deleteHook from '../../sql/hooks/delete_hook.sql' with { type: 'text' }
import deleteHookFailures from '../../sql/hooks/delete_hook_failures.sql' with { type: 'text' }
import getDelivery from '../../sql/hooks/get_delivery.sql' with { type: 'text' }
import getDeliveryRequest from '../../sql/hooks/get_delivery_request.sql' with { type: 'text' }
import getNewestTest from '../../sql/hooks/get_newest_test.sql' with { type: 'text' }
import getRedelivery from '../../sql/hooks/get_redelivery.sql' with { type: 'text' }
import insertHook from '../../sql/hooks/insert_hook.sql' with { type: 'text' }
import insertTestDelivery from '../../sql/hooks/insert_test_delivery.sql' with { type: 'text' }
import listAttempts from '../../sql/hooks/list_attempts.sql' with { type: 'text' }
import listDeliveries from '../../sql/hooks/list_deliveries.sql' with { type: 'text' }
import listDeliveryCursors from '../../sql/hooks/list_delivery_cursors.sql' with { type: 'text' }
import listEndedDeliveries from '../../sql/hooks/list_ended_deliveries.sql' with { type: 'text' }
import listErasedEvents from '../../sql/hooks/list_erased_events.sql' with { type: 'text' }
import listHookReports from '../../sql/hooks/list_hook_reports.sql' with { type: 'text' }
import listHookSecrets from '../../sql/hooks/list_hook_secrets.sql' with { type: 'text' }
import listHooks from '../../sql/hooks/list_hooks.sql' with { type: 'text' }
import listLogEvents from '../../sql/hooks/list_log_events.sql' with { type: 'text' }
import listMatchingDeliveries from '../../sql/hooks/list_matching_deliveries.sql' with { type: 'text' }
import listRecordedAttempts from '../../sql/hooks/list_recorded_attempts.sql' with { type: 'text' }
import listSampleEvents from '../../sql/hooks/list_sample_events.sql' with { type: 'text' }
import recordAttempts from '../../sql/hooks/record_attempts.sql' with { type: 'text' }
import recordDelivered from '../../sql/hooks/record_delivered.sql' with { type: 'text' }
import updateDeliveriesMissed from '../../sql/hooks/update_deliveries_missed.sql' with { type: 'text' }
import updateDeliveriesRedelivered from '../../sql/hooks/update_deliveries_redelivered.sql' with { type: 'text' }
import updateHook from '../../sql/hooks/update_hook.sql' with { type: 'text' }
import updateHookPaused from '../../sql/hooks/update_hook_paused.sql' with { type: 'text' }
import updateHookPositions from '../../sql/hooks/update_hook_positions.sql' with { type: 'text' }
import updateHookReactivated from '../../sql/hooks/update_hook_reactivated.sql' with { type: 'text' }
import updateHookSecret from '../../sql/hooks/update_hook_secret.sql' with { type: 'text' }
import updateHookSecretSwitched from '../../sql/hooks/update_hook_secret_switched.sql' with { type: 'text' }
import updateHookSkips from '../../sql/hooks/update_hook_skips.sql' with { type: 'text' }
import updateHooksReleased from '../../sql/hooks/update_hooks_released.sql' with { type: 'text' }
import claimPermits from '../../sql/keys/claim_permits.sql' with { type: 'text' }
import countKeyRequests from '../../sql/keys/count_key_requests.sql' with { type: 'text' }
import insertApiKey from '../../sql/keys/insert_api_key.sql' with { type: 'text' }
import insertApiKeySuccessor from '../../sql/keys/insert_api_key_successor.sql' with { type: 'text' }
import listApiKeys from '../../sql/keys/list_api_keys.sql' with { type: 'text' }
import listKeyRequests from '../../sql/keys/list_key_requests.sql' with { type: 'text' }
import listLiveApiKeys from '../../sql/keys/list_live_api_keys.sql' with { type: 'text' }
import pruneKeyRequestCounts from '../../sql/keys/prune_key_request_counts.sql' with { type: 'text' }
import pruneKeyRequests from '../../sql/keys/prune_key_requests.sql' with { type: 'text' }
import recordKeyRequests from '../../sql/keys/record_key_requests.sql' with { type: 'text' }
import updateApiKeyRevoked from '../../sql/keys/update_api_key_revoked.sql' with { type: 'text' }
import updateApiKeysLastUsed from '../../sql/keys/update_api_keys_last_used.sql' with { type: 'text' }
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
import updateSearchShares from '../../sql/leads/update_search_shares.sql' with { type: 'text' }
import getMeetingIntelligence from '../../sql/meetings/get_meeting_intelligence.sql' with { type: 'text' }
import claimOwnerNotices from '../../sql/owner/claim_owner_notices.sql' with { type: 'text' }
import countEventReceivers from '../../sql/owner/count_event_receivers.sql' with { type: 'text' }
import deleteOwnerSession from '../../sql/owner/delete_owner_session.sql' with { type: 'text' }
import getGauges from '../../sql/owner/get_gauges.sql' with { type: 'text' }
import getHookPulse from '../../sql/owner/get_hook_pulse.sql' with { type: 'text' }
import getLiveWorker from '../../sql/owner/get_live_worker.sql' with { type: 'text' }
import getNoticeSettings from '../../sql/owner/get_notice_settings.sql' with { type: 'text' }
import getOverview from '../../sql/owner/get_overview.sql' with { type: 'text' }
import getOwnerSession from '../../sql/owner/get_owner_session.sql' with { type: 'text' }
import getWorkerState from '../../sql/owner/get_worker_state.sql' with { type: 'text' }
import getWorkspacePulse from '../../sql/owner/get_workspace_pulse.sql' with { type: 'text' }
import insertOwnerAction from '../../sql/owner/insert_owner_action.sql' with { type: 'text' }
import insertOwnerSession from '../../sql/owner/insert_owner_session.sql' with { type: 'text' }
import insertTestNotices from '../../sql/owner/insert_test_notices.sql' with { type: 'text' }
import listEventReceivers from '../../sql/owner/list_event_receivers.sql' with { type: 'text' }
import listEventsAt from '../../sql/owner/list_events_at.sql' with { type: 'text' }
import listHookHealth from '../../sql/owner/list_hook_health.sql' with { type: 'text' }
import listHookNames from '../../sql/owner/list_hook_names.sql' with { type: 'text' }
import listHooksBehind from '../../sql/owner/list_hooks_behind.sql' with { type: 'text' }
import listOwnerActions from '../../sql/owner/list_owner_actions.sql' with { type: 'text' }
import listOwnerNotices from '../../sql/owner/list_owner_notices.sql' with { type: 'text' }
import pruneOwnerNotices from '../../sql/owner/prune_owner_notices.sql' with { type: 'text' }
import pruneOwnerSessions from '../../sql/owner/prune_owner_sessions.sql' with { type: 'text' }
import updateHookHealth from '../../sql/owner/update_hook_health.sql' with { type: 'text' }
import updateNoticeSettings from '../../sql/owner/update_notice_settings.sql' with { type: 'text' }
import updateOwnerNotice from '../../sql/owner/update_owner_notice.sql' with { type: 'text' }
import updateOwnerSessionUsed from '../../sql/owner/update_owner_session_used.sql' with { type: 'text' }
import deleteRedactionProgress from '../../sql/redaction/delete_redaction_progress.sql' with { type: 'text' }
import getRedactionTotals from '../../sql/redaction/get_redaction_totals.sql' with { type: 'text' }
import listRedactionProgress from '../../sql/redaction/list_redaction_progress.sql' with { type: 'text' }
import recordRedactionProgress from '../../sql/redaction/record_redaction_progress.sql' with { type: 'text' }
import updateAdvisoryDocsIncome from '../../sql/redaction/update_advisory_docs_income.sql' with { type: 'text' }
import updateAppointmentsIncome from '../../sql/redaction/update_appointments_income.sql' with { type: 'text' }
import updateEventsIncome from '../../sql/redaction/update_events_income.sql' with { type: 'text' }
import updateHaushalteIncome from '../../sql/redaction/update_haushalte_income.sql' with { type: 'text' }
import updateLeadAnalysesIncome from '../../sql/redaction/update_lead_analyses_income.sql' with { type: 'text' }
import updateLeadsIncome from '../../sql/redaction/update_leads_income.sql' with { type: 'text' }
import updateMeetingIntelligenceIncome from '../../sql/redaction/update_meeting_intelligence_income.sql' with { type: 'text' }
import updateSignalsIncome from '../../sql/redaction/update_signals_income.sql' with { type: 'text' }
import getLostSettings from '../../sql/roles/get_lost_settings.sql' with { type: 'text' }
import deleteSchemaFunctions from '../../sql/service/delete_schema_functions.sql' with { type: 'text' }
import getLoginAccess from '../../sql/service/get_login_access.sql' with { type: 'text' }
import getReadiness from '../../sql/service/get_readiness.sql' with { type: 'text' }
import getReplicaState from '../../sql/service/get_replica_state.sql' with { type: 'text' }
import insertSchemaMigration from '../../sql/service/insert_schema_migration.sql' with { type: 'text' }
import listSchemaFunctions from '../../sql/service/list_schema_functions.sql' with { type: 'text' }
import listSchemaMigrations from '../../sql/service/list_schema_migrations.sql' with { type: 'text' }
import recordSchemaFunctions from '../../sql/service/record_schema_functions.sql' with { type: 'text' }
import listSignals from '../../sql/signals/list_signals.sql' with { type: 'text' }
import { readQueryFile } from './query_file.ts'

export const queries = {
  listAppointments: readQueryFile('appointments/list_appointments', listAppointments),
  getEvent: readQueryFile('events/get_event', getEvent),
  getEventPage: readQueryFile('events/get_event_page', getEventPage),
  getFeedFault: readQueryFile('events/get_feed_fault', getFeedFault),
  listFoundCursors: readQueryFile('events/list_found_cursors', listFoundCursors),
  listNewestEvents: readQueryFile('events/list_newest_events', listNewestEvents),
  preparePartitions: readQueryFile('events/prepare_partitions', preparePartitions),
  pruneAttempts: readQueryFile('events/prune_attempts', pruneAttempts),
  pruneEvents: readQueryFile('events/prune_events', pruneEvents),
  pruneLog: readQueryFile('events/prune_log', pruneLog),
  sequenceEvents: readQueryFile('events/sequence_events', sequenceEvents),
  updateFeedFloor: readQueryFile('events/update_feed_floor', updateFeedFloor),
  updateFeedHead: readQueryFile('events/update_feed_head', updateFeedHead),
  updateFeedState: readQueryFile('events/update_feed_state', updateFeedState),
  updateFeedWake: readQueryFile('events/update_feed_wake', updateFeedWake),
  updateFeedWatch: readQueryFile('events/update_feed_watch', updateFeedWatch),
  claimRetries: readQueryFile('hooks/claim_retries', claimRetries),
  claimSubscriptions: readQueryFile('hooks/claim_subscriptions', claimSubscriptions),
  claimWorkerLock: readQueryFile('hooks/claim_worker_lock', claimWorkerLock),
  countLiveWorkers: readQueryFile('hooks/count_live_workers', countLiveWorkers),
  deleteHook: readQueryFile('hooks/delete_hook', deleteHook),
  deleteHookFailures: readQueryFile('hooks/delete_hook_failures', deleteHookFailures),
  getDelivery: readQueryFile('hooks/get_delivery', getDelivery),
  getDeliveryRequest: readQueryFile('hooks/get_delivery_request', getDeliveryRequest),
  getNewestTest: readQueryFile('hooks/get_newest_test', getNewestTest),
  getRedelivery: readQueryFile('hooks/get_redelivery', getRedelivery),
  insertHook: readQueryFile('hooks/insert_hook', insertHook),
  insertTestDelivery: readQueryFile('hooks/insert_test_delivery', insertTestDelivery),
  listAttempts: readQueryFile('hooks/list_attempts', listAttempts),
  listDeliveries: readQueryFile('hooks/list_deliveries', listDeliveries),
  listDeliveryCursors: readQueryFile('hooks/list_delivery_cursors', listDeliveryCursors),
  listEndedDeliveries: readQueryFile('hooks/list_ended_deliveries', listEndedDeliveries),
  listErasedEvents: readQueryFile('hooks/list_erased_events', listErasedEvents),
  listHookReports: readQueryFile('hooks/list_hook_reports', listHookReports),
  listHookSecrets: readQueryFile('hooks/list_hook_secrets', listHookSecrets),
  listHooks: readQueryFile('hooks/list_hooks', listHooks),
  listLogEvents: readQueryFile('hooks/list_log_events', listLogEvents),
  listMatchingDeliveries: readQueryFile('hooks/list_matching_deliveries', listMatchingDeliveries),
  listRecordedAttempts: readQueryFile('hooks/list_recorded_attempts', listRecordedAttempts),
  listSampleEvents: readQueryFile('hooks/list_sample_events', listSampleEvents),
  recordAttempts: readQueryFile('hooks/record_attempts', recordAttempts),
  recordDelivered: readQueryFile('hooks/record_delivered', recordDelivered),
  updateDeliveriesMissed: readQueryFile('hooks/update_deliveries_missed', updateDeliveriesMissed),
  updateDeliveriesRedelivered: readQueryFile('hooks/update_deliveries_redelivered', updateDeliveriesRedelivered),
  updateHook: readQueryFile('hooks/update_hook', updateHook),
  updateHookPaused: readQueryFile('hooks/update_hook_paused', updateHookPaused),
  updateHookPositions: readQueryFile('hooks/update_hook_positions', updateHookPositions),
  updateHookReactivated: readQueryFile('hooks/update_hook_reactivated', updateHookReactivated),
  updateHookSecret: readQueryFile('hooks/update_hook_secret', updateHookSecret),
  updateHookSecretSwitched: readQueryFile('hooks/update_hook_secret_switched', updateHookSecretSwitched),
  updateHookSkips: readQueryFile('hooks/update_hook_skips', updateHookSkips),
  updateHooksReleased: readQueryFile('hooks/update_hooks_released', updateHooksReleased),
  claimPermits: readQueryFile('keys/claim_permits', claimPermits),
  countKeyRequests: readQueryFile('keys/count_key_requests', countKeyRequests),
  insertApiKey: readQueryFile('keys/insert_api_key', insertApiKey),
  insertApiKeySuccessor: readQueryFile('keys/insert_api_key_successor', insertApiKeySuccessor),
  listApiKeys: readQueryFile('keys/list_api_keys', listApiKeys),
  listKeyRequests: readQueryFile('keys/list_key_requests', listKeyRequests),
  listLiveApiKeys: readQueryFile('keys/list_live_api_keys', listLiveApiKeys),
  pruneKeyRequestCounts: readQueryFile('keys/prune_key_request_counts', pruneKeyRequestCounts),
  pruneKeyRequests: readQueryFile('keys/prune_key_requests', pruneKeyRequests),
  recordKeyRequests: readQueryFile('keys/record_key_requests', recordKeyRequests),
  updateApiKeyRevoked: readQueryFile('keys/update_api_key_revoked', updateApiKeyRevoked),
  updateApiKeysLastUsed: readQueryFile('keys/update_api_keys_last_used', updateApiKeysLastUsed),
  deleteKontakt: readQueryFile('kontakte/delete_kontakt', deleteKontakt),
  getHaushalt: readQueryFile('kontakte/get_haushalt', getHaushalt),
  getKontaktHoldings: readQueryFile('kontakte/get_kontakt_holdings', getKontaktHoldings),
  getKontaktLeads: readQueryFile('kontakte/get_kontakt_leads', getKontaktLeads),
  listKontakte: readQueryFile('kontakte/list_kontakte', listKontakte),
  resolveKontaktKey: readQueryFile('kontakte/resolve_kontakt_key', resolveKontaktKey),
  getLead: readQueryFile('leads/get_lead', getLead),
  getLeadAnalysis: readQueryFile('leads/get_lead_analysis', getLeadAnalysis),
  getLeadPresence: readQueryFile('leads/get_lead_presence', getLeadPresence),
  listActiveLeads: readQueryFile('leads/list_active_leads', listActiveLeads),
  listLeads: readQueryFile('leads/list_leads', listLeads),
  searchLeads: readQueryFile('leads/search_leads', searchLeads),
  updateSearchShares: readQueryFile('leads/update_search_shares', updateSearchShares),
  getMeetingIntelligence: readQueryFile('meetings/get_meeting_intelligence', getMeetingIntelligence),
  claimOwnerNotices: readQueryFile('owner/claim_owner_notices', claimOwnerNotices),
  countEventReceivers: readQueryFile('owner/count_event_receivers', countEventReceivers),
  deleteOwnerSession: readQueryFile('owner/delete_owner_session', deleteOwnerSession),
  getGauges: readQueryFile('owner/get_gauges', getGauges),
  getHookPulse: readQueryFile('owner/get_hook_pulse', getHookPulse),
  getLiveWorker: readQueryFile('owner/get_live_worker', getLiveWorker),
  getNoticeSettings: readQueryFile('owner/get_notice_settings', getNoticeSettings),
  getOverview: readQueryFile('owner/get_overview', getOverview),
  getOwnerSession: readQueryFile('owner/get_owner_session', getOwnerSession),
  getWorkerState: readQueryFile('owner/get_worker_state', getWorkerState),
  getWorkspacePulse: readQueryFile('owner/get_workspace_pulse', getWorkspacePulse),
  insertOwnerAction: readQueryFile('owner/insert_owner_action', insertOwnerAction),
  insertOwnerSession: readQueryFile('owner/insert_owner_session', insertOwnerSession),
  insertTestNotices: readQueryFile('owner/insert_test_notices', insertTestNotices),
  listEventReceivers: readQueryFile('owner/list_event_receivers', listEventReceivers),
  listEventsAt: readQueryFile('owner/list_events_at', listEventsAt),
  listHookHealth: readQueryFile('owner/list_hook_health', listHookHealth),
  listHookNames: readQueryFile('owner/list_hook_names', listHookNames),
  listHooksBehind: readQueryFile('owner/list_hooks_behind', listHooksBehind),
  listOwnerActions: readQueryFile('owner/list_owner_actions', listOwnerActions),
  listOwnerNotices: readQueryFile('owner/list_owner_notices', listOwnerNotices),
  pruneOwnerNotices: readQueryFile('owner/prune_owner_notices', pruneOwnerNotices),
  pruneOwnerSessions: readQueryFile('owner/prune_owner_sessions', pruneOwnerSessions),
  updateHookHealth: readQueryFile('owner/update_hook_health', updateHookHealth),
  updateNoticeSettings: readQueryFile('owner/update_notice_settings', updateNoticeSettings),
  updateOwnerNotice: readQueryFile('owner/update_owner_notice', updateOwnerNotice),
  updateOwnerSessionUsed: readQueryFile('owner/update_owner_session_used', updateOwnerSessionUsed),
  deleteRedactionProgress: readQueryFile('redaction/delete_redaction_progress', deleteRedactionProgress),
  getRedactionTotals: readQueryFile('redaction/get_redaction_totals', getRedactionTotals),
  listRedactionProgress: readQueryFile('redaction/list_redaction_progress', listRedactionProgress),
  recordRedactionProgress: readQueryFile('redaction/record_redaction_progress', recordRedactionProgress),
  updateAdvisoryDocsIncome: readQueryFile('redaction/update_advisory_docs_income', updateAdvisoryDocsIncome),
  updateAppointmentsIncome: readQueryFile('redaction/update_appointments_income', updateAppointmentsIncome),
  updateEventsIncome: readQueryFile('redaction/update_events_income', updateEventsIncome),
  updateHaushalteIncome: readQueryFile('redaction/update_haushalte_income', updateHaushalteIncome),
  updateLeadAnalysesIncome: readQueryFile('redaction/update_lead_analyses_income', updateLeadAnalysesIncome),
  updateLeadsIncome: readQueryFile('redaction/update_leads_income', updateLeadsIncome),
  updateMeetingIntelligenceIncome: readQueryFile('redaction/update_meeting_intelligence_income', updateMeetingIntelligenceIncome),
  updateSignalsIncome: readQueryFile('redaction/update_signals_income', updateSignalsIncome),
  getLostSettings: readQueryFile('roles/get_lost_settings', getLostSettings),
  deleteSchemaFunctions: readQueryFile('service/delete_schema_functions', deleteSchemaFunctions),
  getLoginAccess: readQueryFile('service/get_login_access', getLoginAccess),
  getReadiness: readQueryFile('service/get_readiness', getReadiness),
  getReplicaState: readQueryFile('service/get_replica_state', getReplicaState),
  insertSchemaMigration: readQueryFile('service/insert_schema_migration', insertSchemaMigration),
  listSchemaFunctions: readQueryFile('service/list_schema_functions', listSchemaFunctions),
  listSchemaMigrations: readQueryFile('service/list_schema_migrations', listSchemaMigrations),
  recordSchemaFunctions: readQueryFile('service/record_schema_functions', recordSchemaFunctions),
  listSignals: readQueryFile('signals/list_signals', listSignals),
}

type Nothing = Record<string, never>

export type QueryTypes = {
  listAppointments: {
    args: {
      status: string | null
      starts_from: Date | string | null
      row_limit: number
      row_offset: number
    }
    row: {
      id: string
      title: string | null
      status: string
      platform: string
      meeting_url: string | null
      starts_at: string
      ends_at: string | null
      customer_display_name: string | null
      source: string | null
      intelligence_status: string | null
      created_at: string
    }
  }
  getEvent: {
    args: {
      cursor: number
    }
    row: {
      id: string
      event_type: string
      schema_version: string
      occurred_at: string
      object_type: string
      object_id: string
      links: unknown
      data: unknown
      cursor: number
    }
  }
  getEventPage: {
    args: {
      after: number | null
      event_types: readonly (string | null)[] | null
      row_limit: number
      bytes_max: number
    }
    row: {
      horizon: number
      head: number
      count: number
      is_own: boolean
      next_cursor: number
      data: string
    }
  }
  getFeedFault: {
    args: {
      depth: number
    }
    row: {
      reason: string | null
    }
  }
  listFoundCursors: {
    args: {
      searched: string
      log_max: number
      row_limit: number
    }
    row: {
      cursor: number
    }
  }
  listNewestEvents: {
    args: {
      event_types: readonly (string | null)[]
      before: number | null
      row_limit: number
    }
    row: {
      cursor: number
      id: string
      event_type: string
      occurred_at: string
      object_type: string
      object_id: string
      person: string | null
    }
  }
  preparePartitions: {
    args: Nothing
    row: {
      feed: string | null
      attempts: string | null
    }
  }
  pruneAttempts: {
    args: {
      keep_seconds: number
      at: Date | string | null
    }
    row: {
      pruned: number | null
    }
  }
  pruneEvents: {
    args: {
      keep_seconds: number
      at: Date | string | null
      uptime_seconds: number
    }
    row: {
      horizon: number | null
      partitions_dropped: number | null
      partitions_left: number | null
    }
  }
  pruneLog: {
    args: {
      keep_seconds: number
      at: Date | string | null
    }
    row: {
      partitions_dropped: number | null
    }
  }
  sequenceEvents: {
    args: {
      row_limit: number
      sequenced_limit: number
      known_identity: string | null
      after_log_id: number
      after_cursor: number
      late: object
      settling: boolean
      wanted_types: readonly (string | null)[]
      sequenced_by: string
    }
    row: {
      cursor: number | null
      event_type: string | null
      event_id: string | null
      occurred_ms: number | null
      body: string | null
      state: string | null
    }
  }
  updateFeedFloor: {
    args: {
      log_id: number
      cursor: number
      late: object
      identity: string
    }
    row: never
  }
  updateFeedHead: {
    args: Nothing
    row: {
      head: number | null
    }
  }
  updateFeedState: {
    args: Nothing
    row: {
      mended: string | null
      head: number | null
    }
  }
  updateFeedWake: {
    args: {
      wake: boolean
    }
    row: {
      wake: boolean | null
    }
  }
  updateFeedWatch: {
    args: Nothing
    row: {
      watched_to: number | null
    }
  }
  claimRetries: {
    args: {
      nos: readonly (number | null)[]
      fences: readonly (number | null)[]
      capacities: readonly (number | null)[]
      row_limit: number
      under_way_nos: readonly (number | null)[]
      under_way_cursors: readonly (number | null)[]
    }
    row: {
      no: number
      cursor: number
      attempts: number
      test: boolean | null
      event_id: string | null
      occurred_ms: number | null
      body: string | null
    }
  }
  claimSubscriptions: {
    args: {
      worker: string
      lock_key: number | null
      lease_ms: number
      patience_ms: number
      lost_ms: number | null
      lost_patience_ms: number
      known_nos: readonly (number | null)[]
      known_fences: readonly (number | null)[]
    }
    row: {
      no: number | null
      fence: number | null
      counted_from: number | null
      surplus: boolean | null
      cursor: number | null
      claimed_to: number | null
      id: string | null
      target_url: string | null
      event_types: string | null
      secret: string | null
      old_secret: string | null
      old_secret_leads: boolean | null
      consecutive_failures: number | null
      ranges: string | null
      retries: number | null
    }
  }
  claimWorkerLock: {
    args: {
      lock_key: number
    }
    row: {
      locked: boolean | null
    }
  }
  countLiveWorkers: {
    args: Nothing
    row: {
      workers: number
    }
  }
  deleteHook: {
    args: {
      id: string
    }
    row: {
      id: string
    }
  }
  deleteHookFailures: {
    args: {
      subscription_id: string
      deliveries_max: number | null
    }
    row: {
      missed: number
      deliveries: number | null
    }
  }
  getDelivery: {
    args: {
      subscription_id: string
      cursor: number
    }
    row: {
      subscription_id: string
      cursor: number
      state: string
      created_at: string | null
      due_at: string | null
      retry_attempts: number
      ended_at: string | null
      event: unknown
      person: string | null
    }
  }
  getDeliveryRequest: {
    args: {
      subscription_id: string
      cursor: number
    }
    row: {
      target_url: string
      secret: string
      old_secret: string | null
      old_secret_leads: boolean
      event_id: string | null
      body: string | null
    }
  }
  getNewestTest: {
    args: {
      subscription_id: string
    }
    row: {
      cursor: number
    }
  }
  getRedelivery: {
    args: {
      subscription_id: string
    }
    row: {
      created_at: string
      deliveries: number
      waiting: number
      failed: number
      delivered: number
    }
  }
  insertHook: {
    args: {
      id: string
      target_url: string
      event_types: readonly (string | null)[]
      label: string | null
      source: string
      secret: string
      subscriptions_max: number
    }
    row: {
      subscription: string
    }
  }
  insertTestDelivery: {
    args: {
      subscription_id: string
      event_type: string | null
    }
    row: {
      cursor: number
      event_id: string | null
    }
  }
  listAttempts: {
    args: {
      subscription_id: string
      cursor: number
    }
    row: {
      started_at: string
      duration_ms: number
      attempt: number
      status: number | null
      error_class: string | null
      excerpt: string | null
      headers: string | null
    }
  }
  listDeliveries: {
    args: {
      subscription_id: string
      cursors: readonly (number | null)[]
      states: readonly (string | null)[]
    }
    row: {
      cursor: number
      state: string
      attempts: number
      created_at: string | null
      due_at: string | null
      ended_at: string | null
      status: number | null
      error_class: string | null
      duration_ms: number | null
      event_id: string | null
      event_type: string | null
      person: string | null
    }
  }
  listDeliveryCursors: {
    args: {
      subscription_id: string
      state: string
      before: number | null
      row_limit: number
    }
    row: {
      cursor: number
    }
  }
  listEndedDeliveries: {
    args: {
      nos: readonly (number | null)[]
      cursors: readonly (number | null)[]
      up_to: readonly (number | null)[]
    }
    row: {
      no: number | null
      cursor: number | null
    }
  }
  listErasedEvents: {
    args: {
      after: number
    }
    row: {
      cursor: number
    }
  }
  listHookReports: {
    args: {
      id: string | null
      count_max: number
    }
    row: {
      id: string
      target_url: string
      event_types: string[]
      label: string | null
      source: string
      active: boolean
      created_at: string
      consecutive_failures: number
      failing_since: string | null
      paused_at: string | null
      pause_reason: string | null
      old_secret_until: string | null
      old_secret_leads: boolean
      catch_up_cursor: number | null
      delivered_at: string | null
      failures: number
      waiting: number
      untried: number | null
      next_cursor: number | null
      due_since: string | null
      owned: boolean | null
      missed: number
      expired: number
      catching_up: number | null
      catching_up_of: number
      failure_cursor: number | null
      failure_at: string | null
      failure_status: number | null
      failure_class: string | null
      failure_excerpt: string | null
    }
  }
  listHookSecrets: {
    args: Nothing
    row: {
      id: string
      secret: string
      old_secret: string | null
    }
  }
  listHooks: {
    args: Nothing
    row: {
      id: string
      target_url: string
      event_types: string[]
      label: string | null
      source: string
      active: boolean
      created_at: string
    }
  }
  listLogEvents: {
    args: {
      after: number
      up_to: number | null
      event_types: readonly (string | null)[]
      row_limit: number
      bytes_max: number
    }
    row: {
      cursor: number | null
      event_type: string | null
      event_id: string | null
      occurred_ms: number | null
      body: string | null
    }
  }
  listMatchingDeliveries: {
    args: {
      subscription_id: string
      state: string | null
      event_types: readonly (string | null)[] | null
      reason: string | null
      since: Date | string | null
      until: Date | string | null
      cursors: readonly (number | null)[] | null
      before: number | null
      scan_max: number
      row_limit: number
    }
    row: {
      state: string
      deliveries: number
      cut_at: number | null
      cursors: unknown
    }
  }
  listRecordedAttempts: {
    args: {
      nos: readonly (number | null)[]
      cursors: readonly (number | null)[]
      started_at: readonly (Date | string | null)[]
    }
    row: {
      no: number
      cursor: number
    }
  }
  listSampleEvents: {
    args: {
      event_type: string | null
    }
    row: {
      id: string
      event_type: string
      schema_version: string
      occurred_at: string
      object_type: string
      object_id: string
      links: unknown
      data: unknown
    }
  }
  recordAttempts: {
    args: {
      nos: readonly (number | null)[]
      cursors: readonly (number | null)[]
      fences: readonly (number | null)[]
      started_at: readonly (Date | string | null)[]
      duration_ms: readonly (number | null)[]
      attempts: readonly (number | null)[]
      statuses: readonly (number | null)[]
      outcomes: readonly (string | null)[]
      error_classes: readonly (string | null)[]
      excerpts: readonly (string | null)[]
      headers: readonly (string | null)[]
      retry_ms: readonly (number | null)[]
      counted_nos: readonly (number | null)[]
      counts: readonly (number | null)[]
      worker: string
    }
    row: {
      id: string
      consecutive_failures: number
      paused: boolean | null
    }
  }
  recordDelivered: {
    args: {
      nos: readonly (number | null)[]
      cursors: readonly (number | null)[]
      fences: readonly (number | null)[]
      started_at: readonly (Date | string | null)[]
      duration_ms: readonly (number | null)[]
      statuses: readonly (number | null)[]
      excerpts: readonly (string | null)[]
    }
    row: never
  }
  updateDeliveriesMissed: {
    args: {
      subscription_id: string
    }
    row: {
      deliveries: number | null
    }
  }
  updateDeliveriesRedelivered: {
    args: {
      subscription_id: string
      cursors: readonly (number | null)[]
    }
    row: {
      deliveries: number
      notified: string | null
    }
  }
  updateHook: {
    args: {
      id: string
      target_url: string
      event_types: readonly (string | null)[]
      label: string | null
    }
    row: {
      id: string
    }
  }
  updateHookPaused: {
    args: {
      id: string
      reason: string
      is_paused_only: boolean
    }
    row: {
      id: string
    }
  }
  updateHookPositions: {
    args: {
      nos: readonly (number | null)[]
      fences: readonly (number | null)[]
      cursors: readonly (number | null)[]
      claimed_to: readonly (number | null)[]
    }
    row: {
      no: number
      was_ahead: boolean | null
    }
  }
  updateHookReactivated: {
    args: {
      id: string
      deliver_missed: boolean
    }
    row: {
      id: string | null
    }
  }
  updateHookSecret: {
    args: {
      id: string
      secret: string
      overlap_seconds: number
      again: boolean
    }
    row: {
      id: string
      old_secret_until: string | null
    }
  }
  updateHookSecretSwitched: {
    args: {
      id: string
    }
    row: {
      id: string
    }
  }
  updateHookSkips: {
    args: {
      nos: readonly (number | null)[]
      fences: readonly (number | null)[]
      to_cursors: readonly (number | null)[]
      from_cursors: readonly (number | null)[]
      claimed_to: readonly (number | null)[]
    }
    row: {
      no: number
    }
  }
  updateHooksReleased: {
    args: {
      worker: string
      nos: readonly (number | null)[] | null
      leaving: boolean
      lease_ms: number
      lock_key: number | null
    }
    row: {
      released: number | null
      notified: string | null
    }
  }
  claimPermits: {
    args: {
      key_ids: readonly (string | null)[]
      wanted: readonly (number | null)[]
      permits_max: number
      at: Date | string | null
    }
    row: {
      key_id: string
      granted: number
      used: number
      wait_seconds: number | null
    }
  }
  countKeyRequests: {
    args: {
      key_ids: readonly (string | null)[]
    }
    row: {
      key_id: string
      requests: number
    }
  }
  insertApiKey: {
    args: {
      prefix: string
      digest: string
      label: string
      scopes: readonly (string | null)[]
      expires_at: Date | string | null
    }
    row: {
      id: string
    }
  }
  insertApiKeySuccessor: {
    args: {
      id: string
      ends_at: Date | string
      prefix: string
      digest: string
    }
    row: {
      id: string
    }
  }
  listApiKeys: {
    args: Nothing
    row: {
      id: string
      prefix: string
      label: string
      scopes: string[]
      created_at: string
      last_used_at: string | null
      expires_at: string | null
      revoked_at: string | null
    }
  }
  listKeyRequests: {
    args: {
      key_id: string
      row_limit: number
    }
    row: {
      at: string
      request_id: string
      method: string
      route: string
      tool: string | null
      status: number
      duration_ms: number
    }
  }
  listLiveApiKeys: {
    args: {
      at: Date | string | null
    }
    row: {
      id: string
      digest: string | null
      scopes: string[]
      expires_at: string | null
    }
  }
  pruneKeyRequestCounts: {
    args: Nothing
    row: {
      forgotten: number
    }
  }
  pruneKeyRequests: {
    args: {
      key_ids: readonly (string | null)[]
      rows_max: number
    }
    row: {
      id: number
    }
  }
  recordKeyRequests: {
    args: {
      key_ids: readonly (string | null)[]
      at: readonly (Date | string | null)[]
      request_ids: readonly (string | null)[]
      methods: readonly (string | null)[]
      routes: readonly (string | null)[]
      tools: readonly (string | null)[]
      statuses: readonly (number | null)[]
      duration_ms: readonly (number | null)[]
      counted_ids: readonly (string | null)[]
      hours: readonly (Date | string | null)[]
      counts: readonly (number | null)[]
    }
    row: {
      recorded: number
    }
  }
  updateApiKeyRevoked: {
    args: {
      id: string | null
      prefix: string | null
      digest: string | null
    }
    row: {
      id: string
      prefix: string
      label: string
    }
  }
  updateApiKeysLastUsed: {
    args: {
      ids: readonly (string | null)[]
      used_at: readonly (Date | string | null)[]
    }
    row: never
  }
  deleteKontakt: {
    args: {
      identity: string
    }
    row: {
      canonical_key: string
      keys: string[]
      shared_keys: string[]
      other_leads: unknown
      counts: unknown
      recipients: unknown
    }
  }
  getHaushalt: {
    args: {
      kontakt_key: string
    }
    row: {
      kontakt_key: string
      canonical_key: string
      aliases: string[]
      haushalt: unknown
      provenance: unknown
      din_check: unknown
      empfehlungen_aktuell: unknown
      updated_at: string
    }
  }
  getKontaktHoldings: {
    args: {
      identity: string
    }
    row: {
      canonical_key: string
      keys: string[]
      shared_keys: string[]
      other_leads: unknown
      counts: unknown
      recipients: unknown
    }
  }
  getKontaktLeads: {
    args: {
      identity: string
      row_limit: number
    }
    row: {
      canonical_key: string
      keys: string[]
      shared_keys: string[]
      lead_count: number
      leads: unknown
    }
  }
  listKontakte: {
    args: {
      row_limit: number
      row_offset: number
    }
    row: {
      kontakt_key: string
      vertraege_anzahl: number
      luecken_nach_stufe: unknown
      params_version: string | null
      updated_at: string
    }
  }
  resolveKontaktKey: {
    args: {
      identity: string
    }
    row: {
      kontakt_key: string | null
    }
  }
  getLead: {
    args: {
      lead_id: string
    }
    row: {
      id: string
      name: string | null
      email: string | null
      phone: string | null
      status: string
      source_type: string | null
      contacted_at: string | null
      archived_at: string | null
      archive_reason_code: string | null
      parsed_data: unknown
      created_at: string
    }
  }
  getLeadAnalysis: {
    args: {
      lead_id: string
    }
    row: {
      lead_id: string
      channel: string
      source_id: string
      analysis_schema_version: string | null
      analysis: unknown
      analysis_v2: unknown
      din_check: unknown
      created_at: string
    }
  }
  getLeadPresence: {
    args: Nothing
    row: {
      present: boolean | null
    }
  }
  listActiveLeads: {
    args: {
      row_limit: number
      row_offset: number
    }
    row: {
      id: string
      name: string | null
      email: string | null
      phone: string | null
      status: string
      source_type: string | null
      contacted_at: string | null
      archived_at: string | null
      archive_reason_code: string | null
      parsed_data: unknown
      created_at: string
    }
  }
  listLeads: {
    args: {
      status: string | null
      include_archived: boolean
      row_limit: number
      row_offset: number
    }
    row: {
      id: string
      name: string | null
      email: string | null
      phone: string | null
      status: string
      source_type: string | null
      contacted_at: string | null
      archived_at: string | null
      archive_reason_code: string | null
      parsed_data: unknown
      created_at: string
    }
  }
  searchLeads: {
    args: {
      search: string
      status: string | null
      include_archived: boolean
      row_limit: number
      row_offset: number
    }
    row: {
      id: string
      name: string | null
      email: string | null
      phone: string | null
      status: string
      source_type: string | null
      contacted_at: string | null
      archived_at: string | null
      archive_reason_code: string | null
      parsed_data: unknown
      created_at: string
    }
  }
  updateSearchShares: {
    args: Nothing
    row: {
      refreshed: number | null
    }
  }
  getMeetingIntelligence: {
    args: {
      appointment_id: string
    }
    row: {
      appointment: unknown
      overall_score: number | null
      customer_persona: string | null
      conversation_type: string | null
      results: unknown
    }
  }
  claimOwnerNotices: {
    args: {
      channel: string
      is_set: boolean
      retry_ms: number
      row_limit: number
    }
    row: {
      id: string
      failures: number | null
      created_at: string
      subscription_id: string | null
      label: string | null
      target_url: string | null
      active: boolean | null
      failing_since: string | null
      catch_up_cursor: number | null
      webhook_url: string | null
      mail_to: string | null
      language: string | null
    }
  }
  countEventReceivers: {
    args: {
      cursors: readonly (number | null)[]
    }
    row: {
      cursor: number
      state: string
      paused_by: string | null
      subscriptions: number
      subscription_id: string
    }
  }
  deleteOwnerSession: {
    args: {
      digest: string
    }
    row: {
      created_at: string
    }
  }
  getGauges: {
    args: {
      count_max: number
    }
    row: {
      head: number
      horizon: number
      head_age: number | null
      partitions: number
      unsequenced: number
      unsequenced_age: number | null
      pending: number
      due_age: number | null
      unowned: number
      active: number
      failing: number
      paused: number
    }
  }
  getHookPulse: {
    args: {
      subscription_id: string
      cursor: number | null
      seconds: number
    }
    row: {
      pulse: string | null
    }
  }
  getLiveWorker: {
    args: Nothing
    row: {
      live: boolean
    }
  }
  getNoticeSettings: {
    args: Nothing
    row: {
      webhook_url: string | null
      mail_to: string | null
      language: string | null
    }
  }
  getOverview: {
    args: {
      count_max: number
    }
    row: {
      head: number
      horizon: number
      unsequenced: number
      unsequenced_since: string | null
      pending: number
      given_up: number
      due_since: string | null
      unowned_since: string | null
      requests: number
      has_keys: boolean | null
      has_delivered: boolean | null
      at: string
    }
  }
  getOwnerSession: {
    args: {
      digest: string
      idle_seconds_max: number
      age_seconds_max: number
    }
    row: {
      stale: boolean | null
    }
  }
  getWorkerState: {
    args: Nothing
    row: {
      unsequenced_since: string | null
      unowned_since: string | null
      at: string
    }
  }
  getWorkspacePulse: {
    args: {
      seconds: number
    }
    row: {
      pulse: string
    }
  }
  insertOwnerAction: {
    args: {
      action: string
      subject: string | null
      name: string | null
      client: string
    }
    row: {
      noted: string | null
    }
  }
  insertOwnerSession: {
    args: {
      digest: string
    }
    row: {
      created_at: string
    }
  }
  insertTestNotices: {
    args: {
      channels: readonly (string | null)[]
    }
    row: {
      id: string
      notified: string | null
    }
  }
  listEventReceivers: {
    args: {
      cursors: readonly (number | null)[]
    }
    row: {
      cursor: number
      subscription_id: string
      state: string | null
      ended_at: string | null
    }
  }
  listEventsAt: {
    args: {
      cursors: readonly (number | null)[]
      event_types: readonly (string | null)[]
      before: number | null
      row_limit: number
    }
    row: {
      cursor: number
      id: string
      event_type: string
      occurred_at: string
      object_type: string
      object_id: string
      person: string | null
    }
  }
  listHookHealth: {
    args: {
      id: string | null
      since: Date | string
      unit: string
      step_seconds: number
    }
    row: {
      subscription_id: string
      steps: string | null
      buckets: string | null
      reasons: unknown
    }
  }
  listHookNames: {
    args: Nothing
    row: {
      id: string
      label: string | null
      target_url: string
      event_types: string[]
      active: boolean
      consecutive_failures: number
      failing_since: string | null
      paused_at: string | null
      pause_reason: string | null
      has_missed: boolean
      has_expired: boolean
      is_catching_up: boolean
      is_retrying: boolean
    }
  }
  listHooksBehind: {
    args: {
      seconds: number
      count_max: number
    }
    row: {
      id: string
      due_since: string | null
      pending: number
    }
  }
  listOwnerActions: {
    args: {
      row_limit: number
    }
    row: {
      at: string | null
      action: string | null
      subject: string | null
      client: string | null
      name: string | null
    }
  }
  listOwnerNotices: {
    args: {
      channels: readonly (string | null)[]
      row_limit: number
    }
    row: {
      id: string
      created_at: string
      channel: string
      subscription_id: string | null
      failures: number | null
      attempts: number
      due_at: string
      sent_at: string | null
      status: number | null
      error_class: string | null
      name: string | null
    }
  }
  pruneOwnerNotices: {
    args: Nothing
    row: {
      id: string
    }
  }
  pruneOwnerSessions: {
    args: {
      idle_seconds_max: number
      age_seconds_max: number
    }
    row: {
      created_at: string
    }
  }
  updateHookHealth: {
    args: {
      moment: Date | string | null
    }
    row: {
      touched: number | null
    }
  }
  updateNoticeSettings: {
    args: {
      webhook_url: string | null
      mail_to: string | null
      language: string | null
    }
    row: {
      language: string | null
    }
  }
  updateOwnerNotice: {
    args: {
      id: string
      status: number | null
      error_class: string | null
    }
    row: {
      id: string
    }
  }
  updateOwnerSessionUsed: {
    args: {
      digest: string
    }
    row: {
      used_at: string
    }
  }
  deleteRedactionProgress: {
    args: Nothing
    row: never
  }
  getRedactionTotals: {
    args: Nothing
    row: {
      leads: number | null
      lead_analyses: number | null
      haushalte: number | null
      meeting_intelligence: number | null
      appointments: number | null
      signals: number | null
      advisory_docs: number | null
      events: number | null
    }
  }
  listRedactionProgress: {
    args: Nothing
    row: {
      table_name: string
      after_key: string
      seen: number
      changed: number
    }
  }
  recordRedactionProgress: {
    args: {
      table_name: string
      after_key: string
      seen: number
      changed: number
    }
    row: never
  }
  updateAdvisoryDocsIncome: {
    args: {
      after_key: string | null
      limit: number
    }
    row: {
      last_key: string | null
      seen: number | null
      changed: number | null
    }
  }
  updateAppointmentsIncome: {
    args: {
      after_key: string | null
      limit: number
    }
    row: {
      last_key: string | null
      seen: number | null
      changed: number | null
    }
  }
  updateEventsIncome: {
    args: {
      after_key: string | null
      limit: number
    }
    row: {
      last_key: string | null
      seen: number | null
      changed: number | null
    }
  }
  updateHaushalteIncome: {
    args: {
      after_key: string | null
      limit: number
    }
    row: {
      last_key: string | null
      seen: number | null
      changed: number | null
    }
  }
  updateLeadAnalysesIncome: {
    args: {
      after_key: string | null
      limit: number
    }
    row: {
      last_key: string | null
      seen: number | null
      changed: number | null
    }
  }
  updateLeadsIncome: {
    args: {
      after_key: string | null
      limit: number
    }
    row: {
      last_key: string | null
      seen: number | null
      changed: number | null
    }
  }
  updateMeetingIntelligenceIncome: {
    args: {
      after_key: string | null
      limit: number
    }
    row: {
      last_key: string | null
      seen: number | null
      changed: number | null
    }
  }
  updateSignalsIncome: {
    args: {
      after_key: string | null
      limit: number
    }
    row: {
      last_key: string | null
      seen: number | null
      changed: number | null
    }
  }
  getLostSettings: {
    args: {
      names: readonly (string | null)[]
      values: readonly (string | null)[]
    }
    row: {
      names: string[] | null
    }
  }
  deleteSchemaFunctions: {
    args: Nothing
    row: never
  }
  getLoginAccess: {
    args: Nothing
    row: {
      login: string
      api: boolean
      worker: boolean
      dashboard: boolean
    }
  }
  getReadiness: {
    args: Nothing
    row: {
      schema_version: number | null
      takes_writes: boolean
    }
  }
  getReplicaState: {
    args: Nothing
    row: {
      schema_version: number | null
      database: string | null
      standby: boolean | null
    }
  }
  insertSchemaMigration: {
    args: {
      number: number
      name: string
      sha256: string
    }
    row: {
      number: number
      lock_timeout: string | null
    }
  }
  listSchemaFunctions: {
    args: Nothing
    row: {
      path: string
      sha256: string
      version: string
    }
  }
  listSchemaMigrations: {
    args: Nothing
    row: {
      number: number
      name: string
      sha256: string
    }
  }
  recordSchemaFunctions: {
    args: {
      paths: readonly (string | null)[]
      sha256s: readonly (string | null)[]
      version: string
    }
    row: {
      path: string
      lock_timeout: string | null
    }
  }
  listSignals: {
    args: {
      status: string | null
      row_limit: number
      row_offset: number
    }
    row: {
      id: string
      kind: string
      title: string
      status: string
      score: number
      lead_id: string | null
      detected_at: string
      updated_at: string
    }
  }
}
