// The event types by what they are about, as the owner's pages show them.
import type { EventType } from '../model/event_type.ts'

export const eventGroups = {
  leads: ['lead.created', 'lead.stage_changed', 'lead.archived'],
  analyses: ['analysis.completed', 'din.check_completed'],
  kontakte: ['haushalt.updated', 'kontakt.merged'],
  appointments: [
    'appointment.scheduled',
    'appointment.updated',
    'appointment.cancelled',
    'meeting.intelligence_ready',
    'meeting.intelligence_failed',
  ],
  signals: ['signal.opened', 'signal.status_changed', 'signal.outcome_recorded'],
  documents: ['advisory_doc.approved', 'advisory_doc.sent'],
} as const satisfies Record<string, readonly EventType[]>

export const eventGroupNames = Object.keys(eventGroups) as (keyof typeof eventGroups)[]
