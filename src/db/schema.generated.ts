// Generated: bun run queries. Every migration in order, and every file of functions.
import functionsDocumentsBounds from '../../sql/functions/documents/bounds.sql' with { type: 'text' }
import functionsDocumentsCounts from '../../sql/functions/documents/counts.sql' with { type: 'text' }
import functionsDocumentsFlat from '../../sql/functions/documents/flat.sql' with { type: 'text' }
import functionsDocumentsMeeting from '../../sql/functions/documents/meeting.sql' with { type: 'text' }
import functionsDocumentsMoment from '../../sql/functions/documents/moment.sql' with { type: 'text' }
import functionsDocumentsResults from '../../sql/functions/documents/results.sql' with { type: 'text' }
import functionsDocumentsUri from '../../sql/functions/documents/uri.sql' with { type: 'text' }
import functionsErasureDeliveries from '../../sql/functions/erasure/deliveries.sql' with { type: 'text' }
import functionsErasureEraseKontakt from '../../sql/functions/erasure/erase_kontakt.sql' with { type: 'text' }
import functionsErasureEvents from '../../sql/functions/erasure/events.sql' with { type: 'text' }
import functionsErasureFindKontakt from '../../sql/functions/erasure/find_kontakt.sql' with { type: 'text' }
import functionsErasurePerson from '../../sql/functions/erasure/person.sql' with { type: 'text' }
import functionsEventsAdvisoryDocs from '../../sql/functions/events/advisory_docs.sql' with { type: 'text' }
import functionsEventsAnalyses from '../../sql/functions/events/analyses.sql' with { type: 'text' }
import functionsEventsAppointments from '../../sql/functions/events/appointments.sql' with { type: 'text' }
import functionsEventsBody from '../../sql/functions/events/body.sql' with { type: 'text' }
import functionsEventsChanges from '../../sql/functions/events/changes.sql' with { type: 'text' }
import functionsEventsEmit from '../../sql/functions/events/emit.sql' with { type: 'text' }
import functionsEventsFindEvents from '../../sql/functions/events/find_events.sql' with { type: 'text' }
import functionsEventsHaushalte from '../../sql/functions/events/haushalte.sql' with { type: 'text' }
import functionsEventsLeads from '../../sql/functions/events/leads.sql' with { type: 'text' }
import functionsEventsLinks from '../../sql/functions/events/links.sql' with { type: 'text' }
import functionsEventsMeetings from '../../sql/functions/events/meetings.sql' with { type: 'text' }
import functionsEventsPerson from '../../sql/functions/events/person.sql' with { type: 'text' }
import functionsEventsSignals from '../../sql/functions/events/signals.sql' with { type: 'text' }
import functionsFeedAdvance from '../../sql/functions/feed/advance.sql' with { type: 'text' }
import functionsFeedCounts from '../../sql/functions/feed/counts.sql' with { type: 'text' }
import functionsFeedCursorAt from '../../sql/functions/feed/cursor_at.sql' with { type: 'text' }
import functionsFeedLog from '../../sql/functions/feed/log.sql' with { type: 'text' }
import functionsFeedPruneEvents from '../../sql/functions/feed/prune_events.sql' with { type: 'text' }
import functionsFeedSequenceEvents from '../../sql/functions/feed/sequence_events.sql' with { type: 'text' }
import functionsFeedWaiting from '../../sql/functions/feed/waiting.sql' with { type: 'text' }
import functionsHooksChanges from '../../sql/functions/hooks/changes.sql' with { type: 'text' }
import functionsHooksRecord from '../../sql/functions/hooks/record.sql' with { type: 'text' }
import functionsHooksSubscriptions from '../../sql/functions/hooks/subscriptions.sql' with { type: 'text' }
import functionsIdentityAliases from '../../sql/functions/identity/aliases.sql' with { type: 'text' }
import functionsIdentityHints from '../../sql/functions/identity/hints.sql' with { type: 'text' }
import functionsIdentityKontaktKey from '../../sql/functions/identity/kontakt_key.sql' with { type: 'text' }
import functionsIdentityText from '../../sql/functions/identity/text.sql' with { type: 'text' }
import functionsIncomeAmounts from '../../sql/functions/income/amounts.sql' with { type: 'text' }
import functionsIncomeDocument from '../../sql/functions/income/document.sql' with { type: 'text' }
import functionsIncomeMeaning from '../../sql/functions/income/meaning.sql' with { type: 'text' }
import functionsIncomePhrases from '../../sql/functions/income/phrases.sql' with { type: 'text' }
import functionsIncomeRows from '../../sql/functions/income/rows.sql' with { type: 'text' }
import functionsIncomeSchema from '../../sql/functions/income/schema.sql' with { type: 'text' }
import functionsIncomeTables from '../../sql/functions/income/tables.sql' with { type: 'text' }
import functionsIncomeText from '../../sql/functions/income/text.sql' with { type: 'text' }
import functionsIncomeWords from '../../sql/functions/income/words.sql' with { type: 'text' }
import functionsMergingMergeKontakte from '../../sql/functions/merging/merge_kontakte.sql' with { type: 'text' }
import functionsMergingRecords from '../../sql/functions/merging/records.sql' with { type: 'text' }
import functionsSearchSearchForm from '../../sql/functions/search/search_form.sql' with { type: 'text' }
import functionsServerReadiness from '../../sql/functions/server/readiness.sql' with { type: 'text' }
import functionsTablesLocks from '../../sql/functions/tables/locks.sql' with { type: 'text' }
import functionsTablesPersonal from '../../sql/functions/tables/personal.sql' with { type: 'text' }
import functionsTablesRows from '../../sql/functions/tables/rows.sql' with { type: 'text' }
import migration0001Leads from '../../sql/migrations/0001_leads.sql' with { type: 'text' }
import migration0002LeadAnalyses from '../../sql/migrations/0002_lead_analyses.sql' with { type: 'text' }
import migration0003Kontakte from '../../sql/migrations/0003_kontakte.sql' with { type: 'text' }
import migration0004Appointments from '../../sql/migrations/0004_appointments.sql' with { type: 'text' }
import migration0005Signals from '../../sql/migrations/0005_signals.sql' with { type: 'text' }
import migration0006AdvisoryDocs from '../../sql/migrations/0006_advisory_docs.sql' with { type: 'text' }
import migration0007Events from '../../sql/migrations/0007_events.sql' with { type: 'text' }
import migration0008Hooks from '../../sql/migrations/0008_hooks.sql' with { type: 'text' }
import migration0009Keys from '../../sql/migrations/0009_keys.sql' with { type: 'text' }
import migration0010Owner from '../../sql/migrations/0010_owner.sql' with { type: 'text' }
import migration0011WriteLocks from '../../sql/migrations/0011_write_locks.sql' with { type: 'text' }
import migration0012Triggers from '../../sql/migrations/0012_triggers.sql' with { type: 'text' }

