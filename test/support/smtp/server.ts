// A mail server on loopback, once for each certificate it may have, that records what it is sent.
import { afterAll, beforeAll } from 'bun:test'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { type CertificatePair, makeCertificates } from '../receiver/certificates.ts'
import { type Mail, type MailServerMood, type MailServerState, serveClient } from './session.ts'

/** Its certificate; none: it does not speak TLS. */
type Kind = 'none' | 'right' | 'otherName' | 'untrusted'

export type MailServer = {
  /** For smtp://; with a certificate it offers STARTTLS. */
  port(kind?: Kind): number
  /** For smtps:// */
  securePort(kind?: Kind): number
  /** PEM of the authority that signed the right certificate. */
  ca(): string
  mails: Mail[]
  /** Open now. */
  connections(): number
  behave(mood: MailServerMood): void
}

const kinds = ['right', 'otherName', 'untrusted'] as const

/** Call at the top of a file. */
export function useMailServer(): MailServer {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const ports = new Map<string, number>()
  const mails: Mail[] = []
  let mood: MailServerMood = 'well'
  let ca = ''
  const place: MailServerState = { mails, mood: () => mood, startTls: undefined }

  function keep(socket: Socket): Socket {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }

  const open = (name: string, server: Server) =>
    new Promise<void>(resolve => {
      servers.push(server)
      server.listen(0, '127.0.0.1', () => {
        ports.set(name, (server.address() as { port: number }).port)
        resolve()
      })
    })

  const plain = (startTls?: MailServerState['startTls']) =>
    createServer(socket => serveClient(keep(socket), { ...place, startTls }, false))

  const secure = (pair: CertificatePair, greets: boolean) =>
    createTlsServer(pair, socket => serveClient(keep(socket), place, true, greets)).on(
      'tlsClientError',
      () => {},
    )

  async function openKind(
    kind: (typeof kinds)[number],
    { key, cert }: CertificatePair,
  ): Promise<void> {
    await open(`${kind} secure`, secure({ key, cert }, true))
    await open(`${kind} begun`, secure({ key, cert }, false))
    // Bun's sockets cannot become TLS servers: another server takes over what comes after STARTTLS.
    const startTls = (socket: Socket) => {
      const inner = keep(connect(ports.get(`${kind} begun`) ?? 0, '127.0.0.1'))
      socket.pipe(inner).pipe(socket)
      socket.on('close', () => inner.destroy())
      inner.on('close', () => socket.destroy())
    }
    await open(kind, plain(startTls))
  }

  beforeAll(async () => {
    const certificates = await makeCertificates('Authority of the mail server')
    ca = certificates.ca
    for (const kind of kinds) await openKind(kind, certificates[kind])
    await open('none', plain())
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of servers) server.close()
  })
  return {
    port: (kind = 'none') => ports.get(kind) ?? 0,
    securePort: (kind = 'right') => ports.get(`${kind} secure`) ?? 0,
    ca: () => ca,
    mails,
    connections: () => sockets.size,
    behave(next) {
      mood = next
    },
  }
}
