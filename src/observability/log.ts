// The log: JSON lines on stdout. The events below are all there is to report; metrics and the dashboard subscribe to them.
// Nothing personal: no query strings, no bodies, no keys, and route patterns instead of paths.
import pino from 'pino'
import { withTimeout } from '../lib/timeout.ts'

export type RequestLine = {
  request_id: string
  method: string
  route: string
  status: number
  code?: string | undefined
  key_id?: string | undefined
  /** The tool that was called, at /mcp. */
  tool?: string | undefined
  /** How many query parameters the path does not have. */
  ignored_parameters?: number | undefined
  duration_ms: number
}

type AttemptLine = {
  subscription_id: string
  cursor: number
  event_id: string
  /** 1 for the first. */
  attempt: number
  outcome: string
  status?: number | undefined
  error_class?: string | undefined
  duration_ms: number
  /** From the change to this 2xx; absent while there is none. */
  receipt_ms?: number | undefined
  /** As in the traceparent that was sent. */
  trace_id: string
  span_id: string
}

type FaultLine = {
  where: string
  request_id?: string
  subscription_id?: string
  cursor?: number
  error: string
  code?: string | undefined
  message?: string | undefined
  stack?: string[] | undefined
}

/** Of a process; it has one or both. */
export type Part = 'api' | 'worker'

type Nothing = Record<never, never>

/** Every event with its fields. docs/operations/monitoring.md has the same table, for operators. */
export type LogEvents = {
  /** All but health checks, the redirect at / and what /docs loads. */
  request: RequestLine
  /** One attempt to deliver an event to a webhook. */
  attempt: AttemptLine
  /** One attempt to notify the owner. A test that the owner asked for has no subscription. */
  notice: {
    notice_id: string
    subscription_id: string | null
    status: number | null
    error_class: string | null
  }
  /** A subscription reached ten final failures in a row. */
  hook_paused: { subscription_id: string }
  /** This process leads from now on: it sequences, delivers and prunes. */
  leading: { fence: number }
  started: { roles: readonly Part[]; port: number | undefined; metrics_port: number | undefined }
  stopping: { signal: string }
  /** All has ended, the embedded server included. */
  stopped: Nothing
  /** A start found no database that answers and takes writes; it tries again after so many milliseconds. */
  database_away: { reason: string; retry_ms: number }
  listener_lost: { part: Part; reason: string }
  listener_established: { part: Part }
  /** DATABASE_READ_URL is not used: the primary answers. And is used again. */
  replica_away: { reason: string }
  replica_back: Nothing
  sql_overridden: { paths: readonly string[] }
  /** A logical subscription fills these tables: their rows make no events. */
  tables_subscribed: { tables: readonly string[] }
  /** PostgreSQL writes the values of statements to its log. */
  values_logged: { settings: readonly string[] }
  pruned: { events: number; horizon: number }
  /** An event has waited for its cursor for a minute. */
  feed_stuck: Nothing
  /** Another database gave out the last cursors; the feed goes on after this one. */
  feed_advanced: { head: number }
  /** The worker thread ended by itself or fell silent; it is started again. */
  worker_lost: { reason: string }
  /** A fault of ours. The client sees internal_error alone. */
  fault: FaultLine
}

type EventName = keyof LogEvents

/** Those that are not of the level info. */
const levels: Partial<Record<EventName, 'debug' | 'warn' | 'error'>> = {
  attempt: 'debug',
  hook_paused: 'warn',
  database_away: 'warn',
  listener_lost: 'warn',
  replica_away: 'warn',
  sql_overridden: 'warn',
  tables_subscribed: 'warn',
  values_logged: 'warn',
  feed_stuck: 'error',
  feed_advanced: 'warn',
  worker_lost: 'error',
  fault: 'error',
}

/** One event: its name determines its fields. */
export type Logged = { [Name in EventName]: { name: Name; fields: LogEvents[Name] } }[EventName]

/** What a fault is about: a request by its id, or a delivery. */
type FaultAbout = string | { subscription_id: string; cursor: number }

export type Log = {
  event<Name extends EventName>(name: Name, fields: LogEvents[Name]): void
  /** The event `fault` of an error. */
  fault(where: string, error: unknown, about?: FaultAbout): void
  /** Calls `listener` with each event, whatever the level; what it returns ends that. */
  subscribe(listener: (logged: Logged) => void): () => void
  /** What can be written now is. */
  flush(): Promise<void>
}

// PostgreSQL repeats the offending value in messages of these SQLSTATE classes (data, constraint).
const personalClasses = /^2[23]/

function describe(error: unknown) {
  if (!(error instanceof Error)) return { error: typeof error }
  const { code } = error as { code?: string }
  const message = personalClasses.test(code ?? '') ? undefined : error.message
  // The first line of a stack is the message again.
  const stack = error.stack?.split('\n').slice(1, 6)
  return { error: error.name, code, message, stack }
}

// Of a reader that stands still. What comes then is dropped.
const heldBytesMax = 8 * 1024 * 1024
const flushLimitMs = 1_000

/** Nothing that happens to stdout (a full disk, a reader that is gone or stands still) may touch the service. */
function openStdout() {
  // Both threads wake for it, also while there is nothing to write.
  const buffering = { minLength: 4096, periodicFlush: 1_000, maxLength: heldBytesMax }
  const stream = pino.destination({ fd: 1, sync: false, ...buffering })
  // At the exit pino writes what is left, and sonic-boom 4.2 tries for ever what a full disk refuses.
  const giveUp = () => {
    stream.flushSync = () => {}
  }
  // The next line tries again.
  stream.on('error', giveUp)
  // One is over when no more than minLength is left.
  const flushed = () => new Promise<void>(resolve => stream.flush(() => resolve()))
  const flush = () => withTimeout(flushed().then(flushed), flushLimitMs).catch(giveUp)
  return { stream, flush }
}

export function openLog(level: string): Log {
  const { stream, flush } = openStdout()
  const formatters = { level: (label: string) => ({ level: label }) }
  const timestamp = pino.stdTimeFunctions.isoTime
  const logger = pino({ level, base: null, timestamp, formatters }, stream)
  const listeners = new Set<(logged: Logged) => void>()
  const event: Log['event'] = (name, fields) => {
    logger[levels[name] ?? 'info']({ event: name, ...fields })
    for (const listener of listeners) listener({ name, fields } as Logged)
  }
  return {
    event,
    fault(where, error, about) {
      const named = typeof about === 'string' ? { request_id: about } : about
      event('fault', { where, ...named, ...describe(error) })
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    flush,
  }
}
