// What is said about beginning: events and what they mean, making a webhook, the first steps, charts, in English.
import type { Texts } from './de.ts'

export const eventGroups: Texts['eventGroups'] = {
  leads: 'Leads',
  analyses: 'Analyses',
  kontakte: 'Contacts and households',
  appointments: 'Appointments and meetings',
  signals: 'Sales signals',
  documents: 'Advisory documents',
}

export const eventTexts: Texts['eventTexts'] = {
  'lead.created': 'A lead is new, such as “Anna Weber, website”.',
  'lead.stage_changed': 'A lead moves on, such as from “new” to “contacted”.',
  'lead.archived': 'A lead is archived, with the reason.',
  'analysis.completed': 'A needs analysis from a chat or a call is complete, with all its fields.',
  'din.check_completed': 'The DIN check is there, with the gaps per need level.',
  'haushalt.updated': 'The household profile changed, such as a contract.',
  'kontakt.merged': 'Two contacts are the same person and were merged.',
  'appointment.scheduled': 'An appointment is made, such as “First meeting, Tuesday 10 am”.',
  'appointment.updated': 'An appointment is moved or renamed.',
  'appointment.cancelled': 'An appointment is cancelled.',
  'meeting.intelligence_ready': 'A meeting is evaluated: summary and next steps.',
  'meeting.intelligence_failed': 'A meeting could not be evaluated, with the reason.',
  'signal.opened': 'A reason to get in touch, such as “contract expires”.',
  'signal.status_changed': 'A sales signal is done, dismissed or open again.',
  'signal.outcome_recorded': 'What came of a sales signal.',
  'advisory_doc.approved': 'An advisory document is approved.',
  'advisory_doc.sent': 'An advisory document is sent.',
}

export const scopeShort: Texts['scopeShort'] = {
  'read:leads': 'leads',
  'read:analyses': 'analyses',
  'read:kontakte': 'contacts',
  'read:appointments': 'appointments',
  'read:meetings': 'meetings',
  'read:signals': 'sales signals',
  'read:events': 'events',
  'write:hooks': 'create webhooks',
}

export const hookForm: Texts['hookForm'] = {
  newTitle: 'Create webhook',
  newText: 'Where should events be sent, and which?',
  changeTitle: 'Edit webhook',
  label: 'Name',
  labelExample: 'CRM',
  target: 'Address',
  targetHint: 'The receiving program shows you this address. It begins with https://.',
  types: 'Events',
  typesHint: 'Choose only what the receiver needs: every event holds personal data.',
  catalog: 'All types with examples',
  create: 'Create',
  save: 'Save',
  cancel: 'Cancel',
  changed:
    'Nothing was saved: the webhook has been changed meanwhile, perhaps in another window. Below is what holds now, with your change. Check it, then save again.',
  noTarget: 'Please enter the address.',
  noTypes: 'Please choose at least one event.',
  badLabel: 'The name takes at most 200 characters.',
  badTarget: 'This is not an address that anything can be sent to.',
  noHttps: 'The address must begin with https://.',
  credentials: 'The address must not contain a user name or a password.',
  privateTarget:
    'The address leads to a private or blocked network; nothing is sent there. The operator can open it (WEBHOOK_ALLOWED_NETWORKS).',
  tooMany: 'There are as many webhooks as allowed. Delete one first.',
  madeTitle: name => `“${name}” is created`,
  made: 'The webhook is created. Its secret is shown only this once: copy it now.',
  secretText:
    'The receiver uses the secret to verify that a delivery really comes from here. Zapier and Make do not need it.',
  next: 'Next, send a test event; the following page shows what the receiver responds.',
}

export const catalog: Texts['catalog'] = {
  title: 'Event catalog',
  intro:
    'What can happen in the workspace, with an invented example. A webhook gets only the types that are chosen for it.',
  example: 'Example',
  noReceiver: 'No webhook gets this event.',
  test: 'send as test',
}

export const chart: Texts['chart'] = {
  empty: 'Nothing was delivered in this time.',
  step: (delivered, retried, failed) =>
    `${delivered} delivered, ${retried} attempts retried, ${failed} failed`,
  delivered: 'delivered',
  retried: 'attempts retried',
  failed: 'failed',
}

export const first: Texts['first'] = {
  title: 'First steps',
  text: 'A few minutes from now your events arrive where you need them.',
  done: 'Done:',
  key: 'A key that lets an application read your data.',
  keyAction: 'Create key',
  hook: 'An application that gets events: CRM, Zapier, Make, n8n or your own code.',
  hookAction: 'Set up an application',
  test: 'A test event that arrives.',
  testAction: 'Send test',
  notices: 'A notice to you when something does not arrive.',
  noticesAction: 'Set up notices',
}
