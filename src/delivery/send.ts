// One POST to a subscriber, within limits of time, size and place. Never throws for what a target does:
// every way to fail is a result.
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { readTargetUrl } from '../model/target_url.ts'
import type { Lookup } from '../net/resolve.ts'
import { version } from '../version.ts'
import { NoAddressError, openConnections } from './connections.ts'
import { type ErrorClass, failure, type Reply, type Result, resultOf } from './reply.ts'

export type Outgoing = {
  url: string
  /** ASCII values. */
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

const answerBytesMax = 16 * 1_024
// 1xx answers before the one that counts.
const hintsMax = 16
const targetsMax = 1_000
const userAgent = `workspace-data-api/${version}`

type Stage = 'connect' | 'tls' | 'answer'

const classOf = (error: Error, stage: Stage): ErrorClass =>
  error instanceof NoAddressError ? error.errorClass : stage === 'tls' ? 'tls' : 'connect'

/** Reads an answer until its end or the limit. One that breaks off has given its status, and that counts. */
function readAnswer(
  response: IncomingMessage,
  finish: (result: Result, cut: boolean) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  const done = (cut: boolean) =>
    finish(resultOf(response.statusCode ?? 0, response.headers, chunks), cut)
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    if (size > answerBytesMax) done(true)
  })
  response.on('end', () => done(false))
  response.on('error', () => done(true))
  response.on('close', () => done(true))
}

/**
 * Settles once, and leaves no timer and no socket behind that is not whole. A connection that breaks before
 * the answer is a failure also when it was a kept one: whether the server had read the POST is not known.
 */
function exchange(request: ClientRequest, { connectMs, totalMs }: SenderTimeouts): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>()
  let stage: Stage = 'connect'
  let settled = false
  const timeOut = () => finish(failure('timeout'), true)
  const totalTimer = setTimeout(timeOut, totalMs)
  let connectTimer: ReturnType<typeof setTimeout> | undefined

  function finish(result: Result, cut: boolean) {
    // Afterwards the connection may already serve another request.
    if (settled) return
    settled = true
    clearTimeout(totalTimer)
    clearTimeout(connectTimer)
    resolve(result)
    if (cut) request.destroy()
  }

  function isConnected() {
    stage = 'answer'
    clearTimeout(connectTimer)
  }

  request.on('socket', (socket: Socket) => {
    if (request.reusedSocket) return isConnected()
    connectTimer = setTimeout(timeOut, connectMs)
    socket.once('connect', () => {
      stage = 'tls'
    })
    socket.once('secureConnect', isConnected)
  })
  let hints = 0
  request.on('information', () => {
    hints += 1
    if (hints > hintsMax) finish(failure('connect'), true)
  })
  request.on('response', response => readAnswer(response, finish))
  // 101, which nobody asked for.
  request.on('upgrade', response => finish(resultOf(response.statusCode ?? 0, {}, []), true))
  request.on('error', error => finish(failure(classOf(error, stage)), true))
  return promise
}

type Target = { hostname: string; port: string; path: string; host: string }

/** The parts of a target URL, undefined for one that must not be called. */
function readTarget(url: string, allowed: readonly string[]): Target | undefined {
  if ('refused' in readTargetUrl(url, allowed)) return undefined
  const { hostname, port, pathname, search, host } = new URL(url)
  return {
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port || '443',
    path: pathname + search,
    host,
  }
}

/** Each subscription's URL is read once, not for every event. */
function rememberTargets(allowed: readonly string[]): (url: string) => Target | undefined {
  const known = new Map<string, Target | undefined>()
  return url => {
    if (!known.has(url)) {
      if (known.size >= targetsMax) known.clear()
      known.set(url, readTarget(url, allowed))
    }
    return known.get(url)
  }
}

export function openSender(options: SenderOptions): Sender {
  const { allowedNetworks, ca, lookup } = options
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const { idleMs, ageMaxMs } = timeouts
  const agent = openConnections({ allowedNetworks, ca, lookup, idleMs, ageMaxMs })
  // Judged again here: the URL was stored under other settings, perhaps, and an address in it is never looked up.
  const targetOf = rememberTargets(allowedNetworks)

  async function attempt({ url, headers, body }: Outgoing): Promise<Result> {
    const target = targetOf(url)
    if (target === undefined) return failure('blocked')
    const { host, ...place } = target
    const request = httpsRequest({
      agent,
      method: 'POST',
      ...place,
      headers: {
        Host: host,
        'User-Agent': userAgent,
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        ...headers,
      },
    })
    const result = exchange(request, timeouts)
    request.end(body)
    return result
  }

  return {
    async send(outgoing) {
      const start = performance.now()
      const result = await attempt(outgoing)
      return { ...result, durationMs: Math.round(performance.now() - start) }
    },
    close: () => agent.destroy(),
  }
}
