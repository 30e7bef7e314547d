// A mail server on loopback, once for each certificate it may have, that records what it is sent.
import { afterAll, beforeAll } from 'bun:test'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { type CertificatePair, makeCertificates } from '../receiver/certificates.ts'

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

// One client of the test's mail server: answers its commands, records what it sends, or behaves badly.

export type Mail = {
  from: string
  to: string[]
  /** As it came, lines end with CRLF. */
  data: string
  user: string | null
  encrypted: boolean
}

/** dripping: greets, and then one reply whose lines do not end. silent: says nothing. endless: a reply without end. slow: a byte now and then. refusing: no recipient is right; some: the first is. */
export type MailServerMood =
  | 'well'
  | 'dripping'
  | 'silent'
  | 'endless'
  | 'slow'
  | 'refusing'
  | 'some'

export type MailServerState = {
  mails: Mail[]
  mood(): MailServerMood
  /** Where there is TLS to begin. */
  startTls: ((socket: Socket) => void) | undefined
}

export const smtpUser = { user: 'owner@mail.example', password: 'geheim wie %@:/' }

function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20)
  socket.on('close', () => clearInterval(timer))
}

function misbehave(socket: Socket, mood: MailServerMood): void {
  // Without a reader it would not see the end.
  socket.resume()
  if (mood === 'endless') {
    const flood = () => {
      while (!socket.destroyed && socket.write('220-'.padEnd(16_384, 'x')));
    }
    socket.on('drain', flood)
    flood()
  }
  if (mood === 'slow') drip(socket, '2')
}

const isRightUser = (line: string): boolean => {
  const [, user, password] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
    .toString()
    .split('\0')
  return user === smtpUser.user && password === smtpUser.password
}

const pathOf = (line: string) => /<(.*)>/.exec(line)?.[1] ?? ''

/** After STARTTLS a client is not greeted again. */
export function serveClient(
  socket: Socket,
  place: MailServerState,
  encrypted: boolean,
  greets = true,
): void {
  const mood = place.mood()
  let held = ''
  let inData = false
  const fresh = (): Mail => ({ from: '', to: [], data: '', user: null, encrypted })
  let mail = fresh()
  const say = (...lines: string[]) => socket.write(lines.map(line => `${line}\r\n`).join(''))

  const commands: Record<string, (line: string) => void> = {
    EHLO() {
      if (mood === 'dripping') return drip(socket, '250-more\r\n')
      say('250-mail.example', ...(place.startTls ? ['250-STARTTLS'] : []), '250 AUTH PLAIN')
    },
    AUTH(line) {
      if (!isRightUser(line)) return say(`535 wrong password of ${smtpUser.user}`)
      mail.user = smtpUser.user
      say('235 welcome')
    },
    STARTTLS() {
      if (!place.startTls) return say('502 not here')
      socket.removeAllListeners('data')
      socket.write('220 go ahead\r\n', () => place.startTls?.(socket))
      return
    },
    MAIL(line) {
      mail.from = pathOf(line)
      say('250 ok')
    },
    RCPT(line) {
      const isRefused = mood === 'refusing' || (mood === 'some' && mail.to.length > 0)
      if (isRefused) return say(`550 no such user ${pathOf(line)}`)
      mail.to.push(pathOf(line))
      say('250 ok')
    },
    DATA() {
      inData = true
      say('354 go on')
    },
  }

  function take(line: string): void {
    if (!inData) {
      const command = commands[line.split(/[ :]/, 1)[0]?.toUpperCase() ?? '']
      if (command) command(line)
      else say('500 what?')
    } else if (line === '.') {
      inData = false
      place.mails.push(mail)
      mail = fresh()
      say('250 taken')
    } else mail.data += `${line}\r\n`
  }

  if (mood === 'silent' || mood === 'endless' || mood === 'slow') {
    misbehave(socket, mood)
    return
  }
  socket.on('data', chunk => {
    held += chunk.toString('utf8')
    const lines = held.split('\r\n')
    held = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  if (greets) say('220 mail.example ESMTP')
}
