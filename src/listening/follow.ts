// Follows the feed of a service over HTTP with nothing but a key: opens the stream, reads on from the last event when it
// breaks, and gives up where trying again would not help.
import { setTimeout as pause } from 'node:timers/promises'
import { errorCodeOf } from '../lib/error_code.ts'
import { readSent } from './server_sent.ts'

export type FollowOptions = {
  /** Ending in /api/v1. */
  base: string
  key: string
  types: string | undefined
  /** Undefined: from the head on. */
  after: number | undefined
  stopped: AbortSignal
  /** How long the service may say nothing, where it is not 45 s. */
  silenceMs?: number
  /** May take as long as it wants: nothing is read meanwhile. */
  onEvent(cursor: number, data: string): Promise<void>
  onConnected(after: number): void
  onBroken(reason: string, waitMs: number): void
}

/** The service refuses, and would refuse again. */
export class RefusedError extends Error {}

/** The service refuses for now. */
class BusyError extends Error {
  /** For how long, as Retry-After says; 0: it says nothing. */
  readonly retryMs: number

  constructor(message: string, { headers }: Response) {
    super(message)
    const seconds = Number(headers.get('retry-after') ?? 0)
    this.retryMs = seconds > 0 ? Math.min(seconds * 1_000, longestRetryMs) : 0
  }
}

// The service says something every 15 s; three times that is silence.
const defaultSilenceMs = 45_000
const silence = 'The service says nothing.'
const firstWaitMs = 500
const longestWaitMs = 10_000
// The rate limit of a key begins anew every minute.
const longestRetryMs = 60_000
// Another minute, or a service that is starting, may answer otherwise.
const passing = [408, 429]
// The service advises to omit it, which begins at the head here.
const ownAdvice: Record<string, string> = {
  invalid_cursor: 'after is beyond the last event of this feed; give 0 to start over.',
  cursor_expired: 'Events after this cursor have expired; give 0 to start from the oldest.',
}

type Refusal = { error?: { code: string; message: string } }

async function refusalOf(response: Response): Promise<Error> {
  // An answer of a proxy has no body, or one of its own.
  const { error } = ((await response.json().catch(() => null)) as Refusal | null) ?? {}
  const said = error?.message ?? `The service answers ${response.status}.`
  const text = ownAdvice[error?.code ?? ''] ?? said
  const mayPass = response.status >= 500 || passing.includes(response.status)
  return mayPass ? new BusyError(text, response) : new RefusedError(text)
}

/** Without the runtime's own words, which are for programmers. */
function noAnswer(base: string, error: Error): string {
  const code = errorCodeOf(error) || error.name
  return `No answer from ${new URL(base).origin} (${code}): is the address right, and http or https?`
}

async function ask(options: FollowOptions, query: string, accept: string, signal: AbortSignal) {
  const headers = { authorization: `Bearer ${options.key}`, accept }
  const response = await fetch(`${options.base}/events${query}`, { headers, signal }).catch(
    (error: Error) => {
      throw signal.aborted ? error : new Error(noAnswer(options.base, error))
    },
  )
  if (!response.ok) throw await refusalOf(response)
  return response
}

const silenceOf = ({ silenceMs = defaultSilenceMs }: FollowOptions) => silenceMs

async function headOf(options: FollowOptions): Promise<number> {
  const signal = AbortSignal.any([options.stopped, AbortSignal.timeout(silenceOf(options))])
  const { headers } = await ask(options, '?limit=1', 'application/json', signal)
  const head = headers.get('x-feed-head')
  if (head === null) throw new RefusedError('There is no event feed at this address.')
  return Number(head)
}

/** Reads one stream to its end; the positions it names go to onCursor. */
async function readStream(options: FollowOptions, after: number, onCursor: (at: number) => void) {
  const silent = new AbortController()
  const signal = AbortSignal.any([options.stopped, silent.signal])
  const quiet = () => silent.abort(new Error(silence))
  let timer = setTimeout(quiet, silenceOf(options))
  const listen = () => {
    clearTimeout(timer)
    timer = setTimeout(quiet, silenceOf(options))
  }
  // 0 has expired once the oldest events have.
  const query = new URLSearchParams(after > 0 ? { after: String(after) } : {})
  if (options.types !== undefined) query.set('types', options.types)
  try {
    const { body } = await ask(options, `?${query}`, 'text/event-stream', signal)
    options.onConnected(after)
    for await (const { id, data } of readSent(body as ReadableStream<Uint8Array>, signal, listen)) {
      clearTimeout(timer)
      if (data !== '') await options.onEvent(Number(id), data)
      listen()
      onCursor(Number(id))
    }
  } finally {
    clearTimeout(timer)
  }
}

function reasonOf(error: unknown): string {
  const { name, message, code } = error as Error & { code?: unknown }
  if (name === 'TimeoutError') return silence
  return typeof code === 'string' ? `The connection is lost (${code}).` : message
}

/** Resolves when it is stopped. Throws RefusedError. */
export async function followFeed(options: FollowOptions): Promise<void> {
  const { stopped } = options
  let { after } = options
  let waitMs = firstWaitMs
  while (!stopped.aborted) {
    let reason = 'The stream ended.'
    let retryMs = 0
    try {
      after ??= await headOf(options)
      await readStream(options, after, cursor => {
        after = cursor
        waitMs = firstWaitMs
      })
    } catch (error) {
      if (error instanceof RefusedError) throw error
      reason = reasonOf(error)
      if (error instanceof BusyError) retryMs = error.retryMs
    }
    if (stopped.aborted) return
    const pauseMs = Math.max(waitMs, retryMs)
    options.onBroken(reason, pauseMs)
    await pause(pauseMs, undefined, { signal: stopped }).catch(() => {})
    waitMs = Math.min(waitMs * 2, longestWaitMs)
  }
}
