// listen: follows the feed with a key and posts each event, signed, to a local address. For developers of receivers: it
// needs no https, no subscription and no database.
import { randomUUID } from 'node:crypto'
import { followFeed, RefusedError } from '../listen/follow.ts'
import { type Answered, openForward } from '../listen/forward.ts'
import { eventTypes, isEventType } from '../model/event_type.ts'
import examples from '../model/sample_events.json' with { type: 'json' }
import { makeSigningSecret, secretBytes } from '../model/signing_secret.ts'
import { type Command, readCursor } from './command.ts'
import { columns, printable, progress, UsageError, write } from './output.ts'

const readUrl = (text = '', option: string, example: string): URL => {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text)
  throw new UsageError(`--${option} takes an address, such as ${example}.`)
}

/** The origin, `/api/v1` below it, or with a slash behind: all name the same service. */
const baseOf = (url: URL) =>
  `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/(\/api\/v1)?$/, '/api/v1')}`

function readSecret(text: string | undefined): string {
  if (text === undefined) return makeSigningSecret()
  try {
    return secretBytes(text) && text
  } catch {
    throw new UsageError('--secret takes a signing secret: whsec_ and base64.')
  }
}

/** Names with commas, as the feed takes them. */
function readTypes(text: string | undefined, option: string): string | undefined {
  if (text === undefined || text.split(',').every(isEventType)) return text
  throw new UsageError(`--${option} takes event types: ${eventTypes.join(', ')}.`)
}

const lineOf = (type: string, place: string, answered: Answered): string => {
  const { ms } = answered
  if ('failure' in answered)
    return columns(type, place, `no answer after ${ms} ms: ${answered.failure}`)
  const { status, excerpt } = answered
  const words = status >= 200 && status < 300 ? '' : `: ${printable(excerpt.trim())}`
  return columns(type, place, `${status} in ${ms} ms${words}`)
}

function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}

const cursorMember = /,"cursor":\d+\}$/

export const listen: Command = {
  line: 'listen --url URL --key KEY --forward URL [--types A,B] [--after CURSOR] [--secret S] [--sample TYPE]',
  does: 'follows the feed of a service and posts each event, signed, to a local receiver; with --sample an example first',
  async run({ options }) {
    const base = baseOf(readUrl(options.url, 'url', 'https://workspace.example.com'))
    const target = readUrl(options.forward, 'forward', 'http://localhost:8080/hook').href
    const types = readTypes(options.types, 'types')
    const after = options.after === undefined ? undefined : readCursor(options.after, 'after')
    const sample = examples.find(one => one.event_type === readTypes(options.sample, 'sample'))
    const secret = readSecret(options.secret)
    const forward = openForward(target, secret)
    const stopped = stopSignal()
    if (options.secret === undefined) write(`signing secret  ${secret}`)
    if (sample) {
      const event = { ...sample, id: randomUUID(), occurred_at: new Date().toISOString() }
      const answered = await forward(event.id, JSON.stringify(event), true)
      write(lineOf(event.event_type, 'example', answered))
    }
    const following = followFeed({
      ...{ base, key: options.key ?? '', types, after, stopped },
      async onEvent(cursor, data) {
        // The cursor is in the feed alone; without it these are the bytes that a delivery sends.
        const body = data.replace(cursorMember, '}')
        const { id, event_type } = JSON.parse(body) as { id: string; event_type: string }
        write(lineOf(event_type, `cursor ${cursor}`, await forward(id, body, false)))
      },
      onConnected: from => write(`listening after cursor ${from}, forwarding to ${target}`),
      onBroken: (reason, waitMs) => progress(`${reason} Next try in ${waitMs / 1_000} s.`),
    })
    await following.catch(error => {
      throw error instanceof RefusedError ? new UsageError(error.message) : error
    })
  },
}
