// The event types of spec part 2, in its order, each with the version of its payload.

export const schemaVersions = {
  'lead.created': '1',
  'lead.stage_changed': '1',
  'lead.archived': '1',
  'analysis.completed': '2',
  'din.check_completed': '1',
  'haushalt.updated': '1',
  'kontakt.merged': '1',
  'appointment.scheduled': '1',
  'appointment.cancelled': '1',
  'appointment.updated': '1',
  'meeting.intelligence_ready': '1',
  'meeting.intelligence_failed': '1',
  'advisory_doc.approved': '1',
  'advisory_doc.sent': '1',
  'signal.opened': '1',
  'signal.status_changed': '1',
  'signal.outcome_recorded': '1',
} as const

export type EventType = keyof typeof schemaVersions

export const eventTypes = Object.keys(schemaVersions) as EventType[]

export const isEventType = (given: unknown): given is EventType =>
  typeof given === 'string' && Object.hasOwn(schemaVersions, given)
