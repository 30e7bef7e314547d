// Bytes over a socket, as no client that is well written sends them.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

type RawReply = { text: string }

type Manner = {
  /** How long to wait for the other side to close. */
  milliseconds?: number
  /** Whether this is all that is waited for; by default the end of the connection is. */
  isAll?(text: string): boolean
}

const patienceMs = 5_000

/** A connection that is there. */
export async function connectRaw(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  return socket
}

/** Sends everything in one packet, and resolves with all that comes back until the connection ends. */
export function sendRaw(port: number, bytes: string | Buffer, manner: Manner = {}) {
  const { milliseconds = patienceMs, isAll = () => false } = manner
  return new Promise<RawReply>(resolve => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ text })
    }
    const timer = setTimeout(finish, milliseconds)
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', data => {
      text += data.toString('latin1')
      if (isAll(text)) finish()
    })
    socket.on('end', finish)
    socket.on('error', finish)
  })
}

/** Of every answer in a text: the number behind HTTP/1.1. */
export const statusesOf = ({ text }: RawReply): number[] =>
  [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(match => Number(match[1]))

/** A request line, headers with Host, and a body with its length. */
export function rawRequest(
  method: string,
  target: string,
  headers: Record<string, string> = {},
  body = '',
): string {
  const all = {
    Host: 'test',
    ...(body !== '' && { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}
