// What is said about webhooks, in English.
import type { Texts } from './de.ts'

export const webhooks: Texts['webhooks'] = {
  intro:
    'A webhook forwards events to an address, such as your CRM. Applications like Zapier also create webhooks here themselves.',
  empty: 'No webhook yet. Create the first one above.',
  make: 'Create webhook',
  name: 'Name',
  unnamed: 'unnamed',
  target: 'Address',
  types: 'Events',
  source: 'Created by',
  sources: { api: 'you, in the dashboard or over the API', zapier: 'Zapier', make: 'Make' },
  created: 'Set up',
  last: 'Last delivery',
  noneKept: 'none in the retention time',
  lastTest: 'Last test event',
  lookAtTest: 'Look at the test',
  states: {
    ok: 'healthy',
    idle: 'nothing delivered yet',
    quiet: 'nothing delivered lately',
    open: 'not everything delivered',
    catchingUp: 'catching up',
    catchUpIdle: 'catching up waits',
    behind: 'falling behind',
    retrying: 'retrying',
    failing: 'failing',
    paused: 'paused after failures',
    byOwner: 'paused by you',
  },
  pausedTitle: 'Paused after failures',
  pausedText:
    'Ten deliveries in a row failed for good. Nothing has been sent since. What happens meanwhile can be delivered later.',
  byOwnerTitle: 'Paused by you',
  byOwnerText: 'You paused this webhook. Nothing is being sent.',
  keepPaused: 'Leave it paused',
  failingTitle: 'Failing',
  failingText: count =>
    count === 1
      ? 'The last delivery failed for good. After ten in a row the webhook is paused.'
      : `The last ${count} deliveries failed for good. After ten in a row the webhook is paused.`,
  repaired:
    'A test event shows whether the cause is fixed. This note disappears with the next delivery that arrives.',
  retryingTitle: 'Retrying',
  retryingText: 'The last attempt failed; more follow automatically.',
  behindTitle: 'Falling behind',
  behindText:
    'The receiver cannot be reached, or responds too slowly. Nothing is lost: everything is delivered as soon as it responds.',
  failingSince: 'Failing since',
  pausedSince: 'Paused since',
  why: 'Why',
  byOwnerReason: 'Reason',
  lastFailure: 'Last error',
  lookAtIt: 'View delivery',
  undelivered: (count, shown) =>
    count === 1 ? 'One event is not delivered yet.' : `${shown} events are not delivered yet.`,
  failures: (count, shown) =>
    count === 1
      ? 'One failed delivery has not been made up for.'
      : `${shown} failed deliveries have not been made up for.`,
  missed: (count, shown) =>
    count === 1
      ? 'The webhook missed one event while it was paused.'
      : `The webhook missed ${shown} events while it was paused.`,
  expired: (count, shown) =>
    count === 1
      ? 'One event expired: it can no longer be delivered, because its retention time is over.'
      : `${shown} events expired: they can no longer be delivered, because their retention time is over.`,
  catchingUp: (left, all) =>
    `What was missed is being delivered: ${left} of ${all} events are left.`,
  notDelivered: 'Not delivered',
  health: 'Health',
  period: 'Time range',
  periods: { '1h': '1 hour', '24h': '24 hours', '7d': '7 days', '30d': '30 days' },
  rate: 'Success rate',
  rateHint: (delivered, failed) => `${delivered} delivered, ${failed} failed`,
  times: 'Duration (median / 95%)',
  timesHint:
    'Duration: half of the attempts took at most the first value, 95 of 100 at most the second.',
  took: (half, nearlyAll) =>
    `half of the attempts took at most ${half}, 95 of 100 at most ${nearlyAll}`,
  retried: 'Retries',
  retriedHint: 'failed attempts that were repeated',
  reasons: 'Top reasons',
  first: 'First',
  latest: 'Latest',
  day: '24 hours',
  setUp: 'Configuration',
  change: 'Edit',
  forDevelopers: 'For developers',
  pause: 'Pause',
  pauseText: 'Nothing is sent while it is paused. What happens meanwhile can be delivered later.',
  pauseReason: 'Reason (optional)',
  pauseExample: 'The CRM is being migrated',
  pauseSure: 'Pause webhook',
  ending: 'Pause or delete',
  remove: 'Delete webhook',
  gone: 'This webhook no longer exists.',
  removeTitle: name => `Delete “${name}”?`,
  removeText:
    'Nothing is sent there from then on, and what is not delivered yet is dropped. This cannot be undone.',
  removeName: name => `To be sure, type the name: ${name}`,
  removeStart: start => `To be sure, type how the name begins: ${start}`,
  removeSure: 'Delete for good',
  removeWrong: 'Nothing was deleted: the name does not match.',
  about: 'About',
  facts: {
    failures: 'Failed',
    waiting: 'Retrying',
    untried: 'Not sent yet',
    catchingUp: 'Being delivered',
    missed: 'Missed',
  },
  oldest: 'the oldest',
  ofThemExpired: shown => `${shown} of them expired`,
  reactivateMissed: 'Resume and deliver everything',
  reactivate: 'Only resume',
  reactivateText: '“Only resume” delivers none of what waits.',
  reactivateUntried: (count, shown) =>
    count === 1
      ? 'One waiting event then counts as missed.'
      : `${shown} waiting events then count as missed.`,
  reactivateWaiting: (count, shown) =>
    count === 1 ? 'One retry then counts as failed.' : `${shown} retries then count as failed.`,
  reactivateLater: 'You can deliver or dismiss it on this page afterwards.',
  sendAll: 'Send all again',
  deliverMissed: 'Deliver everything',
  dismiss: 'Dismiss',
  dismissAsk: (count, shown) => (count === 1 ? 'Dismiss one event?' : `Dismiss ${shown} events?`),
  dismissSure: 'Yes, dismiss',
  dismissText:
    'What is dismissed is not delivered any more. It leaves the lists and counts here and stays only in the charts; under “Events” the events themselves stay until their retention time is over.',
  dismissTests: 'Dismiss failed test events',
  dismissTestsText:
    'They leave this list. Test events hold nothing but an invented example; you lose nothing.',
  cursor: 'After this cursor the feed has everything the webhook has not received yet.',
  test: 'Send a test event',
  testPaused: 'A test event can be sent as soon as the webhook is switched on.',
  testText: 'The receiver gets an invented example; you see at once what it responds.',
  testType: 'Event',
  secret: 'Signing secret',
  secretText: 'The receiver uses the secret to verify that a delivery really comes from here.',
  rotate: 'Rotate secret',
  rotateAsk: 'This cancels the rotation in progress.',
  rotateKeeps: 'The old one stays valid for 24 hours.',
  rotateSure: 'Rotate now',
  secretTitle: name => `New secret of “${name}”`,
  rotateNext:
    'Deliveries are still signed with the current secret at first. Once the receiver knows the new one, choose “Use the new secret now” on the page of the webhook. After 24 hours the new one alone counts by itself.',
  once: 'This is the new secret. It is shown this once: copy it now and enter it at the receiver.',
  onceDone: 'I have copied it',
  overlap: 'The current and the new secret are both valid until',
  overlapLeads:
    'Deliveries are still signed with the current secret. Switch as soon as the receiver knows the new one.',
  overlapSwitched: 'Deliveries are signed with the new one already.',
  switch: 'Use the new secret now',
  deliveries: 'Deliveries',
  filter: 'Filter by state',
  allStates: 'all',
  waitingInTurn: (count, shown) =>
    count === 1
      ? 'One more event waits for its turn.'
      : `${shown} more events wait for their turn.`,
  waitingForStart: (count, shown) =>
    count === 1
      ? 'One more event waits. It is sent if you deliver everything when you resume.'
      : `${shown} more events wait. They are sent if you deliver everything when you resume.`,
  nothingDelivered:
    'Nothing delivered yet. A test event shows whether the receiver accepts events.',
  noDeliveries: 'No deliveries in this state.',
  event: 'Event',
  at: 'Time',
  attempts: 'Attempts',
  noSecretsKey: 'SECRETS_KEY is missing; without it no secret can be kept.',
  outcomes: {
    tested: {
      delivered: 'The test event arrived.',
      failed: 'The test event did not arrive. The reason is below.',
      retrying: 'The test event has not arrived yet. The reason and the next attempt are below.',
    },
    redelivered: {
      delivered: 'The delivery arrived.',
      failed: 'The delivery failed. The reason is below.',
      retrying: 'The delivery has not arrived yet. The reason and the next attempt are below.',
    },
  },
  done: {
    changed: 'The change is saved and takes effect at once.',
    paused: 'The webhook is paused. Nothing is sent until you resume it.',
    removed: 'The webhook is deleted.',
    reactivated: (count, shown) => {
      const active = 'The webhook is active again.'
      if (count === 0) return active
      return count === 1
        ? `${active} It did not get one event; you can deliver or dismiss it.`
        : `${active} It did not get ${shown} events; you can deliver or dismiss them.`
    },
    caught_up: 'The webhook is active again. What it did not get is being delivered.',
    missed: (count, shown) => {
      if (count === 0) return 'There was nothing to deliver.'
      return count === 1 ? 'One event is being delivered.' : `${shown} events are being delivered.`
    },
    found_again: (count, shown) => {
      if (count === 0) return 'There was nothing to send.'
      return count === 1 ? 'One delivery is sent again.' : `${shown} deliveries are sent again.`
    },
    dismissed: (count, shown) => {
      if (count === 0) return 'There was nothing to dismiss.'
      const left = 'It stays only in the charts here.'
      return count === 1
        ? `One event is dismissed. ${left}`
        : `${shown} events are dismissed. ${left}`
    },
    dismissed_tests: 'The failed test events are dismissed.',
    tested: 'The test event is on its way. The result appears below in a moment.',
    switched: 'Deliveries are signed with the new secret from now on.',
    redelivered: 'The delivery is on its way. The result appears below in a moment.',
    refused_more: (count, shown) =>
      `${count === 1 ? 'There is now one event' : `There are now ${shown} events`}. Please confirm again.`,
    refused_gone: 'Not possible: the webhook no longer exists.',
    refused_paused: 'Not possible: the webhook is paused.',
    refused_active: 'Not necessary: the webhook is active already.',
    refused_resumed: 'Not possible: the webhook has been resumed meanwhile.',
    refused_type: 'Not possible: the webhook does not get this type of event.',
    refused_switched: 'Not necessary: the new secret is in use already.',
    refused_event: 'Not possible: the event no longer exists.',
    refused_sending: 'Not possible: the delivery is being sent right now.',
  },
}
