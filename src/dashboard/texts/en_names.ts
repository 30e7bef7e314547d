// What event types and scopes are called, in English.
import type { Texts } from './de.ts'

export const eventNames: Texts['eventNames'] = {
  'lead.created': 'New lead',
  'lead.stage_changed': 'Lead changed stage',
  'lead.archived': 'Lead archived',
  'analysis.completed': 'Needs analysis finished',
  'din.check_completed': 'DIN check computed',
  'haushalt.updated': 'Household profile changed',
  'kontakt.merged': 'Contacts merged',
  'appointment.scheduled': 'Appointment made',
  'appointment.cancelled': 'Appointment cancelled',
  'appointment.updated': 'Appointment changed',
  'meeting.intelligence_ready': 'Meeting intelligence ready',
  'meeting.intelligence_failed': 'Meeting intelligence failed',
  'advisory_doc.approved': 'Advisory document approved',
  'advisory_doc.sent': 'Advisory document sent',
  'signal.opened': 'New sales signal',
  'signal.status_changed': 'Sales signal: new status',
  'signal.outcome_recorded': 'Sales signal: outcome recorded',
}

export const scopeNames: Texts['scopeNames'] = {
  'read:leads': 'Read leads: names, addresses and state of your prospects',
  'read:analyses': 'Read needs analyses, including what they say about health',
  'read:kontakte': 'Read contacts and household profiles',
  'read:appointments': 'Read appointments',
  'read:meetings': 'Read meeting intelligence',
  'read:signals': 'Read sales signals',
  'read:events': 'Read all events',
  'write:hooks': 'Set up and delete webhooks',
}
