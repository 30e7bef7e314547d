// listen: follows the feed with a key and posts each event, signed, to a local address. For developers of receivers: it
// needs no https, no subscription and no database.
import type { Config } from '../config/settings.ts'
import { followFeed, RefusedError } from '../listening/follow.ts'
import { type Answered, type Forward, openForward } from '../listening/forward.ts'
import { isEventType } from '../model/event_type.ts'
import { makeSigningSecret, secretBytes } from '../model/signing_secret.ts'
import { readArguments } from './arguments.ts'
import { printable, progress, UsageError, write } from './output.ts'
import { sampleOf } from './sample_event.ts'

const httpUrl = (text: string | undefined, option: string, example: string): URL => {
  if (text === undefined || !/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new UsageError(`--${option} takes an address, such as ${example}.`)
  return new URL(text)
}

/** The origin, `/api/v1` below it, or with a slash behind: all name the same service. */
const baseOf = (url: URL) =>
  `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/(\/api\/v1)?$/, '/api/v1')}`

export function readSecret(text: string | undefined): string {
  if (text === undefined) return makeSigningSecret()
  try {
    secretBytes(text)
  } catch {
    throw new UsageError('--secret takes a signing secret: whsec_ and base64.')
  }
  return text
}

export const readForward = (text: string | undefined): string =>
  httpUrl(text, 'forward', 'http://localhost:8080/hook').href

function readAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const after = Number(text)
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(after))
    throw new UsageError('--after takes the cursor of an event, 0 for the oldest.')
  return after
}

function readTypes(text: string | undefined): string | undefined {
  if (text !== undefined && !text.split(',').every(isEventType))
    throw new UsageError('--types takes event types with commas, such as lead.created.')
  return text
}

export const lineOf = (type: string, place: string, answered: Answered): string => {
  const { ms } = answered
  if ('failure' in answered)
    return `${type}  ${place}  no answer after ${ms} ms: ${answered.failure}`
  const { status, excerpt } = answered
  const said = status >= 200 && status < 300 ? '' : printable(excerpt.trim())
  return `${type}  ${place}  ${status} in ${ms} ms${said && `: ${said}`}`
}

const cursorMember = /,"cursor":\d+\}$/

async function forwardEvent(forward: Forward, cursor: number, data: string) {
  // Of the feed alone; without it these are the bytes that a delivery sends.
  const body = data.replace(cursorMember, '}')
  const { id, event_type } = JSON.parse(body) as { id: string; event_type: string }
  write(lineOf(event_type, `cursor ${cursor}`, await forward(id, body, false)))
}

function stopSignal(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}

const optionNames = ['url', 'key', 'forward', 'types', 'after', 'secret', 'sample'] as const

export async function listen(_config: Config, args: string[]): Promise<void> {
  const { options } = readArguments(args, optionNames)
  const base = baseOf(httpUrl(options.url, 'url', 'https://workspace.example.com'))
  const { key } = options
  if (key === undefined) throw new UsageError('--key takes an API key with the scope read:events.')
  const target = readForward(options.forward)
  const [types, after] = [readTypes(options.types), readAfter(options.after)]
  const sample = options.sample === undefined ? undefined : sampleOf(options.sample)
  const secret = readSecret(options.secret)
  const forward = openForward(target, secret)
  const stopped = stopSignal()
  if (options.secret === undefined) write(`signing secret  ${secret}`)
  if (sample) write(lineOf(sample.type, 'example', await forward(sample.id, sample.body, true)))
  try {
    await followFeed({
      ...{ base, key, types, after, stopped },
      onEvent: (cursor, data) => forwardEvent(forward, cursor, data),
      onConnected: from => write(`listening after cursor ${from}, forwarding to ${target}`),
      onBroken: (reason, waitMs) => progress(`${reason} Next try in ${waitMs / 1_000} s.`),
    })
  } catch (error) {
    if (error instanceof RefusedError) throw new UsageError(error.message)
    throw error
  }
}
