// HTTP/1.1 on bare TLS sockets: fast, and free to misbehave in every way a server should not.

import { gzipSync } from 'node:zlib'
import type { CertificatePair } from './certificates.ts'

export type Received = {
  path: string
  headers: Record<string, string>
  body: string
  /** Milliseconds since 1970 of a clock that never goes back. */
  at: number
  /** Counts the connections of this server; requests of one connection share it. */
  connection: number
}

export type ReceiverConnection = {
  number: number
  isOpen(): boolean
  /** Keeps what the socket does not take at once, and sends it when it does. */
  write(text: string | Uint8Array): void
  /** Resolves when nothing is kept back. */
  drained(): Promise<void>
  /** After everything written. */
  end(): void
  /** At once, without a word. */
  reset(): void
}

type State = ReceiverConnection & { received: Buffer; flush(): void; closed(): void }

const headEnd = Buffer.from('\r\n\r\n')
const now = () => performance.timeOrigin + performance.now()

function readHead(head: string): { path: string; headers: Record<string, string> } {
  const [start = '', ...lines] = head.split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return { path: start.split(' ')[1] ?? '', headers }
}

/** Takes one whole request off the front of what was received. */
function takeRequest(state: State): Received | undefined {
  const end = state.received.indexOf(headEnd)
  if (end < 0) return undefined
  const { path, headers } = readHead(state.received.toString('latin1', 0, end))
  const bodyEnd = end + 4 + Number(headers['content-length'] ?? 0)
  if (state.received.length < bodyEnd) return undefined
  const body = state.received.toString('utf8', end + 4, bodyEnd)
  state.received = state.received.subarray(bodyEnd)
  return { path, headers, body, at: now(), connection: state.number }
}

function makeConnection(socket: Bun.Socket<State>, number: number): State {
  let open = true
  let ending = false
  let kept = Buffer.alloc(0)
  let drains: (() => void)[] = []
  const settle = () => {
    for (const resolve of drains.splice(0)) resolve()
  }
  return {
    number,
    received: Buffer.alloc(0),
    isOpen: () => open,
    write(text) {
      if (!open) return
      const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : Buffer.from(text)
      if (kept.length > 0) {
        kept = Buffer.concat([kept, bytes])
        return
      }
      const written = Math.max(socket.write(bytes), 0)
      if (written < bytes.length) kept = bytes.subarray(written)
    },
    flush() {
      if (kept.length > 0) kept = kept.subarray(Math.max(socket.write(kept), 0))
      if (kept.length > 0) return
      settle()
      if (ending) socket.end()
    },
    drained: () =>
      open && kept.length > 0
        ? new Promise(resolve => {
            drains = [...drains, resolve]
          })
        : Promise.resolve(),
    end() {
      ending = true
      if (kept.length === 0) socket.end()
    },
    reset() {
      open = false
      socket.terminate()
    },
    closed() {
      open = false
      settle()
    },
  }
}

export type Counts = { accepted: number; open: number }

/** Serves on a free port of 127.0.0.1; `answer` gets every whole request, one after the other per connection. */
export function serveTls(
  { key, cert }: CertificatePair,
  answer: (request: Received, connection: ReceiverConnection) => unknown,
) {
  const counts: Counts = { accepted: 0, open: 0 }
  const listener = Bun.listen<State>({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key, cert },
    socket: {
      open(socket) {
        counts.accepted += 1
        counts.open += 1
        socket.data = makeConnection(socket, counts.accepted)
      },
      data(socket, bytes) {
        const state = socket.data
        state.received =
          state.received.length > 0 ? Buffer.concat([state.received, bytes]) : Buffer.from(bytes)
        for (let request = takeRequest(state); request; request = takeRequest(state))
          answer(request, state)
      },
      drain: socket => socket.data.flush(),
      // Also called for a handshake that was broken off, of which nothing was counted.
      close({ data: state }: Bun.Socket<State | undefined>) {
        if (!state) return
        counts.open -= 1
        state.closed()
      },
      error() {},
    },
  })
  return { origin: `https://127.0.0.1:${listener.port}`, port: listener.port, counts }
}

// What the receiver does for a path. The first part of the path names the script; what follows it only tells
// subscriptions apart, as in /ok/abc.

type Script = (
  request: Received,
  connection: ReceiverConnection,
  argument: string,
  query: URLSearchParams,
) => unknown

const reasons: Record<number, string> = {
  200: 'OK',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
}