export const migrationTexts = {
  '0001_leads': migration0001Leads,
  '0002_lead_analyses': migration0002LeadAnalyses,
  '0003_kontakte': migration0003Kontakte,
  '0004_appointments': migration0004Appointments,
  '0005_signals': migration0005Signals,
  '0006_advisory_docs': migration0006AdvisoryDocs,
  '0007_events': migration0007Events,
  '0008_hooks': migration0008Hooks,
  '0009_keys': migration0009Keys,
  '0010_owner': migration0010Owner,
  '0011_write_locks': migration0011WriteLocks,
  '0012_triggers': migration0012Triggers,
}

export const functionTexts = {
  'documents/bounds': functionsDocumentsBounds,
  'documents/counts': functionsDocumentsCounts,
  'documents/flat': functionsDocumentsFlat,
  'documents/meeting': functionsDocumentsMeeting,
  'documents/moment': functionsDocumentsMoment,
  'documents/results': functionsDocumentsResults,
  'documents/uri': functionsDocumentsUri,
  'erasure/deliveries': functionsErasureDeliveries,
  'erasure/erase_kontakt': functionsErasureEraseKontakt,
  'erasure/events': functionsErasureEvents,
  'erasure/find_kontakt': functionsErasureFindKontakt,
  'erasure/person': functionsErasurePerson,
  'events/advisory_docs': functionsEventsAdvisoryDocs,
  'events/analyses': functionsEventsAnalyses,
  'events/appointments': functionsEventsAppointments,
  'events/body': functionsEventsBody,
  'events/changes': functionsEventsChanges,
  'events/emit': functionsEventsEmit,
  'events/find_events': functionsEventsFindEvents,
  'events/haushalte': functionsEventsHaushalte,
  'events/leads': functionsEventsLeads,
  'events/links': functionsEventsLinks,
  'events/meetings': functionsEventsMeetings,
  'events/person': functionsEventsPerson,
  'events/signals': functionsEventsSignals,
  'feed/advance': functionsFeedAdvance,
  'feed/counts': functionsFeedCounts,
  'feed/cursor_at': functionsFeedCursorAt,
  'feed/log': functionsFeedLog,
  'feed/prune_events': functionsFeedPruneEvents,
  'feed/sequence_events': functionsFeedSequenceEvents,
  'feed/waiting': functionsFeedWaiting,
  'hooks/changes': functionsHooksChanges,
  'hooks/record': functionsHooksRecord,
  'hooks/subscriptions': functionsHooksSubscriptions,
  'identity/aliases': functionsIdentityAliases,
  'identity/hints': functionsIdentityHints,
  'identity/kontakt_key': functionsIdentityKontaktKey,
  'identity/text': functionsIdentityText,
  'income/amounts': functionsIncomeAmounts,
  'income/document': functionsIncomeDocument,
  'income/meaning': functionsIncomeMeaning,
  'income/phrases': functionsIncomePhrases,
  'income/rows': functionsIncomeRows,
  'income/schema': functionsIncomeSchema,
  'income/tables': functionsIncomeTables,
  'income/text': functionsIncomeText,
  'income/words': functionsIncomeWords,
  'merging/merge_kontakte': functionsMergingMergeKontakte,
  'merging/records': functionsMergingRecords,
  'search/search_form': functionsSearchSearchForm,
  'server/readiness': functionsServerReadiness,
  'tables/locks': functionsTablesLocks,
  'tables/personal': functionsTablesPersonal,
  'tables/rows': functionsTablesRows,
}
