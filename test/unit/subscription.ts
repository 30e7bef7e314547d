// A subscription as its worker knows it, and events for it, without a database.
import { openLane, type Subscription } from '../../src/delivery/subscription.ts'
import type { LogEvent } from '../../src/feed/log_event.ts'

/** At cursor 0, with everything claimed. */
export const subscription = (no: number, members: Partial<Subscription> = {}): Subscription => ({
  no,
  fence: 1,
  countedFrom: 0,
  target: {
    id: `subscription ${no}`,
    url: `https://hooks.example.com/${no}`,
    secret: 'sealed',
    old_secret: null,
    old_secret_leads: false,
  },
  types: new Set(['lead.created']),
  live: openLane(0, null, Number.MAX_SAFE_INTEGER),
  ranges: [],
  retries: [],
  retrying: new Set(),
  retriesWaiting: 0,
  failures: 0,
  storedFailures: 0,
  countChanged: false,
  paused: false,
  leaving: false,
  inFlight: 0,
  rangesInFlight: new Set(),
  stray: new Set(),
  sentInTurn: 0,
  slow: false,
  silent: false,
  averageMs: 0,
  failedInRow: 0,
  lastTakenAt: 0,
  ...members,
})

export const eventId = (cursor: number) =>
  `${String(Math.abs(cursor)).padStart(8, '0')}-0000-4000-8000-000000000000`

const event = (cursor: number, type = 'lead.created'): LogEvent => ({
  cursor,
  type,
  id: eventId(cursor),
  occurredMs: 0,
  body: `{"id":"${eventId(cursor)}","event_type":"${type}"}`,
})

/** Events with the cursors from `first` to `last`. */
export const logEvents = (first: number, last: number, type?: string): LogEvent[] =>
  Array.from({ length: last - first + 1 }, (_, place) => event(first + place, type))
