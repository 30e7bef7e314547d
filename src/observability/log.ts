// The log: JSON lines on stdout, one line per request but health checks, the redirect at / and what /docs loads. The events below
// are all there is to report.
// Nothing personal: no query strings, no bodies, no keys, and route patterns instead of paths.
import pino from 'pino'
import { withTimeout } from '../lib/timeout.ts'

export type RequestLine = {
  request_id: string
  method: string
  route: string
  status: number
  code?: string
  /** Of the client's traceparent (W3C Trace Context), where it sent one. */
  trace_id?: string
  key_id?: string
  /** The tool that was called, at /mcp. */
  tool?: string
  duration_ms: number
}

export type AttemptLine = {
  subscription_id: string
  /** The event; below 0: a test event. */
  cursor: number
  event_id: string
  /** 1 for the first. */
  attempt: number
  outcome: string
  status?: number | undefined
  error_class?: string | undefined
  duration_ms: number
  /** From the change to this 2xx; absent for test events, and while there is none. */
  receipt_ms?: number | undefined
  /** As in the traceparent that was sent. */
  trace_id: string
  span_id: string
}

export type NoticeLine = {
  notice_id: string
  /** Null: a test that the owner asked for. */
  subscription_id: string | null
  status: number | null
  error_class: string | null
}

/** What a fault is about: a request by its id, or a delivery. */
export type FaultAbout = string | { subscription_id: string; cursor: number }

/** Of a process; it has one or both. */
export type Part = 'api' | 'worker'

