// One client of the test's mail server: answers its commands, records what it sends, or behaves badly.
import type { Socket } from 'node:net'

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
