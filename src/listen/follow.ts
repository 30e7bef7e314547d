// Follows the feed of a service over HTTP with nothing but a key: opens the stream, reads on from the last event when it
// breaks, and gives up where trying again would not help.
import { setTimeout as pause } from 'node:timers/promises'
import { errorCodeOf } from '../lib/error_code.ts'

type FollowOptions = {
  /** Ending in /api/v1. */
  base: string
  key: string
  types: string | undefined
  /** Undefined: from the head on. */
  after: number | undefined
  stopped: AbortSignal
  /** How long the service may send nothing. */
  silenceMs?: number
  onEvent(cursor: number, data: string): Promise<void>
  onConnected(after: number): void
  onBroken(reason: string, waitMs: number): void
}

/** The service refuses, and would refuse again. */
export class RefusedError extends Error {}

// The service sends something every 15 s, and an event takes at most as long to forward.
const defaultSilenceMs = 45_000
const firstWaitMs = 500
const longestWaitMs = 10_000

type Refusal = { error?: { message: string } } | null

/** GET /events, with a query. */
async function ask(
  { base, key }: FollowOptions,
  query: string,
  signal: AbortSignal,
  accept = '*/*',
) {
  const headers = { authorization: `Bearer ${key}`, accept }
  const response = await fetch(`${base}/events${query}`, { headers, signal }).catch(error => {
    if (signal.aborted) throw signal.reason
    const reason = errorCodeOf(error) || error.name
    throw new Error(`No answer from ${new URL(base).origin} (${reason}): is the address right?`)
  })
  if (response.ok) return response
  const { status } = response
  // An answer of a proxy has no body, or one of its own.
  const body: Refusal = await response.json().catch(() => null)
  const text = body?.error?.message ?? `The service answers ${status}.`
  throw status < 500 && status !== 408 && status !== 429 ? new RefusedError(text) : new Error(text)
}

async function headOf(options: FollowOptions, signal: AbortSignal): Promise<number> {
  const head = (await ask(options, '?limit=1', signal)).headers.get('x-feed-head')
  if (head === null) throw new RefusedError('There is no event feed at this address.')
  return Number(head)
}

/** Messages of a text/event-stream as the service sends it: an id, and a line of data where it is an event. */
async function* messagesOf({ body }: Response, signal: AbortSignal) {
  const decoder = new TextDecoder()
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  // On Deno the signal of a fetch no longer ends the body once a few pieces were read.
  const end = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', end)
  try {
    for (let text = ''; ; ) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, id] = /^id: (.*)$/m.exec(block) ?? []
        if (id !== undefined) yield { id: Number(id), data: /^data: (.*)$/m.exec(block)?.[1] }
      }
    }
  } finally {
    end()
  }
}

/** Reads one stream to its end; `onCursor` gets each position. */
async function readStream(options: FollowOptions, onCursor: (cursor: number) => void) {
  const { stopped, types, silenceMs = defaultSilenceMs } = options
  const silent = new AbortController()
  const isSilent = () => silent.abort(new Error('The service sends nothing.'))
  const timer = setTimeout(isSilent, silenceMs)
  const signal = AbortSignal.any([stopped, silent.signal])
  try {
    const after = options.after ?? (await headOf(options, signal))
    onCursor(after)
    // 0 has expired once the oldest events have.
    const query = new URLSearchParams(after > 0 ? { after: String(after) } : {})
    if (types !== undefined) query.set('types', types)
    const response = await ask(options, `?${query}`, signal, 'text/event-stream')
    options.onConnected(after)
    for await (const { id, data } of messagesOf(response, signal)) {
      timer.refresh()
      if (data !== undefined) await options.onEvent(id, data)
      onCursor(id)
    }
    throw new Error('The stream ended.')
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves when it is stopped. Throws RefusedError. */
export async function followFeed(options: FollowOptions): Promise<void> {
  let { after } = options
  const { stopped } = options
  for (let waitMs = firstWaitMs; !stopped.aborted; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      await readStream({ ...options, after }, cursor => {
        if (after !== undefined && cursor > after) waitMs = firstWaitMs
        after = cursor
      })
    } catch (error) {
      if (error instanceof RefusedError) throw error
      if (!stopped.aborted) options.onBroken((error as Error).message, waitMs)
    }
    await pause(waitMs, undefined, { signal: stopped }).catch(() => {})
  }
}
