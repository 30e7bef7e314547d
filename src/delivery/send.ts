// One POST to a subscriber, within limits of time, size and place. Never throws for what a target does:
// every way to fail is a result.
import { readTargetUrl } from '../model/target_url.ts'
import type { Lookup } from '../net/resolve.ts'
import { version } from '../version.ts'
import { answerReader } from './answer.ts'
import {
  type Connection,
  ConnectTimeoutError,
  type Exchange,
  type Place,
  type Stage,
  writeTogether,
} from './connection.ts'
import { type Connections, openConnections } from './connections.ts'
import { type ErrorClass, failure, type Reply, type Result, resultOf } from './reply.ts'
import { NoAddressError } from './tls_options.ts'

export type Outgoing = {
  url: string
  /** Connections are shared by what has the same owner alone: an answer out of turn can harm nobody else. */
  owner: string
  /** Beside ours: Content-Type, Content-Length, Host, … Printable ASCII values. */
  headers: Record<string, string>
  /** Sent as UTF-8, byte for byte what was signed. */
  body: string
}

export type Sender = {
  send(outgoing: Outgoing): Promise<Reply>
  /** Ends every connection; what is in flight then fails. */
  close(): void
}

export type SenderTimeouts = {
  /** Name, TCP and TLS together. */
  connectMs: number
  /** All of it, the last byte of the answer included. */
  totalMs: number
  idleMs: number
  ageMaxMs: number
}

export type SenderOptions = {
  allowedNetworks: readonly string[]
  /** PEM; trusted beside the usual authorities. */
  ca?: string | undefined
  timeouts?: Partial<SenderTimeouts>
  lookup?: Lookup
}

const defaultTimeouts: SenderTimeouts = {
  connectMs: 5_000,
  totalMs: 15_000,
  // Below what servers keep a connection for (2 s to 75 s by default): one that the server closes while a
  // POST is on its way costs that attempt.
  idleMs: 1_500,
  ageMaxMs: 60_000,
}

// Ten times the default of HOOKS_MAX; with more subscriptions than this, URLs are read again now and then.
const targetsMax = 1_000
const ownHeaders = [
  `User-Agent: workspace-data-api/${version}`,
  'Accept: */*',
  'Accept-Encoding: identity',
  'Content-Type: application/json',
  'Connection: keep-alive',
  '',
].join('\r\n')

function classOf(stage: Stage, error: Error | undefined): ErrorClass {
  if (error instanceof NoAddressError) return error.errorClass
  if (error instanceof ConnectTimeoutError) return 'timeout'
  return stage === 'tls' ? 'tls' : 'connect'
}

type Target = Place & { path: string; host: string }

const over = (result: Result, since: number): Reply => ({
  ...result,
  durationMs: Math.round(performance.now() - since),
})

/**
 * Settles once, and leaves no timer behind, and no socket but one that can carry another request. A connection
 * that breaks before the answer is a failure also when it was a kept one: whether the server had read the POST is
 * not known.
 */
function exchangeOver(
  connections: Connections,
  target: Target,
  request: string,
  totalMs: number,
): Promise<Reply> {
  const since = performance.now()
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const reader = answerReader()
  let connection: Connection | undefined
  // An answer before its request has left keeps the rest of the request in the way of the next one.
  let sent = false
  const timer = setTimeout(() => finish(failure('timeout'), false), totalMs)

  function finish(result: Result, keep: boolean) {
    clearTimeout(timer)
    if (connection === undefined) connections.leave(target, exchange)
    else if (keep && sent) connections.keep(target, connection)
    else connections.drop(connection)
    resolve(over(result, since))
  }

  const exchange: Exchange = {
    onTurn(given) {
      connection = given
      writeTogether(given, request, () => {
        sent = true
      })
    },
    onData(bytes) {
      const reading = reader.read(bytes)
      if (reading === 'broken') finish(failure('connect'), false)
      else if (reading !== 'more') finish(resultOf(reading), reading.keep)
    },
    onEnd(stage, error) {
      // An answer that breaks off has given its status, and that counts.
      const answer = reader.end()
      finish(answer ? resultOf(answer) : failure(classOf(stage, error)), false)
    },
  }
  connections.take(target, exchange)
  return promise
}

const headerName = /^[\w-]+$/
// A value of other characters could end its line.
const headerValue = /^[\x20-\x7e]*$/

function requestText(
  { path, host }: Target,
  headers: Record<string, string>,
  body: string,
): string {
  let head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${ownHeaders}`
  for (const [name, value] of Object.entries(headers)) {
    if (!headerName.test(name) || !headerValue.test(value)) throw new Error(`no header: ${name}`)
    head += `${name}: ${value}\r\n`
  }
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** The parts of a target URL, undefined for one that must not be called. */
function readTarget(url: string, owner: string, allowed: readonly string[]): Target | undefined {
  const read = readTargetUrl(url, allowed)
  if ('refused' in read) return undefined
  const { hostname, port, pathname, search, host } = new URL(read.url)
  return {
    name: `${owner} ${host}`,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port || '443',
    path: pathname + search,
    host,
  }
}

/** Each owner's URL is read once, not for every event. */
function rememberTargets(allowed: readonly string[]) {
  const known = new Map<string, { url: string; target: Target | undefined }>()
  return (url: string, owner: string): Target | undefined => {
    const last = known.get(owner)
    if (last?.url === url) return last.target
    if (last === undefined && known.size >= targetsMax) known.clear()
    const target = readTarget(url, owner, allowed)
    known.set(owner, { url, target })
    return target
  }
}

export function openSender(options: SenderOptions): Sender {
  const { allowedNetworks, ca, lookup } = options
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const { totalMs, ...limits } = timeouts
  const connections = openConnections({ allowedNetworks, ca, lookup, ...limits })
  // Judged again here: the URL was stored under other settings, perhaps, and an address in it is never looked up.
  const targetOf = rememberTargets(allowedNetworks)

  return {
    async send({ url, owner, headers, body }) {
      const target = targetOf(url, owner)
      if (target === undefined) return over(failure('blocked'), performance.now())
      return await exchangeOver(connections, target, requestText(target, headers, body), totalMs)
    },
    close: () => connections.close(),
  }
}
