// What each event type means and when it fires, for the API description and the event catalog.
import type { EventType } from './event_type.ts'

type EventMeaning = {
  title: string
  /** A sentence: what a writer did. */
  when: string
}

export const eventMeanings: Record<EventType, EventMeaning> = {
  'lead.created': { title: 'New lead', when: 'A lead was added.' },
  'lead.stage_changed': {
    title: 'Lead changed its stage',
    when: 'The `status` of a lead changed. Other fields, such as name or phone, send nothing.',
  },
  'lead.archived': {
    title: 'Lead archived',
    when: 'A lead was archived, or added as archived. Taking it back from the archive sends nothing.',
  },
  'analysis.completed': {
    title: 'Needs analysis finished',
    when: 'An analysis was added. Later changes of its text send nothing.',
  },
  'din.check_completed': {
    title: 'DIN check computed',
    when: 'An analysis or a household got a new DIN check. Of an analysis, `object_id` is its id and `quelle` null. Of a household, `object_type` is `haushalt` and `object_id` the contact key; `channel` and both members of `links` are null, and `quelle` is that of the record.',
  },
  'haushalt.updated': {
    title: 'Household changed',
    when: 'A household record was added, or its `haushalt` changed. Changes of `provenance` or `empfehlungen_aktuell` alone send nothing.',
  },
  'kontakt.merged': {
    title: 'Contacts merged',
    when: 'Two contacts became one: `alias_key` now leads to `canonical_key`.',
  },
  'appointment.scheduled': { title: 'Appointment scheduled', when: 'An appointment was added.' },
  'appointment.cancelled': {
    title: 'Appointment cancelled',
    when: 'The `status` of an appointment became `cancelled`. Other statuses, such as `completed` or `no_show`, send nothing.',
  },
  'appointment.updated': {
    title: 'Appointment changed',
    when: 'Title, start, end, platform or link of an appointment changed.',
  },
  'meeting.intelligence_ready': {
    title: 'Meeting findings ready',
    when: 'The findings of a meeting became `ready`. Later corrections of ready findings send nothing.',
  },
  'meeting.intelligence_failed': {
    title: 'Meeting findings failed',
    when: 'The findings of a meeting became `failed`.',
  },
  'advisory_doc.approved': {
    title: 'Advisory document approved',
    when: 'An advisory document got its `approved_at`.',
  },
  'advisory_doc.sent': {
    title: 'Advisory document sent',
    when: 'An advisory document got its `sent_at`.',
  },
  'signal.opened': { title: 'New sales signal', when: 'A signal was added.' },
  'signal.status_changed': {
    title: 'Sales signal changed its status',
    when: 'The `status` of a signal changed. A new score or title sends nothing.',
  },
  'signal.outcome_recorded': {
    title: 'Outcome of a sales signal',
    when: 'The `outcome` of a signal was set.',
  },
}

/** What changes a row and sends no event: a copy that follows the feed alone misses it. */
export const silentChanges: { resource: string; changes: string }[] = [
  {
    resource: 'Lead',
    changes:
      'every field but `status` and `archived_at` (name, phone, `contacted_at`, `parsed_data` …), and being taken back from the archive',
  },
  { resource: 'LeadAnalysis', changes: 'every change after it was added but a new DIN check' },
  {
    resource: 'Haushalt',
    changes:
      '`provenance`, `empfehlungen_aktuell` and `quelle` without a change of `haushalt`, a DIN check that is removed, and an alias that is set by hand',
  },
  {
    resource: 'Appointment',
    changes:
      'every `status` but `cancelled`, `intelligence_status`, `source` and `customer_display_name`',
  },
  { resource: 'MeetingIntelligence', changes: 'corrections of findings that are ready already' },
  {
    resource: 'Signal',
    changes: 'score, title, kind, `quelle`, `kontakt_key` and the lead it belongs to',
  },
  {
    resource: 'all',
    changes:
      'erasing a person, whose events go as well, and deleting a row, whose events stay until they expire or the person is erased',
  },
]
