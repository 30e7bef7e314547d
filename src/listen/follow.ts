// Follows the feed of a service over HTTP with nothing but a key: opens the stream, reads on from the last event when it
// breaks, and gives up where trying again would not help.
import { setTimeout as pause } from 'node:timers/promises'
import { errorCodeOf } from '../lib/error_code.ts'

export type FollowOptions = {
  /** Ending in /api/v1. */
  base: string
  key: string
  types: string | undefined
  /** Undefined: from the head on. */
  after: number | undefined
  stopped: AbortSignal
  /** How long the service may send nothing, where it is not 45 s. */
  silenceMs?: number
  /** May take as long as it wants: nothing is read meanwhile. */
  onEvent(cursor: number, data: string): Promise<void>
  onConnected(after: number): void
  onBroken(reason: string, waitMs: number): void
}

/** The service refuses, and would refuse again. */
export class RefusedError extends Error {}

/** The service refuses for now, for as long as Retry-After says. */
class BusyError extends Error {
  retryMs = 0
}

// The service sends something every 15 s; three times that is silence.
const defaultSilenceMs = 45_000
const firstWaitMs = 500
const longestWaitMs = 10_000
// The rate limit of a key begins anew every minute.
const longestRetryMs = 60_000
// The service advises to omit it, which begins at the head here.
const ownAdvice: Record<string, string> = {
  invalid_cursor: 'after is beyond the last event of this feed; give 0 to start over.',
  cursor_expired: 'Events after this cursor have expired; give 0 to start from the oldest.',
}

type Refusal = { error?: { code: string; message: string } }

async function refusalOf(response: Response): Promise<Error> {
  // An answer of a proxy has no body, or one of its own.
  const { error } = ((await response.json().catch(() => null)) as Refusal | null) ?? {}
  const { status, headers } = response
  const text = ownAdvice[error?.code ?? ''] ?? error?.message ?? `The service answers ${status}.`
  if (status < 500 && status !== 408 && status !== 429) return new RefusedError(text)
  const busy = new BusyError(text)
  busy.retryMs = Math.min(Number(headers.get('retry-after') ?? 0) * 1_000 || 0, longestRetryMs)
  return busy
}

async function ask(
  { base, key }: FollowOptions,
  query: string,
  accept: string,
  signal: AbortSignal,
) {
  const headers = { authorization: `Bearer ${key}`, accept }
  const response = await fetch(`${base}/events${query}`, { headers, signal }).catch(error => {
    if (signal.aborted) throw error
    const code = errorCodeOf(error) || error.name
    throw new Error(
      `No answer from ${new URL(base).origin} (${code}): is the address right, and http or https?`,
    )
  })
  if (!response.ok) throw await refusalOf(response)
  return response
}

async function headOf(options: FollowOptions, signal: AbortSignal): Promise<number> {
  const { headers } = await ask(options, '?limit=1', 'application/json', signal)
  const head = headers.get('x-feed-head')
  if (head === null) throw new RefusedError('There is no event feed at this address.')
  return Number(head)
}

/** Messages of a text/event-stream as the service sends it: an id, and a line of data where it is an event. */
async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onBytes: () => void,
) {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  // On Deno the signal of a fetch no longer ends the body once a few pieces were read.
  const end = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', end)
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      onBytes()
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, id] = /^id: (.*)$/m.exec(block) ?? []
        if (id !== undefined) yield { id, data: /^data: (.*)$/m.exec(block)?.[1] ?? '' }
      }
    }
  } finally {
    end()
  }
}

/** Reads one stream to its end; the positions it names go to onCursor. */
async function readStream(options: FollowOptions, after: number, onCursor: (at: number) => void) {
  const { silenceMs = defaultSilenceMs } = options
  const silent = new AbortController()
  const signal = AbortSignal.any([options.stopped, silent.signal])
  const isSilent = () => silent.abort(new Error('The service sends nothing.'))
  let timer = setTimeout(isSilent, silenceMs)
  const restart = () => {
    clearTimeout(timer)
    timer = setTimeout(isSilent, silenceMs)
  }
  // 0 has expired once the oldest events have.
  const query = new URLSearchParams(after > 0 ? { after: String(after) } : {})
  if (options.types !== undefined) query.set('types', options.types)
  try {
    const { body } = await ask(options, `?${query}`, 'text/event-stream', signal)
    options.onConnected(after)
    for await (const { id, data } of messagesOf(
      body as ReadableStream<Uint8Array>,
      signal,
      restart,
    )) {
      clearTimeout(timer)
      if (data !== '') await options.onEvent(Number(id), data)
      restart()
      onCursor(Number(id))
    }
  } finally {
    clearTimeout(timer)
  }
}

function reasonOf(error: unknown): string {
  const { name, message, code } = error as Error & { code?: unknown }
  if (name === 'TimeoutError') return 'The service sends nothing.'
  return typeof code === 'string' ? `The connection is lost (${code}).` : message
}

/** Resolves when it is stopped. Throws RefusedError. */
export async function followFeed(options: FollowOptions): Promise<void> {
  const { stopped, silenceMs = defaultSilenceMs } = options
  let { after } = options
  let waitMs = firstWaitMs
  while (!stopped.aborted) {
    let reason = 'The stream ended.'
    let retryMs = 0
    try {
      after ??= await headOf(options, AbortSignal.any([stopped, AbortSignal.timeout(silenceMs)]))
      await readStream(options, after, cursor => {
        after = cursor
        waitMs = firstWaitMs
      })
    } catch (error) {
      if (error instanceof RefusedError) throw error
      if (error instanceof BusyError) retryMs = error.retryMs
      reason = reasonOf(error)
    }
    if (stopped.aborted) return
    const pauseMs = Math.max(waitMs, retryMs)
    options.onBroken(reason, pauseMs)
    await pause(pauseMs, undefined, { signal: stopped }).catch(() => {})
    waitMs = Math.min(waitMs * 2, longestWaitMs)
  }
}
