// Stands in front of a receiver and passes on a limited number of connections at once. The others are accepted and wait, as at a
// server that has a thread for each. Handshakes take so long, one after the other.
import { createServer, connect as dial, type Socket } from 'node:net'

export type LimitedReceiver = { port: number; close(): void }

export async function openLimitedReceiver(
  receiverPort: number,
  connectionsMax: number,
  handshakeMs = 0,
): Promise<LimitedReceiver> {
  const sockets = new Set<Socket>()
  const waiting = new Set<Socket>()
  let served = 0
  let freeAt = 0

  function pass(client: Socket) {
    const upstream = dial(receiverPort, '127.0.0.1')
    sockets.add(upstream)
    upstream.on('error', () => {}).pipe(client)
    client.pipe(upstream)
    client.once('close', () => upstream.destroy())
  }

  function serveNext() {
    for (const client of waiting) {
      if (served >= connectionsMax) return
      waiting.delete(client)
      served += 1
      client.once('close', () => {
        served -= 1
        serveNext()
      })
      const now = performance.now()
      freeAt = Math.max(now, freeAt) + handshakeMs
      setTimeout(() => client.destroyed || pass(client), freeAt - now)
    }
  }

  const server = createServer({ pauseOnConnect: true }, client => {
    sockets.add(client)
    waiting.add(client)
    client.on('error', () => {}).once('close', () => waiting.delete(client))
    serveNext()
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    port: (server.address() as { port: number }).port,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
