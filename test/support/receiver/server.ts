// HTTP/1.1 on bare TLS sockets, free to misbehave in every way a server should not.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
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

function readHead(head: string) {
  const [start = '', ...lines] = head.split('\r\n')
  const headers = lines.map(line => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    path: start.split(' ')[1] ?? '',
    headers: Object.fromEntries(headers) as Record<string, string>,
  }
}

/** Serves on a free port of 127.0.0.1; `answer` gets every whole request, one after the other per connection. */
export async function serveTls(
  pair: CertificatePair,
  answer: (request: Received, socket: TLSSocket) => unknown,
) {
  const counts = { accepted: 0, open: 0 }
  const sockets = new Set<TLSSocket>()
  const server = createServer(pair, socket => {
    counts.accepted += 1
    counts.open += 1
    const connection = counts.accepted
    let received: Buffer = Buffer.alloc(0)
    sockets.add(socket)
    socket
      .on('error', () => {})
      .on('close', () => {
        counts.open -= 1
        sockets.delete(socket)
      })
    socket.on('data', (bytes: Buffer) => {
      received = received.length > 0 ? Buffer.concat([received, bytes]) : bytes
      for (;;) {
        const end = received.indexOf('\r\n\r\n')
        if (end < 0) return
        const { path, headers } = readHead(received.toString('latin1', 0, end))
        const bodyEnd = end + 4 + Number(headers['content-length'] ?? 0)
        if (received.length < bodyEnd) return
        const body = received.toString('utf8', end + 4, bodyEnd)
        received = received.subarray(bodyEnd)
        const at = performance.timeOrigin + performance.now()
        answer({ path, headers, body, at, connection }, socket)
      }
    })
  }).on('tlsClientError', () => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

type Mood = 'ok' | 'slow' | 'error' | 'reset' | 'close'

const bad: Mood[] = ['error', 'reset', 'close', 'slow']
const badTimes = 2
// Of so many answers one is of each bad kind.
const oneIn = 12

/** How a moody receiver answers the so many-th request for an event, counted from 1: by its id, and never badly a third time. */
export function moodOf(eventId: string, times: number): Mood {
  if (times > badTimes) return 'ok'
  const digits = Number.parseInt(eventId.slice(-6), 16)
  return bad[(times === 1 ? digits : Math.floor(digits / oneIn)) % oneIn] ?? 'ok'
}

/** Whether the receiver has the event then. */
export const isTaken = (mood: Mood): boolean => mood === 'ok' || mood === 'slow'
