// What the overview says, in English.
import type { Texts } from './de.ts'

export const overview: Texts['overview'] = {
  well: 'All is well.',
  wellText: 'Events come in, and no webhook is missing any.',
  calm: 'No problems.',
  byOwner: count =>
    count === 1
      ? 'You paused one webhook; nothing is sent there.'
      : `You paused ${count} webhooks; nothing is sent there.`,
  trouble: count =>
    count === 1 ? 'One webhook needs your attention.' : `${count} webhooks need your attention.`,
  paused: 'paused since',
  failing: 'failing since',
  behind: (count, shown) =>
    count === 1
      ? 'cannot be reached, or responds too slowly; one event has waited since'
      : `cannot be reached, or responds too slowly; ${shown} events wait, the oldest since`,
  behindRetrying: (count, shown) =>
    count === 1
      ? 'Deliveries fail and are retried; one event has waited since'
      : `Deliveries fail and are retried; ${shown} events have waited since`,
  stopped: 'Nothing is being delivered.',
  stoppedText:
    'Events are waiting, but the part of the service that processes them (the worker) does not seem to run. Please tell your administrator.',
  repair: name => `Review “${name}”`,
  rate: 'Success rate',
  rateHint: 'last 24 hours',
  delivered: 'Deliveries',
  deliveredHint: 'in 24 hours',
  missed: 'Not everything arrived. Send it again, or dismiss it.',
  retrying: 'Deliveries fail; they are tried again automatically.',
  queue: 'Not delivered yet',
  expired: 'Events expired and can no longer be delivered.',
  stalled: count =>
    count === 1
      ? 'Deliveries to one webhook are held up.'
      : `Deliveries to ${count} webhooks are held up.`,
  catchingUp: count =>
    count === 1
      ? 'One webhook is receiving what it missed.'
      : `${count} webhooks are receiving what they missed.`,
  queueAgain: () => 'will be tried again',
  queueCatchingUp: (count: number) => `missed before, on ${count === 1 ? 'its' : 'their'} way now`,
  queueNone: 'nothing is waiting',
  queueByOwner: ', webhooks paused by you not counted',
  queueSince: 'the oldest',
  givenUp: (count, shown) =>
    count === 1
      ? 'one arrives only when you send it again'
      : `${shown} arrive only when you send them again`,
  faults: 'Service errors',
  faultsNone: 'none since the last start',
  faultsLast: 'the last',
  noticeRefused: 'The last notice to you did not arrive.',
  noticesUnset: 'So far you get no message when something does not arrive.',
  toNotices: 'Look at notices',
  problems: 'Recent problems',
  problemsNone: 'In the last 24 hours everything arrived at the first attempt.',
  problemsIdle: 'None. In the last 24 hours nothing was delivered.',
  problem: 'What happened',
  events: 'Latest events',
  requests: 'API requests',
  requestsHint: 'in the last minute',
  chart: 'Delivery attempts of the last 24 hours',
}
