// Spec part 2: Appointment.
import { Type } from '@sinclair/typebox'
import { DateTime, Exact, Nullable, Uuid } from './schema.ts'

/** No enumeration of the contract: a workspace may have others. */
export const usualAppointmentStatuses = [
  'scheduled',
  'completed',
  'cancelled',
  'rescheduled',
  'no_show',
]

export const Appointment = Exact(
  {
    id: Uuid,
    title: Nullable(Type.String()),
    status: Type.String({ description: `Usual are ${usualAppointmentStatuses.join(', ')}.` }),
    platform: Type.String(),
    meeting_url: Nullable(Type.String({ format: 'uri' })),
    starts_at: DateTime,
    ends_at: Nullable(DateTime),
    customer_display_name: Nullable(Type.String()),
    source: Nullable(Type.String()),
    intelligence_status: Nullable(Type.String()),
    created_at: DateTime,
  },
  { $id: 'Appointment', description: 'A meeting with a customer, past or to come.' },
)
