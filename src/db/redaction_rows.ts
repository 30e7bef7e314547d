// The shapes of rows for the command redact.
import { Type } from '@sinclair/typebox'
import { Exact, Nullable } from '../model/schema.ts'

const counted = Type.Integer()

// How far a batch of the command redact came.
const RedactedBatch = Exact({
  last_key: Nullable(Type.String()),
  seen: Nullable(counted),
  changed: Nullable(counted),
})

export const redactionRows = {
  updateLeadsIncome: RedactedBatch,
  updateLeadAnalysesIncome: RedactedBatch,
  updateHaushalteIncome: RedactedBatch,
  updateMeetingIntelligenceIncome: RedactedBatch,
  updateEventOutboxIncome: RedactedBatch,
  updateEventsIncome: RedactedBatch,
  getRedactionTotals: Exact({
    leads: Nullable(counted),
    lead_analyses: Nullable(counted),
    haushalte: Nullable(counted),
    meeting_intelligence: Nullable(counted),
    event_outbox: Nullable(counted),
    events: Nullable(counted),
  }),
  listRedactionProgress: Exact({
    table_name: Type.String(),
    after_key: Type.String(),
    seen: counted,
    changed: counted,
  }),
  recordRedactionProgress: null,
  deleteRedactionProgress: null,
}