export type Log = {
  request(line: RequestLine): void
  /** One attempt to deliver an event to a webhook: a line at level debug, and a part of the second's sum at info. */
  attempt(line: AttemptLine): void
  /** One attempt to tell the owner that a webhook keeps failing. */
  notice(line: NoticeLine): void
  /** This process leads from now on: it sequences, delivers and prunes. */
  leading(fence: number): void
  /** A subscription reached ten final failures in a row. */
  hookPaused(subscriptionId: string): void
  /** A fault of ours. Its message and place are logged; the client sees internal_error alone. */
  fault(where: string, error: unknown, about?: FaultAbout): void
  /** A start found no database that answers; it tries again after so many milliseconds. */
  databaseAway(reason: string, retryMs: number): void
  /** The worker thread ended by itself or fell silent; it is started again. */
  workerLost(reason: string): void
  /** An event has waited for its cursor for a minute. */
  feedStuck(): void
  /** Another database gave out the last cursors; the feed goes on after this one. */
  feedAdvanced(head: number): void
  started(details: Record<string, unknown>): void
  stopping(signal: string): void
  /** All has ended, the embedded server included. */
  stopped(): void
  sqlOverridden(paths: string[]): void
  pruned(events: number, horizon: number): void
  /** A pooler drops what the part asks for when it connects, and its role does not bring it back: plans will be poor. */
  settingsLost(part: Part, names: string[]): void
  /** A proxy's header came and TRUSTED_PROXIES is empty: if it is a proxy's, all its clients share one throttle. */
  proxyUntrusted(header: string): void
  /** A sign-in was refused because its page has another name than PUBLIC_URL. */
  originUnknown(): void
  /** The part of the process that hears nothing any more, and hears again. */
  listenerLost(part: Part, reason: string): void
  listenerEstablished(part: Part): void
  /** DATABASE_READ_URL is not used: the primary answers. And is used again. */
  replicaAway(reason: string): void
  replicaBack(): void
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
// Lines are passed on in chunks: the stream copies its buffer for each line and writes from another thread, which takes the
// processor from this one. About what container engines read at once.
const chunkLength = 15 * 1024

/** Passes lines on in chunks. A flush of the stream, by time or at the exit, passes on the last of them. */
function gatherLines(stream: ReturnType<typeof pino.destination>): (line: string) => void {
  let pending = ''
  const pass = () => {
    if (pending !== '') stream.write(pending)
    pending = ''
  }
  const { flush, flushSync } = stream
  stream.flush = onFlushed => {
    pass()
    flush.call(stream, onFlushed)
  }
  stream.flushSync = () => {
    // From this length on a pass begins a write, and an exit does not wait for it. Its types do not have the property.
    Object.assign(stream, { minLength: Number.POSITIVE_INFINITY })
    pass()
    flushSync.call(stream)
  }
  return line => {
    pending += line
    if (pending.length >= chunkLength) pass()
  }
}

/** stdout. Nothing that happens to it (a full disk, a reader that is gone or stands still) may touch the service. */
function openStdout() {
  const stream = pino.destination({
    fd: 1,
    sync: false,
    minLength: 4096,
    periodicFlush: 200,
    maxLength: heldBytesMax,
  })
  // At the exit pino writes what is left, and sonic-boom 4.2 tries for ever what a full disk refuses.
  const giveUp = () => {
    stream.flushSync = () => {}
  }
  // The next line tries again.
  stream.on('error', giveUp)
  const write = gatherLines(stream)
  // One is over when no more than minLength is left.
  const flushed = () => new Promise<void>(resolve => stream.flush(() => resolve()))
  const flush = () => withTimeout(flushed().then(flushed), flushLimitMs).catch(giveUp)
  return { write, flush }
}

const sumMs = 1_000

/** Sums up the attempts of a second; a second without any has no line. */
function sumAttempts(write: (line: object) => void) {
  let sum: { delivered: number; retry: number; failed: number; duration_ms_max: number } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  function tell() {
    clearTimeout(timer)
    if (sum) write(sum)
    sum = undefined
  }
  return {
    add({ outcome, duration_ms }: AttemptLine) {
      if (sum === undefined) {
        sum = { delivered: 0, retry: 0, failed: 0, duration_ms_max: 0 }
        timer = setTimeout(tell, sumMs)
        timer.unref()
      }
      sum[outcome as 'delivered'] += 1
      sum.duration_ms_max = Math.max(sum.duration_ms_max, duration_ms)
    },
    tell,
  }
}

/** What the operator is to change; the line says how. */
const adviceOf = (logger: pino.Logger) => ({
  feedStuck: () =>
    logger.error({ event: 'feed_stuck', advice: 'see the faults of the sequencer in this log' }),
  proxyUntrusted: (header: string) =>
    logger.warn({ event: 'proxy_untrusted', header, advice: 'name the proxy in TRUSTED_PROXIES' }),
  originUnknown: () =>
    logger.warn({ event: 'origin_unknown', advice: 'set PUBLIC_URL to what the browser shows' }),
})

export function openLog(level: string): Log {
  const { write, flush } = openStdout()
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    { write },
  )
  // Lines of which there are thousands a second skip the logger's own way.
  const often = (level: 'info' | 'debug', event: string) => {
    if (!logger.isLevelEnabled(level)) return () => {}
    return (line: object) => {
      const time = new Date().toISOString()
      write(`${JSON.stringify({ level, time, event, ...line })}\n`)
    }
  }
  const attempted = often('debug', 'attempt')
  const attempts = sumAttempts(often('info', 'attempts'))
  return {
    request: often('info', 'request'),
    attempt(line) {
      attempts.add(line)
      attempted(line)
    },
    notice: line => logger.info({ event: 'notice', ...line }),
    leading: fence => logger.info({ event: 'leading', fence }, 'this process leads'),
    hookPaused: subscriptionId =>
      logger.warn({ event: 'hook_paused', subscription_id: subscriptionId }),
    fault(where, error, about) {
      const named = typeof about === 'string' ? { request_id: about } : about
      logger.error({ event: 'fault', where, ...named, ...describe(error) })
    },
    databaseAway: (reason, retryMs) =>
      logger.warn({ event: 'database_away', reason, retry_ms: retryMs }),
    workerLost: reason => logger.error({ event: 'worker_lost', reason }),
    ...adviceOf(logger),
    started: details => logger.info({ event: 'started', ...details }),
    stopping: signal => logger.info({ event: 'stopping', signal }),
    stopped: () => logger.info({ event: 'stopped' }),
    sqlOverridden: paths => logger.warn({ event: 'sql_overridden', paths }),
    settingsLost: (part, names) => logger.warn({ event: 'settings_lost', part, names }),
    pruned: (events, horizon) => logger.info({ event: 'pruned', events, horizon }),
    feedAdvanced: head => logger.warn({ event: 'feed_advanced', head }),
    listenerLost: (part, reason) => logger.warn({ event: 'listener_lost', part, reason }),
    listenerEstablished: part => logger.info({ event: 'listener_established', part }),
    replicaAway: reason => logger.warn({ event: 'replica_away', reason }),
    replicaBack: () => logger.info({ event: 'replica_back' }),
    flush() {
      attempts.tell()
      return flush()
    },
  }
}
