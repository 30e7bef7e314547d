// A mail server on loopback, once for each certificate it may have, that records what it is sent or behaves badly.
import { afterAll, beforeAll } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { makeCertificates } from '../receiver/certificates.ts'

/** The server's certificate; none: it does not speak TLS. */
type Kind = 'none' | 'right' | 'otherName' | 'untrusted'

type Mail = {
  from: string
  to: string[]
  /** As it came, lines end with CRLF. */
  data: string
  user: string | null
  encrypted: boolean
}

/** silent: writes nothing. dripping, endless: a reply without end. refusing: takes no recipient; some: the first. */
type Mood = 'well' | 'silent' | 'dripping' | 'endless' | 'refusing' | 'some'

export const smtpUser = { user: 'owner@mail.example', password: 'geheim wie %@:/' }

function drip(socket: Socket, text: string, everyMs = 20): void {
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.on('close', () => clearInterval(timer))
}

const pathOf = (line: string) => /<(.*)>/.exec(line)?.[1] ?? ''

/** Call at the top of a file. */
export function useMailServer() {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const ports = new Map<string, number>()
  const mails: Mail[] = []
  let mood: Mood = 'well'
  let ca = ''

  const keep = (socket: Socket) => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }

  /** One client; after STARTTLS it is not greeted again. */
  function serve(socket: Socket, encrypted: boolean, greets: boolean, startTls?: () => void) {
    if (mood === 'endless') drip(socket, '220-'.padEnd(16_384, 'x'), 0)
    // Without a reader it would not see the end.
    if (mood === 'endless' || mood === 'silent') return socket.resume()
    const reply = (...lines: string[]) => socket.write(lines.map(line => `${line}\r\n`).join(''))
    const fresh = (): Mail => ({ from: '', to: [], data: '', user: null, encrypted })
    let mail = fresh()
    let inData = false
    let kept = ''

    const commands: Record<string, (line: string) => unknown> = {
      EHLO: () =>
        mood === 'dripping'
          ? drip(socket, '250-more\r\n')
          : reply('250-mail.example', ...(startTls ? ['250-STARTTLS'] : []), '250 AUTH PLAIN'),
      AUTH(line) {
        const given = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString()
        if (given !== `\0${smtpUser.user}\0${smtpUser.password}`)
          return reply(`535 wrong password of ${smtpUser.user}`)
        mail.user = smtpUser.user
        return reply('235 welcome')
      },
      STARTTLS() {
        if (!startTls) return reply('502 not here')
        socket.removeAllListeners('data')
        return socket.write('220 go ahead\r\n', startTls)
      },
      MAIL(line) {
        mail.from = pathOf(line)
        reply('250 ok')
      },
      RCPT(line) {
        if (mood === 'refusing' || (mood === 'some' && mail.to.length > 0))
          return reply(`550 no such user ${pathOf(line)}`)
        mail.to.push(pathOf(line))
        return reply('250 ok')
      },
      DATA() {
        inData = true
        reply('354 go on')
      },
    }

    function take(line: string) {
      const command = commands[line.split(/[ :]/, 1)[0]?.toUpperCase() ?? '']
      if (!inData) return command ? command(line) : reply('500 what?')
      if (line !== '.') {
        mail.data += `${line}\r\n`
        return
      }
      inData = false
      mails.push(mail)
      mail = fresh()
      reply('250 taken')
    }

    socket.on('data', chunk => {
      const lines = (kept + chunk.toString('utf8')).split('\r\n')
      kept = lines.pop() ?? ''
      for (const line of lines) take(line)
    })
    if (greets) reply('220 mail.example ESMTP')
  }

  async function open(name: string, server: Server) {
    servers.push(server)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    ports.set(name, (server.address() as AddressInfo).port)
  }

  /** Bun's sockets cannot become TLS servers: another server takes over what comes after STARTTLS. */
  function passOn(socket: Socket, port = 0) {
    const inner = keep(connect(port, '127.0.0.1'))
    socket.pipe(inner).pipe(socket)
    socket.on('close', () => inner.destroy())
    inner.on('close', () => socket.destroy())
  }

  beforeAll(async () => {
    const made = await makeCertificates('Authority of the mail server')
    ca = made.ca
    const plain = (begun?: string) =>
      createServer(socket => {
        const startTls = begun === undefined ? undefined : () => passOn(socket, ports.get(begun))
        serve(keep(socket), false, true, startTls)
      })
    for (const kind of ['right', 'otherName', 'untrusted'] as const) {
      for (const greets of [true, false])
        await open(
          `${kind} ${greets ? 'secure' : 'begun'}`,
          createTlsServer(made[kind], socket => serve(keep(socket), true, greets)).on(
            'tlsClientError',
            () => {},
          ),
        )
      await open(kind, plain(`${kind} begun`))
    }
    await open('none', plain())
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    for (const server of servers) server.close()
  })
  return {
    /** For smtp://; with a certificate it offers STARTTLS. */
    port: (kind: Kind = 'none') => ports.get(kind) ?? 0,
    /** For smtps:// */
    securePort: (kind: Kind = 'right') => ports.get(`${kind} secure`) ?? 0,
    /** PEM of the authority that signed the right certificate. */
    ca: () => ca,
    mails,
    /** Open now. */
    connections: () => sockets.size,
    behave(next: Mood) {
      mood = next
    },
  }
}

export type MailServer = ReturnType<typeof useMailServer>
