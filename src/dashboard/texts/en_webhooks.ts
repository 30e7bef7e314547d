// What is said about webhooks and why they fail, in English.
import type { Texts } from './de.ts'

export const webhooks: Texts['webhooks'] = {
  intro:
    'A webhook sends events to an address, such as your CRM. Applications set up webhooks themselves, with a key that has the right to.',
  empty: 'No webhook yet.',
  emptyLink: 'How to connect one',
  unnamed: 'without label',
  target: 'Address',
  types: 'Events',
  source: 'Source',
  created: 'Set up',
  last: 'Last delivery',
  states: {
    ok: 'in order',
    idle: 'nothing sent yet',
    retrying: 'trying again',
    failing: 'failing',
    paused: 'paused',
  },
  pausedTitle: 'Paused',
  pausedText:
    'Ten deliveries in a row failed for good. Nothing has been sent since. Nothing is lost: what happened meanwhile is kept for later.',
  failingTitle: 'Failing',
  failingText: count =>
    count === 1
      ? 'One delivery failed for good. After ten in a row the webhook is paused.'
      : `${count} deliveries in a row failed for good. After ten the webhook is paused.`,
  since: 'Since',
  why: 'Why',
  missed: count => `${count} events are kept for later.`,
  missedOne: 'One event is kept for later.',
  pending: 'Waiting',
  skipped: 'Kept for later',
  reactivateMissed: 'Switch on again and deliver what was missed',
  reactivate: 'Only switch on again',
  deliverMissed: 'Deliver what was missed',
  deliverMissedText: 'Events kept for later, and those that failed last, are sent once more.',
  cursor: 'To read up on it instead: after this cursor the feed has everything still missing.',
  test: 'Send a test event',
  testType: 'Event',
  secret: 'Signing secret',
  secretText: 'With the secret the receiver knows that a delivery really comes from here.',
  rotate: 'Make a new secret',
  rotateAsk: 'The old one stays valid for 24 hours. A change under way is cut short by this.',
  rotateSure: 'Make it now',
  once: 'This is the new secret. It is shown this once: copy it now and enter it at the receiver.',
  onceDone: 'I have copied it',
  overlap: 'The old and the new secret both sign until',
  overlapLeads:
    'The single signature still uses the old one. Switch when the receiver knows the new one.',
  overlapSwitched: 'The single signature uses the new one already.',
  switch: 'Switch to the new one',
  deliveries: 'Deliveries',
  filter: 'Filter by state',
  deliveryStates: {
    failed: 'failed',
    pending: 'waiting',
    skipped: 'kept for later',
    delivered: 'delivered',
  },
  noDeliveries: 'No deliveries in this state.',
  event: 'Event',
  at: 'Time',
  attempts: 'Attempts',
  noSecretsKey: 'SECRETS_KEY is missing; without it no secret can be kept.',
  done: {
    reactivated: 'The webhook is switched on again.',
    missed: count => `The webhook is switched on; ${count} deliveries are on their way.`,
    tested: 'The test event is on its way. Reload this page in a moment to see what came of it.',
    switched: 'The new secret alone makes the single signature now.',
    redelivered: 'The delivery is on its way again.',
    refused:
      'That could not be done: the webhook is paused, the delivery is being sent right now, or its event is gone.',
  },
}

export const delivery: Texts['delivery'] = {
  title: 'Delivery',
  again: 'Send again',
  state: 'State',
  next: 'Next attempt',
  attempts: 'Attempts',
  none: 'No attempt yet.',
  answer: 'Answer',
  noAnswer: 'no answer',
  duration: 'Took',
  excerpt: 'Beginning of the answer',
  body: 'What is sent',
  gone: 'The event is gone: erased, or its retention time is over.',
  test: 'Test event',
}

export const failures: Texts['failures'] = {
  dns: 'The name in the address leads nowhere. Is it spelt right, does the domain still exist?',
  connect: 'The server accepts no connection, or breaks it off. Is it running?',
  tls: 'The server’s certificate is not right: expired, for another name, or vouched for by nobody.',
  timeout: 'The server did not answer in time (15 seconds).',
  blocked: 'The address leads to a private or forbidden network; nothing is sent there.',
  s3: 'The server redirects. Webhooks follow no redirect: the address must be the final one.',
  s401: 'The server asks for credentials or refuses them. Did access change at the receiver?',
  s404: 'There is nothing at this address (any more). Was the receiver deleted or moved?',
  s410: 'The receiver says it is gone for good. Probably the automation there was deleted or switched off.',
  s429: 'The server says it gets too many requests.',
  s4: 'The server refuses the event. The beginning of its answer usually says why.',
  s5: 'The receiver’s server has a fault. Usually only whoever runs it can help.',
  status: status => `Answer ${status}.`,
}
