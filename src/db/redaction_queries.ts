// The part of the manifest that belongs to the command redact.
import deleteRedactionProgress from '../../sql/redaction/delete_redaction_progress.sql' with {
  type: 'text',
}
import getRedactionTotals from '../../sql/redaction/get_redaction_totals.sql' with { type: 'text' }
import listRedactionProgress from '../../sql/redaction/list_redaction_progress.sql' with {
  type: 'text',
}
import recordRedactionProgress from '../../sql/redaction/record_redaction_progress.sql' with {
  type: 'text',
}
import updateEventOutboxIncome from '../../sql/redaction/update_event_outbox_income.sql' with {
  type: 'text',
}
import updateEventsIncome from '../../sql/redaction/update_events_income.sql' with { type: 'text' }
import updateHaushalteIncome from '../../sql/redaction/update_haushalte_income.sql' with {
  type: 'text',
}
import updateLeadAnalysesIncome from '../../sql/redaction/update_lead_analyses_income.sql' with {
  type: 'text',
}
import updateLeadsIncome from '../../sql/redaction/update_leads_income.sql' with { type: 'text' }
import updateMeetingIntelligenceIncome from '../../sql/redaction/update_meeting_intelligence_income.sql' with {
  type: 'text',
}
import { readQueryFile } from './query_file.ts'

export const redactionQueries = {
  updateLeadsIncome: readQueryFile('redaction/update_leads_income', updateLeadsIncome),
  updateLeadAnalysesIncome: readQueryFile(
    'redaction/update_lead_analyses_income',
    updateLeadAnalysesIncome,
  ),
  updateHaushalteIncome: readQueryFile('redaction/update_haushalte_income', updateHaushalteIncome),
  updateMeetingIntelligenceIncome: readQueryFile(
    'redaction/update_meeting_intelligence_income',
    updateMeetingIntelligenceIncome,
  ),
  updateEventOutboxIncome: readQueryFile(
    'redaction/update_event_outbox_income',
    updateEventOutboxIncome,
  ),
  updateEventsIncome: readQueryFile('redaction/update_events_income', updateEventsIncome),
  getRedactionTotals: readQueryFile('redaction/get_redaction_totals', getRedactionTotals),
  listRedactionProgress: readQueryFile('redaction/list_redaction_progress', listRedactionProgress),
  recordRedactionProgress: readQueryFile(
    'redaction/record_redaction_progress',
    recordRedactionProgress,
  ),
  deleteRedactionProgress: readQueryFile(
    'redaction/delete_redaction_progress',
    deleteRedactionProgress,
  ),
}
