// A receiver of deliveries in a process of its own. It writes to stdout where it listens, is asked over plain HTTP what to do,
// and ends when its stdin does.
import { createServer } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { makeCertificates } from './certificates.ts'
import { moodOf, type Received, serveTls } from './server.ts'

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

type Script = (request: Received, socket: TLSSocket, argument: string) => unknown

function answerWith(socket: TLSSocket, status: number, headers = '') {
  const body = `status ${status}`
  socket.write(
    `HTTP/1.1 ${status} Status\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`,
  )
}

const ok = (socket: TLSSocket) =>
  socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok')

const seen = new Map<string, number>()

/** How often a path was asked for one event, this time included. */
function timesAsked({ path, headers }: Received): number {
  const key = `${path} ${headers['webhook-id']}`
  const times = (seen.get(key) ?? 0) + 1
  seen.set(key, times)
  return times
}

const lastOf = new WeakSet<TLSSocket>()

/** By the first part of the path; the second is the argument, and what follows only tells subscriptions apart. */
const scripts: Record<string, Script> = {
  ok: (_request, socket) => ok(socket),
  'no-content': (_request, socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  redirect: (_request, socket) => answerWith(socket, 302, 'Location: /ok/redirected\r\n'),
  reset: (_request, socket) => socket.destroy(),
  close: (_request, socket) => socket.end(),
  garbage: (_request, socket) => socket.end('no HTTP\r\n'),
  tarpit() {},
  /** 200, and whatever comes next on this connection is never answered. */
  last(_request, socket) {
    ok(socket)
    lastOf.add(socket)
  },
  /**
   * `answers/500,429;1,reset,200`: one after the other for each event, and the last one again: a status, with seconds for
   * Retry-After behind a semicolon, or a script's name.
   */
  answers(request, socket, argument) {
    const answers = argument.split(',')
    const next = answers[timesAsked(request) - 1] ?? answers.at(-1) ?? ''
    const [answer = '', seconds] = next.split(';')
    const script = scripts[answer]
    if (script) return script(request, socket, '')
    answerWith(socket, Number(answer), seconds === undefined ? '' : `Retry-After: ${seconds}\r\n`)
  },
  async moody(request, socket) {
    const mood = moodOf(request.headers['webhook-id'] ?? '', timesAsked(request))
    if (mood === 'error') return answerWith(socket, 500)
    if (mood === 'slow') await Bun.sleep(300)
    scripts[mood === 'slow' ? 'ok' : mood]?.(request, socket, '')
  },
}

const requests: Received[] = []
const fixed = new Map<string, number>()
const held = new Map<string, (() => void)[]>()

function proceed(request: Received, socket: TLSSocket): void {
  const status = fixed.get(request.path)
  const [, name = '', argument = ''] = request.path.split(/[/?]/)
  if (lastOf.delete(socket)) socket.destroy()
  else if (status !== undefined) answerWith(socket, status)
  else if (scripts[name]) void scripts[name](request, socket, argument)
  else answerWith(socket, 404)
}

function receive(request: Received, socket: TLSSocket): void {
  requests.push(request)
  const waiting = held.get(request.path)
  if (waiting) waiting.push(() => proceed(request, socket))
  else proceed(request, socket)
}

function release(path: string): void {
  const waiting = held.get(path) ?? []
  held.delete(path)
  for (const answer of waiting) answer()
}

const { ca, right, otherName, untrusted, expired } = await makeCertificates()
const main = await serveTls(right, receive)
const originOf = async (pair: typeof right) => (await serveTls(pair, receive)).origin

const commands: Record<string, (query: URLSearchParams) => unknown> = {
  '/requests': query => requests.slice(Number(query.get('after') ?? 0)),
  '/connections': () => main.counts,
  '/answer': query => fixed.set(query.get('path') ?? '', Number(query.get('status'))) && null,
  '/heal': query => fixed.delete(query.get('path') ?? ''),
  '/hold': query => held.set(query.get('path') ?? '', []) && null,
  '/release': query => release(query.get('path') ?? '') ?? null,
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

const places: Places = {
  ca,
  origin: main.origin,
  otherNameOrigin: await originOf(otherName),
  untrustedOrigin: await originOf(untrusted),
  expiredOrigin: await originOf(expired),
  silentOrigin: `https://127.0.0.1:${(silent.address() as { port: number }).port}`,
  plainOrigin: `https://127.0.0.1:${control.port}`,
  control: control.url.origin,
}
process.stdout.write(`${JSON.stringify(places)}\n`)
process.stdin.on('end', () => process.exit(0)).resume()
