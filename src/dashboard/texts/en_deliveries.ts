// What is said about deliveries and why they fail, in English.
import type { Texts } from './de.ts'

export const delivery: Texts['delivery'] = {
  title: 'Delivery',
  again: 'Send again',
  now: 'Send now',
  onceActive: 'You can send it again once the webhook is active.',
  state: 'State',
  states: {
    failed: 'failed',
    pending: 'waiting',
    skipped: 'missed',
    delivered: 'delivered',
  },
  next: 'Next attempt',
  soon: 'as soon as possible',
  notPaused: 'not while the webhook is paused',
  inTurn: 'is being sent, or is next',
  attempts: 'Timeline',
  created: 'Event occurred',
  attempt: number => `Attempt ${number}`,
  attemptsUpTo: (first, last, isPair) => `Attempts ${first} ${isPair ? 'and' : 'to'} ${last}`,
  alike: count => `the same result ${count} times`,
  answered: status => `Responded with ${status}`,
  asSent: 'As the server sent it',
  none: 'No attempt yet.',
  answer: 'Response',
  noAnswer: 'no response',
  duration: 'Duration',
  answerHeaders: 'Response headers',
  excerpt: 'Response body (beginning)',
  body: 'What is sent',
  bodySent: 'What was sent',
  gone: 'The event is gone: erased, or its retention time is over.',
  test: 'Test event',
  invented: 'An invented example, without data of real persons.',
  request: 'For developers: the request',
  requestText:
    'This is how the delivery would be sent now: signed with the current time and the current secret. Receivers accept the signature for five minutes; reload the page when it is older.',
  headers: 'Headers',
  curl: 'Command to send it by hand (curl)',
  curlText:
    'Sends the same request from your machine to the receiver. It does not appear among the attempts here.',
}

export const failures: Texts['failures'] = {
  dns: 'The host name does not resolve. Is it spelled correctly, does the domain still exist?',
  connect: 'The server accepts no connection, or breaks it off. Is it running?',
  tls: 'The server’s certificate is invalid: expired, for another name, or issued by an unknown authority.',
  timeout: 'The server did not respond in time.',
  blocked: 'The address leads to a private or forbidden network; nothing is sent there.',
  s3: 'The server redirects. Webhooks follow no redirect: the address must be the final one.',
  s401: 'The server asks for credentials or refuses them. Did access change at the receiver?',
  s404: 'There is nothing at this address (any more). Was the receiver deleted or moved?',
  s410: 'The receiver says it is gone for good. Probably the automation there was deleted or switched off.',
  s429: 'The server reports too many requests.',
  s4: 'The server rejects the event. The response body usually says why.',
  s5: 'The receiver’s server failed. Please contact its provider.',
  status: status => `Responded with ${status}.`,
}

export const shortFailures: Texts['shortFailures'] = {
  dns: 'host name does not resolve',
  connect: 'connection failed',
  tls: 'invalid certificate',
  timeout: 'no response in time',
  blocked: 'address blocked',
}

export const found: Texts['found'] = {
  title: 'Filter and search',
  search: 'Search',
  searchHint: 'Id of an event or an object, cursor, lead number, e-mail address or phone number',
  types: 'Events',
  reason: 'Response',
  anyReason: 'any',
  families: {
    '2xx': 'accepted (2xx)',
    '3xx': 'redirected (3xx)',
    '4xx': 'rejected (4xx)',
    '5xx': 'error at the receiver (5xx)',
  },
  time: 'Event happened',
  anyTime: 'at any time',
  from: 'From',
  to: 'To',
  utc: '(UTC)',
  apply: 'Show',
  reset: 'Clear filter',
  hooks: 'Find by name or address',
  noHooks: 'No webhook has this in its name or address.',
  none: 'No deliveries match.',
  reversed: '“From” is after “To”. There are no deliveries between them.',
  noNames:
    'Names cannot be searched for here; an e-mail address, a phone number, a lead number, a cursor or an id can.',
  noEvents: 'No event found.',
  noEventsBefore: newest => `The id of an event is looked for among the newest ${newest}.`,
  further: 'Search further back',
  type: 'Type',
  export: 'Download as a table (CSV)',
  exportMax: max => `at most ${max} rows, the newest first; times in UTC`,
  again: (count, shown) =>
    count === 1 ? 'Send this delivery again' : `Send these ${shown} deliveries again`,
  againOpen: 'Send all of these again',
  againAsk: 'The receiver then gets what was already delivered a second time.',
  atMost: max => `At most ${max} at once, the newest first.`,
  progress: (count, arrived, all) =>
    `Sent again: ${arrived} of ${all} ${count === 1 ? 'is' : 'are'} delivered.`,
  progressSince: 'Started',
  stalledPaused: 'The rest waits while the webhook is paused.',
  stalledIdle: 'The rest waits: nothing is being delivered at the moment.',
  failedAgain: (count, shown) => (count === 1 ? 'One failed again.' : `${shown} failed again.`),
  gone: (count, shown) =>
    count === 1
      ? 'One is dismissed, erased, expired or no longer subscribed to.'
      : `${shown} are dismissed, erased, expired or no longer subscribed to.`,
}