export function answerWith(
  connection: ReceiverConnection,
  status: number,
  headers: Record<string, string> = {},
  body: string | Uint8Array = `status ${status}`,
): void {
  const lines = Object.entries({ 'Content-Length': String(Buffer.byteLength(body)), ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  connection.write(`HTTP/1.1 ${status} ${reasons[status] ?? 'Status'}\r\n${head}\r\n`)
  connection.write(typeof body === 'string' ? Buffer.from(body) : body)
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok'

/** A byte at a time, for ever. */
async function trickle(connection: ReceiverConnection, text: string) {
  for (let position = 0; connection.isOpen(); position += 1) {
    connection.write(text[position % text.length] ?? '')
    await Bun.sleep(20)
  }
}

async function pour(connection: ReceiverConnection, chunk: Uint8Array) {
  while (connection.isOpen()) {
    connection.write(chunk)
    await connection.drained()
    await Bun.sleep(0)
  }
}

const seen = new Map<string, number>()

/** How often a path was asked for one event, this time included. */
function timesAsked({ path, headers }: Received): number {
  const key = `${path} ${headers['webhook-id']}`
  const times = (seen.get(key) ?? 0) + 1
  seen.set(key, times)
  return times
}

function retryAfter(query: URLSearchParams): string {
  const date = query.get('date') ?? ''
  if (query.has('seconds')) return query.get('seconds') ?? ''
  return /^-?\d+$/.test(date) ? new Date(Date.now() + Number(date) * 1_000).toUTCString() : date
}

const connectionsToReset = new Set<ReceiverConnection>()
const bomb = gzipSync(Buffer.alloc(50_000_000))
const letters = Buffer.alloc(16_384, 'x')

const moods: Record<Mood, (connection: ReceiverConnection) => unknown> = {
  ok: connection => connection.write(ok),
  async slow(connection) {
    await Bun.sleep(300)
    connection.write(ok)
  },
  error: connection => answerWith(connection, 500),
  reset: connection => connection.reset(),
  close: connection => connection.end(),
}

const scripts: Record<string, Script> = {
  ok: (_request, connection) => connection.write(ok),
  'no-content': (_request, connection) => connection.write('HTTP/1.1 204 No Content\r\n\r\n'),
  status: (_request, connection, argument) => answerWith(connection, Number(argument)),
  /** 500 so many times for each event, then 200. */
  flaky: (request, connection, argument) =>
    timesAsked(request) > Number(argument) ? connection.write(ok) : answerWith(connection, 500),
  /** 500 for events whose id ends with a digit below the argument, of 16; 200 for the others. */
  poison: ({ headers }, connection, argument) =>
    isPoison(headers['webhook-id'] ?? '', Number(argument))
      ? answerWith(connection, 500)
      : connection.write(ok),
  /**
   * `answers/500,429;1,reset,200`: one after the other for each event, and the last one again: a status, with seconds for
   * Retry-After behind a semicolon, or a script's name.
   */
  answers(request, connection, argument, query) {
    const answers = argument.split(',')
    const [answer = '', seconds] = (answers[timesAsked(request) - 1] ?? answers.at(-1) ?? '').split(
      ';',
    )
    const script = scripts[answer]
    if (script) return script(request, connection, '', query)
    answerWith(connection, Number(answer), seconds === undefined ? {} : { 'Retry-After': seconds })
  },
  /** 200 after so many milliseconds. */
  async slow(_request, connection, argument) {
    await Bun.sleep(Number(argument))
    connection.write(ok)
  },
  moody(request, connection) {
    const mood = moodOf(request.headers['webhook-id'] ?? '', timesAsked(request))
    return moods[mood](connection)
  },
  /** 429 once for each event, then 200. `date`: as it stands, or in so many seconds. */
  'retry-after': (request, connection, _argument, query) =>
    timesAsked(request) > 1
      ? connection.write(ok)
      : answerWith(connection, Number(query.get('status') ?? 429), {
          'Retry-After': retryAfter(query),
        }),
  redirect: (_request, connection, argument) =>
    answerWith(connection, Number(argument || 302), { Location: '/ok/redirected' }),
  body: (_request, connection, _argument, query) =>
    answerWith(connection, 200, {}, Buffer.from(query.get('base64') ?? '', 'base64')),
  /** 200, but the connection ends without being announced to. */
  goodbye(_request, connection) {
    connection.write(ok)
    connection.end()
  },
  /** 200, and whatever comes next on this connection is never answered. */
  last(_request, connection) {
    connection.write(ok)
    connectionsToReset.add(connection)
  },
  close: (_request, connection) => {
    answerWith(connection, 200, { Connection: 'close' })
    connection.end()
  },
  reset: (_request, connection) => connection.reset(),
  hints: (_request, connection) =>
    connection.write(
      `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${ok}`,
    ),
  upgrade: (_request, connection) =>
    connection.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    ),
  tarpit() {},
  'slow-headers': (_request, connection) =>
    trickle(connection, 'HTTP/1.1 200 OK\r\nX-A: '.padEnd(4_000, 'a')),
  'slow-body'(_request, connection) {
    connection.write('HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n')
    return trickle(connection, 'a')
  },
  endless(_request, connection) {
    connection.write('HTTP/1.1 200 OK\r\n\r\n')
    return pour(connection, letters)
  },
  'endless-headers'(_request, connection) {
    connection.write('HTTP/1.1 200 OK\r\nX-A: ')
    return pour(connection, letters)
  },
  'gzip-bomb': (_request, connection) =>
    answerWith(connection, 200, { 'Content-Encoding': 'gzip' }, bomb),
}

export function answerByScript(request: Received, connection: ReceiverConnection): void {
  const url = new URL(request.path, 'https://receiver.example')
  const [, name = '', argument = ''] = url.pathname.split('/')
  const script = scripts[name]
  if (connectionsToReset.delete(connection)) connection.reset()
  else if (script) void script(request, connection, argument, url.searchParams)
  else answerWith(connection, 404)
}

// How a receiver of bad manners answers an event: by the event's id, and never badly a third time.

export type Mood = 'ok' | 'slow' | 'error' | 'reset' | 'close'

const bad: Mood[] = ['error', 'reset', 'close', 'slow']
const badTimes = 2
// Of so many answers one is of each bad kind.
const oneIn = 12

/** For the so many-th time, counted from 1, that it is asked for the event. */
export function moodOf(eventId: string, times: number): Mood {
  if (times > badTimes) return 'ok'
  const digits = Number.parseInt(eventId.slice(-6), 16)
  return bad[(times === 1 ? digits : Math.floor(digits / oneIn)) % oneIn] ?? 'ok'
}

/** Whether an event is one of those that the receiver never takes: so many of 16. */
export const isPoison = (eventId: string, of16: number): boolean =>
  Number.parseInt(eventId.slice(-1), 16) < of16

/** Whether the receiver has the event then. */
export const isTaken = (mood: Mood): boolean => mood === 'ok' || mood === 'slow'
