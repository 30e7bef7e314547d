// One keep-alive HTTP/1.1 connection on a bare socket. It reads the head and counts the body, and no more,
// so that little of the machine goes to the load. Anything but a 200 of stated length is an error.
import type { Socket } from 'bun'

export type LoadConnection = {
  /** Sends one request; calls back when the answer is whole. */
  send(request: Buffer, onAnswer: () => void): void
  close(): void
}

const headEnd = Buffer.from('\r\n\r\n')

function readLength(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (!head.startsWith('HTTP/1.1 200 ') || length === undefined)
    throw new Error(`answered ${head.split('\r\n')[0]}${length ? '' : ' without content-length'}`)
  return Number(length)
}

export async function openLoadConnection(
  port: number,
  onError: (error: Error) => void,
): Promise<LoadConnection> {
  let started: Buffer | undefined
  let missing = -1
  let answered: () => void = () => {}

  function receive(chunk: Buffer) {
    if (missing < 0) {
      const all = started ? Buffer.concat([started, chunk]) : chunk
      const end = all.indexOf(headEnd)
      started = end < 0 ? Buffer.from(all) : undefined
      if (end < 0) return
      missing = readLength(all.toString('latin1', 0, end)) - (all.length - end - headEnd.length)
    } else missing -= chunk.length
    if (missing < 0) throw new Error('the answer is longer than it says')
    if (missing > 0) return
    missing = -1
    answered()
  }

  let closed = false
  const socket: Socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_socket, chunk) {
        try {
          receive(chunk)
        } catch (error) {
          onError(error as Error)
        }
      },
      error: (_socket, error) => onError(error),
      close() {
        if (!closed) onError(new Error('the server closed the connection'))
      },
    },
  })
  return {
    send(request, onAnswer) {
      answered = onAnswer
      // A request is far smaller than a socket's buffer, so it is always taken whole.
      socket.write(request)
    },
    close() {
      closed = true
      socket.end()
    },
  }
}
