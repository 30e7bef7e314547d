// HTTP/1.1 on bare TLS sockets: fast, and free to misbehave in every way a server should not.
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
