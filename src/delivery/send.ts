// One POST to a subscriber, within limits of time, size and place. Never throws for what a target does:
// every way to fail is a result.
import { readTargetUrl } from '../model/target_url.ts'
import type { Lookup } from '../net/resolve.ts'
import { version } from '../version.ts'
import { type Answer, answerReader } from './answer.ts'
import { type Connections, NoAddressError, openConnections, type Stage } from './connections.ts'
import { type ErrorClass, failure, type Reply, type Result, resultOf } from './reply.ts'

export type Outgoing = {
  url: string
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

const targetsMax = 1_000
const ownHeaders = [
  `User-Agent: workspace-data-api/${version}`,
  'Accept: */*',
  'Accept-Encoding: identity',
  'Content-Type: application/json',
  'Connection: keep-alive',
  '',
].join('\r\n')

const classOf = (error: Error | undefined, stage: Stage): ErrorClass =>
  error instanceof NoAddressError ? error.errorClass : stage === 'tls' ? 'tls' : 'connect'

const resultOfAnswer = ({ status, headers, body }: Answer) => resultOf(status, headers, body)

/**
 * Settles once, and leaves no timer and no socket behind that is not whole. A connection that breaks before
 * the answer is a failure also when it was a kept one: whether the server had read the POST is not known.
 */
function exchange(
  connections: Connections,
  target: Target,
  request: string,
  { connectMs, totalMs }: SenderTimeouts,
): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>()
  const reader = answerReader()
  const timeOut = () => finish(failure('timeout'), false)
  const totalTimer = setTimeout(timeOut, totalMs)
  let connectTimer: ReturnType<typeof setTimeout> | undefined

  function finish(result: Result, keep: boolean) {
    clearTimeout(totalTimer)
    clearTimeout(connectTimer)
    connection.exchange = undefined
    if (keep) connections.keep(connection)
    else connection.socket.destroy()
    resolve(result)
  }

  const connection = connections.take(target, {
    onOpen() {
      clearTimeout(connectTimer)
      connection.socket.write(request)
    },
    onData(bytes) {
      const reading = reader.read(bytes)
      if (reading === 'broken') finish(failure('connect'), false)
      else if (reading !== 'more') finish(resultOfAnswer(reading), reading.keep)
    },
    onEnd(error) {
      // An answer that breaks off has given its status, and that counts.
      const answer = reader.end()
      const result = answer ? resultOfAnswer(answer) : failure(classOf(error, connection.stage))
      finish(result, false)
    },
  })
  if (connection.stage === 'open') connection.socket.write(request)
  else connectTimer = setTimeout(timeOut, connectMs)
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
  const connections = openConnections({ allowedNetworks, ca, lookup, idleMs, ageMaxMs })
  // Judged again here: the URL was stored under other settings, perhaps, and an address in it is never looked up.
  const targetOf = rememberTargets(allowedNetworks)

  async function attempt({ url, headers, body }: Outgoing): Promise<Result> {
    const target = targetOf(url)
    if (target === undefined) return failure('blocked')
    return exchange(connections, target, requestText(target, headers, body), timeouts)
  }

  return {
    async send(outgoing) {
      const start = performance.now()
      const result = await attempt(outgoing)
      return { ...result, durationMs: Math.round(performance.now() - start) }
    },
    close: () => connections.close(),
  }
}
