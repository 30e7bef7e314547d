// listen: follows the feed with a key and posts each event to a local address, signed as a delivery is. For developers of
// receivers: it needs no https, no subscription and no database.
import { goWithoutProxy } from '../lib/proxy.ts'
import { followFeed, RefusedError } from '../listen/follow.ts'
import { eventTypes, isEventType } from '../model/event_type.ts'
import { makeSigningSecret } from '../model/signing_secret.ts'
import { exampleEvent } from '../operations/hooks.ts'
import { signedHeaders, signingKeys, traceOf, traceparentOf } from '../sending/signature.ts'
import { type Command, printable, progress, readCursor, UsageError, write } from './command.ts'

const timeoutMs = 15_000

function readUrl(text = '', option: string): URL {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text)
  throw new UsageError(`--${option} takes an address, such as http://localhost:3000.`)
}

/** Names with commas, as the feed takes them. */
function readTypes(text: string | undefined, option: string): string | undefined {
  if (text === undefined || text.split(',').every(isEventType)) return text
  throw new UsageError(`--${option} takes event types: ${eventTypes.join(', ')}.`)
}

/** Posts one event at a time; writes a line of what came back. */
function openForward(target: string, keys: ReturnType<typeof signingKeys>) {
  goWithoutProxy()
  return async (body: string, place: string, added: Record<string, string> = {}) => {
    const { id: eventId, event_type } = JSON.parse(body) as { id: string; event_type: string }
    const timestamp = Math.floor(Date.now() / 1_000)
    const headers = {
      ...signedHeaders({ eventId, body, timestamp, primary: keys, live: [keys] }),
      'content-type': 'application/json',
      traceparent: traceparentOf(traceOf(eventId)),
      ...added,
    }
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(timeoutMs)
    const options = { method: 'POST', body, headers, signal, redirect: 'manual' } as const
    const answer = await fetch(target, options)
      .then(async one => (one.ok ? `${one.status}` : `${one.status}: ${await one.text()}`))
      .catch(error => `no answer: ${(error as Error).message}`)
    const ms = Math.round(performance.now() - startedAt)
    write(`${event_type}  ${place}  ${printable(answer.trim().slice(0, 200))} in ${ms} ms`)
  }
}

export const listen: Command = {
  line: 'listen --url URL --key KEY --forward URL [--types A,B] [--after CURSOR] [--secret S] [--sample TYPE]',
  does: 'follows the feed of a service and posts each event, signed, to a local receiver; with --sample an example first',
  async run({ options }) {
    const base = `${readUrl(options.url, 'url').origin}/api/v1`
    const target = readUrl(options.forward, 'forward').href
    const types = readTypes(options.types, 'types')
    const after = options.after === undefined ? undefined : readCursor(options.after, 'after')
    const sample = readTypes(options.sample, 'sample')
    const example = sample === undefined ? undefined : exampleEvent(sample)
    const secret = options.secret ?? makeSigningSecret()
    const forward = openForward(target, signingKeys(secret))
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    if (options.secret === undefined) write(`signing secret  ${secret}`)
    if (example) await forward(JSON.stringify(example), 'example', { 'webhook-test': 'true' })
    await followFeed({
      ...{ base, key: options.key ?? '', types, after, stopped: stop.signal },
      // The cursor is in the feed alone; without it these are the bytes that a delivery sends.
      onEvent: (cursor, data) => forward(data.replace(/,"cursor":\d+\}$/, '}'), `cursor ${cursor}`),
      onConnected: from => write(`listening after cursor ${from}, forwarding to ${target}`),
      onBroken: (reason, waitMs) => progress(`${reason} Next try in ${waitMs / 1_000} s.`),
    }).catch(error => {
      throw error instanceof RefusedError ? new UsageError(error.message) : error
    })
  },
}
