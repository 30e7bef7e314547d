// Stands in front of a receiver and lets so many connections through at once; the others are accepted and wait, as at a server
// that has a thread for each.
import { createServer, connect as dial, type Socket } from 'node:net'

export type FewPlaces = { port: number; close(): void }

export async function openFewPlaces(receiverPort: number, places: number): Promise<FewPlaces> {
  const sockets = new Set<Socket>()
  const waiting = new Set<Socket>()
  let taken = 0

  function letIn() {
    for (const client of waiting) {
      if (taken >= places) return
      waiting.delete(client)
      taken += 1
      const upstream = dial(receiverPort, '127.0.0.1')
      sockets.add(upstream)
      upstream.on('error', () => {}).pipe(client)
      client.pipe(upstream)
      client.once('close', () => {
        upstream.destroy()
        taken -= 1
        letIn()
      })
    }
  }

  const server = createServer({ pauseOnConnect: true }, client => {
    sockets.add(client)
    waiting.add(client)
    client.on('error', () => {}).once('close', () => waiting.delete(client))
    letIn()
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
