// Spec part 2: MeetingIntelligence and its result entries.
import { Type } from '@sinclair/typebox'
import { Appointment } from './appointment.ts'
import { DateTime, Exact, Nullable } from './schema.ts'

export const ResultEntry = Exact(
  {
    field_key: Type.String(),
    label: Type.String(),
    kind: Type.String(),
    output_type: Type.String(),
    status: Type.String(),
    value: Type.Unknown({ description: 'Any JSON value; its shape depends on `output_type`.' }),
    score: Nullable(Type.Number()),
    level: Nullable(Type.String()),
    rationale: Nullable(Type.String()),
    recommendation: Nullable(Type.String()),
    generated_at: Nullable(DateTime),
  },
  { $id: 'ResultEntry', description: 'One finding of a meeting.' },
)

export const MeetingIntelligence = Exact(
  {
    appointment: Appointment,
    overall_score: Nullable(Type.Number()),
    customer_persona: Nullable(Type.String()),
    conversation_type: Nullable(Type.String()),
    results: Type.Array(ResultEntry),
  },
  {
    $id: 'MeetingIntelligence',
    description:
      'What was found in a meeting. The summary and the next steps are the result entries `summary` and `next_steps`.',
  },
)
