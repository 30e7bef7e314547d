// Stands between a service and its database, and can be away (refuse and drop) or silent (hold on and pass nothing).
import { createServer, connect as dial, type Server, type Socket } from 'node:net'

export async function openTcpProxy(databaseUrl: string) {
  let target = new URL(databaseUrl)
  let state: 'back' | 'silent' = 'back'
  const sockets = new Set<Socket>()
  const stalled = new WeakSet<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  }
  const pass = (from: Socket, to: Socket) => {
    from.on('data', chunk => {
      if (state === 'back' && !stalled.has(from)) to.write(chunk)
    })
    from.on('close', () => to.destroy())
  }
  const accept = (client: Socket) => {
    keep(client)
    const upstream = dial(Number(target.port), target.hostname)
    keep(upstream)
    pass(client, upstream)
    pass(upstream, client)
  }
  // A server that was closed does not listen reliably again on Bun, so each opening makes a new one.
  const open = (port: number) =>
    new Promise<Server>(resolve => {
      const opened = createServer(accept).listen(port, '127.0.0.1', () => resolve(opened))
    })
  let server = await open(0)
  const { port } = server.address() as { port: number }
  const url = new URL(databaseUrl)
  url.port = String(port)
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    /** The database's address with the proxy in its place. */
    url: url.href,
    away() {
      server.close()
      drop()
    },
    silent() {
      state = 'silent'
    },
    /** What is connected now goes silent for good; new connections work. */
    stall() {
      for (const socket of sockets) stalled.add(socket)
    },
    async back() {
      state = 'back'
      // What was swallowed meanwhile is gone for good: such connections cannot go on.
      drop()
      if (!server.listening) server = await open(port)
    },
    /** The database moved: new connections go there. */
    leadTo(movedUrl: string) {
      target = new URL(movedUrl)
    },
    close() {
      drop()
      server.close()
    },
  }
}

export type TcpProxy = Awaited<ReturnType<typeof openTcpProxy>>
