// A receiver of deliveries in a process of its own. It says on stdout where it listens, is asked over plain
// HTTP what to do, and ends when its stdin does.
import { createServer } from 'node:net'
import {
  answerByScript,
  answerWith,
  type Received,
  type ReceiverConnection,
  serveTls,
} from './answers.ts'
import { makeCertificates } from './certificates.ts'

export type Places = {
  ca: string
  origin: string
  /** A certificate of the same authority for another name. */
  otherNameOrigin: string
  /** The right name, signed by no known authority. */
  untrustedOrigin: string
  expiredOrigin: string
  /** Takes connections and says nothing. */
  silentOrigin: string
  /** Answers HTTP without TLS. */
  plainOrigin: string
  control: string
}

const requests: Received[] = []
const fixed = new Map<string, number>()
const held = new Map<string, (() => void)[]>()

function proceed(request: Received, connection: ReceiverConnection): void {
  const status = fixed.get(request.path)
  if (status === undefined) answerByScript(request, connection)
  else answerWith(connection, status)
}

function receive(request: Received, connection: ReceiverConnection): void {
  requests.push(request)
  const waiting = held.get(request.path)
  if (waiting) waiting.push(() => proceed(request, connection))
  else proceed(request, connection)
}

function release(path: string, count: string | null): void {
  const waiting = held.get(path) ?? []
  if (count === null) held.delete(path)
  for (const answer of waiting.splice(0, Number(count ?? waiting.length))) answer()
}

const certificates = await makeCertificates()
const main = serveTls(certificates.right, receive)
const others = [certificates.otherName, certificates.untrusted, certificates.expired].map(pair =>
  serveTls(pair, receive),
)

const commands: Record<string, (query: URLSearchParams) => unknown> = {
  '/requests': query => requests.slice(Number(query.get('after') ?? 0)),
  '/count': () => requests.length,
  '/connections': () => main.counts,
  '/answer': query => fixed.set(query.get('path') ?? '', Number(query.get('status'))) && null,
  '/heal': query => fixed.delete(query.get('path') ?? ''),
  '/hold': query => held.set(query.get('path') ?? '', []) && null,
  '/release': query => release(query.get('path') ?? '', query.get('count')) ?? null,
  '/forget': () => requests.splice(0).length,
}

const control = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    const command = commands[pathname]
    return command ? Response.json(command(searchParams)) : new Response(null, { status: 404 })
  },
})

const silent = createServer(socket => socket.on('error', () => {})).listen(0, '127.0.0.1')
await new Promise(resolve => silent.once('listening', resolve))
const { port: silentPort } = silent.address() as { port: number }
const [otherName, untrusted, expired] = others

const places: Places = {
  ca: certificates.ca,
  origin: main.origin,
  otherNameOrigin: otherName?.origin ?? '',
  untrustedOrigin: untrusted?.origin ?? '',
  expiredOrigin: expired?.origin ?? '',
  silentOrigin: `https://127.0.0.1:${silentPort}`,
  plainOrigin: `https://127.0.0.1:${control.port}`,
  control: control.url.origin,
}
process.stdout.write(`${JSON.stringify(places)}\n`)
process.stdin.on('end', () => process.exit(0)).resume()
