// The log: JSON lines on stdout, one line per request. The events below are all there is to report.
// Nothing personal: no query strings, no bodies, no keys, and route patterns in place of paths.
import pino from 'pino'
import { within } from './within.ts'

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
  delivery_id: number
  subscription_id: string
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
  subscription_id: string
  status: number | null
  error_class: string | null
}

/** Of a process; it has one or both. */
export type Part = 'api' | 'worker'

export type Log = {
  request(line: RequestLine): void
  /** One attempt to deliver an event to a webhook. */
  attempt(line: AttemptLine): void
  /** One attempt to tell the owner that a webhook keeps failing. */
  notice(line: NoticeLine): void
  /** A subscription reached ten final failures in a row. */
  hookPaused(subscriptionId: string): void
  /** A fault of ours. Its message and place are logged; the client sees internal_error alone. */
  fault(where: string, error: unknown, requestId?: string): void
  /** A start found no database that answers; it tries again after so many milliseconds. */
  databaseAway(reason: string, retryMs: number): void
  /** The worker thread ended by itself or fell silent; it is started again. */
  workerLost(reason: string): void
  started(details: Record<string, unknown>): void
  stopping(signal: string): void
  sqlOverridden(paths: string[]): void
  pruned(partitions: number, horizon: number): void
  /** A pooler drops what the part asks for when it connects, and its role does not bring it back: plans will be poor. */
  settingsLost(part: Part, names: string[]): void
  /** The part of the process that hears nothing any more, and hears again. */
  listenerLost(part: Part): void
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
// The stream copies what it has with every line it is given, and writes from another thread, which takes the processor
// from this one. With lines passed on in chunks 4 % more is delivered per second on two cores (8 rounds in turn), and
// 8 % more without PostgreSQL. About what container engines read at once.
const chunkLength = 15 * 1024

/** Passes lines on in chunks; whoever flushes the stream, by time or at the exit, gets the last of them too. */
function gatherLines(stream: ReturnType<typeof pino.destination>): (line: string) => void {
  let held = ''
  const pass = () => {
    if (held !== '') stream.write(held)
    held = ''
  }
  const { flush, flushSync } = stream
  stream.flush = onFlushed => {
    pass()
    flush.call(stream, onFlushed)
  }
  stream.flushSync = () => {
    // From so much on passing would begin a write, which at an exit nobody waits for. Its types do not tell of it.
    Object.assign(stream, { minLength: Number.POSITIVE_INFINITY })
    pass()
    flushSync.call(stream)
  }
  return line => {
    held += line
    if (held.length >= chunkLength) pass()
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
  const flush = () => within(flushed().then(flushed), flushLimitMs).catch(giveUp)
  return { write, flush }
}

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
  // The two lines there are thousands of a second: 2 µs each in place of 8.
  const often = (event: string) => {
    if (!logger.isLevelEnabled('info')) return () => {}
    return (line: object) => {
      const time = new Date().toISOString()
      write(`${JSON.stringify({ level: 'info', time, event, ...line })}\n`)
    }
  }
  return {
    request: often('request'),
    attempt: often('attempt'),
    notice: line => logger.info({ event: 'notice', ...line }),
    hookPaused: subscriptionId =>
      logger.warn({ event: 'hook_paused', subscription_id: subscriptionId }),
    fault: (where, error, requestId) =>
      logger.error({ event: 'fault', where, request_id: requestId, ...describe(error) }),
    databaseAway: (reason, retryMs) =>
      logger.warn({ event: 'database_away', reason, retry_ms: retryMs }),
    workerLost: reason => logger.error({ event: 'worker_lost', reason }),
    started: details => logger.info({ event: 'started', ...details }),
    stopping: signal => logger.info({ event: 'stopping', signal }),
    sqlOverridden: paths => logger.warn({ event: 'sql_overridden', paths }),
    settingsLost: (part, names) => logger.warn({ event: 'settings_lost', part, names }),
    pruned: (partitions, horizon) => logger.info({ event: 'pruned', partitions, horizon }),
    listenerLost: part => logger.warn({ event: 'listener_lost', part }),
    listenerEstablished: part => logger.info({ event: 'listener_established', part }),
    replicaAway: reason => logger.warn({ event: 'replica_away', reason }),
    replicaBack: () => logger.info({ event: 'replica_back' }),
    flush,
  }
}
