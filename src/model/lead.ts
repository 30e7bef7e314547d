// Spec part 2: Lead and LeadAnalysis.
import { Type } from '@sinclair/typebox'
import { DateTime, Exact, FreeForm, Nullable, Uuid } from './schema.ts'

/** No enumeration of the contract: a workspace may have others. */
export const usualLeadStatuses = [
  'new',
  'contacted',
  'qualified',
  'appointment_scheduled',
  'analysis_done',
  'offer',
  'won',
  'lost',
]

export const Lead = Exact(
  {
    id: Uuid,
    name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    phone: Nullable(Type.String()),
    status: Type.String({
      description: `Pipeline status, \`new\` at first. Usual are ${usualLeadStatuses.join(', ')}.`,
    }),
    source_type: Nullable(Type.String()),
    contacted_at: Nullable(DateTime),
    archived_at: Nullable(DateTime),
    archive_reason_code: Nullable(Type.String()),
    parsed_data: Nullable(FreeForm),
    created_at: DateTime,
  },
  { $id: 'Lead', description: 'A person who may become a customer.' },
)

export const Channel = Type.Union([Type.Literal('chat'), Type.Literal('call')], {
  $id: 'Channel',
  description: 'Where an analysis comes from.',
})

export const LeadAnalysis = Exact(
  {
    lead_id: Uuid,
    channel: Channel,
    source_id: Type.String(),
    analysis_schema_version: Nullable(Type.String()),
    analysis: FreeForm,
    analysis_v2: Nullable(FreeForm),
    din_check: Nullable(FreeForm),
    created_at: DateTime,
  },
  {
    $id: 'LeadAnalysis',
    description:
      'A DIN 77230 needs analysis: flat in `analysis`, nested (din_core_v2) in `analysis_v2`. Without raw income amounts.',
  },
)
