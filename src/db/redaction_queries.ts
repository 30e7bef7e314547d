// The part of the manifest that belongs to the command redact.
import { Type } from '@sinclair/typebox'
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
import { Exact, Nullable } from '../model/schema.ts'
import { command, query } from './query.ts'

const counted = Type.Integer()

// How far a batch of the command redact came.
const RedactedBatch = Exact({
  last_key: Nullable(Type.String()),
  seen: Nullable(counted),
  changed: Nullable(counted),
})

export const redactionQueries = {
  updateLeadsIncome: query('redaction/update_leads_income', updateLeadsIncome, RedactedBatch),
  updateLeadAnalysesIncome: query(
    'redaction/update_lead_analyses_income',
    updateLeadAnalysesIncome,
    RedactedBatch,
  ),
  updateHaushalteIncome: query(
    'redaction/update_haushalte_income',
    updateHaushalteIncome,
    RedactedBatch,
  ),
  updateMeetingIntelligenceIncome: query(
    'redaction/update_meeting_intelligence_income',
    updateMeetingIntelligenceIncome,
    RedactedBatch,
  ),
  updateEventOutboxIncome: query(
    'redaction/update_event_outbox_income',
    updateEventOutboxIncome,
    RedactedBatch,
  ),
  updateEventsIncome: query('redaction/update_events_income', updateEventsIncome, RedactedBatch),
  getRedactionTotals: query(
    'redaction/get_redaction_totals',
    getRedactionTotals,
    Exact({
      leads: Nullable(counted),
      lead_analyses: Nullable(counted),
      haushalte: Nullable(counted),
      meeting_intelligence: Nullable(counted),
      event_outbox: Nullable(counted),
      events: Nullable(counted),
    }),
  ),
  listRedactionProgress: query(
    'redaction/list_redaction_progress',
    listRedactionProgress,
    Exact({ table_name: Type.String(), after_key: Type.String(), seen: counted, changed: counted }),
  ),
  recordRedactionProgress: command('redaction/record_redaction_progress', recordRedactionProgress),
  deleteRedactionProgress: command('redaction/delete_redaction_progress', deleteRedactionProgress),
}
