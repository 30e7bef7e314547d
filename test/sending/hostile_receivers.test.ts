// One POST to a raw TLS server that does as a row says, and what is kept of it. The server is free to break every rule.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { openSender, type Reply, type Sender } from '../../src/sending/sender.ts'
import { makeCertificates } from '../support/receiver/certificates.ts'
import { serveTls } from '../support/receiver/server.ts'
import { until } from '../support/until.ts'

type Answer = string | Buffer
type Peer = { socket: TLSSocket; write(answer: Answer): void }
/** What the server does with each request, counted from 1; a text is written as it is. */
type Behaviour = Answer | ((peer: Peer, count: number) => void)
type Expected = Partial<Reply>
type Row = [name: string, behaviour: Behaviour, expected: Expected]

const totalMs = 700
const loopback = ['127.0.0.0/8']
// A third of the usual limit: what ends by a limit of time takes longer.
const atOnceMs = 5_000
const group = 'a'

const certificates = await makeCertificates()
let patient: Sender
let hurried: Sender
beforeAll(() => {
  const options = { allowedNetworks: loopback, ca: certificates.ca }
  patient = openSender(options)
  hurried = openSender({ ...options, timeouts: { totalMs } })
})
afterAll(() => {
  patient.close()
  hurried.close()
})

/** Serves while `use` runs. */
async function withServer(
  behaviour: Behaviour,
  use: (url: string, counts: { requests: number; accepted: number; open: number }) => Promise<void>,
) {
  let requests = 0
  const server = await serveTls(certificates.right, (_request, socket) => {
    requests += 1
    const write = (answer: Answer) =>
      void (socket.writable && socket.write(Buffer.from(answer as string, 'latin1')))
    if (typeof behaviour === 'function') behaviour({ socket, write }, requests)
    else write(behaviour)
  })
  const counts = {
    get requests() {
      return requests
    },
    get accepted() {
      return server.counts.accepted
    },
    get open() {
      return server.counts.open
    },
  }
  await use(`${server.origin}/`, counts).finally(server.close)
}

const post = (sender: Sender, url: string, body = '{}') =>
  sender.send({ url, group, headers: {}, body })

const answer = (head: string, body: Answer = '') =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\n\r\n`, 'latin1'),
    Buffer.from(body as string, 'latin1'),
  ])
const ok = answer('200 OK', 'ok')
const failed = (errorClass: Reply['errorClass']): Expected => ({ status: null, errorClass })
const delivered = (excerpt: string | null = null): Expected => ({
  status: 200,
  errorClass: null,
  excerpt,
})
const refused = (status: number): Expected => ({ status, errorClass: 'status' })

/** Writes until the connection is closed. */
function pour({ socket, write }: Peer, text: string, everyMs = 0) {
  const timer = setInterval(() => write(text), everyMs)
  socket.on('close', () => clearInterval(timer))
}

const afterStart =
  (start: string, then: (peer: Peer) => void): Behaviour =>
  peer => {
    peer.write(start)
    then(peer)
  }
const ended =
  (text: string): Behaviour =>
  ({ socket }) =>
    socket.end(text)
const endless = (start: string, text: string) => afterStart(start, peer => pour(peer, text))
const drip = (start: string) => afterStart(start, peer => pour(peer, 'a', 100))
const reset = (peer: Peer) => setTimeout(() => peer.socket.destroy(), 50)

const plain: Row[] = [
  ['an answer with a length', ok, delivered('ok')],
  [
    'a chunked answer',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nX: y\r\n\r\n',
    delivered('ok'),
  ],
  ['no length, and closed', ended('HTTP/1.1 200 OK\r\n\r\nall of it'), delivered('all of it')],
  ['HTTP/1.0', ended('HTTP/1.0 200 OK\r\n\r\nold'), delivered('old')],
  ['204', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, errorClass: null, excerpt: null }],
  ['205 without a length', 'HTTP/1.1 205 Reset\r\n\r\n', { status: 205, errorClass: null }],
  ['hints before the answer', `HTTP/1.1 103 Early Hints\r\n\r\n${ok}`, delivered('ok')],
  ['201', answer('201 Created'), { status: 201, errorClass: null }],
  ['304', 'HTTP/1.1 304 Not Modified\r\n\r\n', refused(304)],
  ['404', answer('404 Not Found', 'no such hook'), { ...refused(404), excerpt: 'no such hook' }],
  [
    'headers of a failure',
    answer('500 Oops\r\nServer: nginx\r\nSet-Cookie: session=1\r\nX-Id: a\r\nX-Id: b\x85'),
    { ...refused(500), headers: 'server: nginx\nx-id: a, b\ufffd\ncontent-length: 0' },
  ],
  ...[301, 302, 307, 308].map(
    (status): Row => [
      `a redirect (${status})`,
      answer(`${status} Elsewhere\r\nLocation: /`),
      refused(status),
    ],
  ),
  ['gzip', answer('200 OK\r\nContent-Encoding: gzip', gzipSync('x'.repeat(9e6))), delivered(null)],
  ['101 without an upgrade', 'HTTP/1.1 101 Switching\r\n\r\n', refused(101)],
  [
    '101 with one',
    'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
    failed('connect'),
  ],
]

const charsets: Row[] = [
  ['utf-8 by itself', 'text/plain', 'Gr\xc3\xbc\xc3\x9fe', 'Grüße'],
  ['iso-8859-1', 'text/plain; charset=ISO-8859-1', 'Gr\xfc\xdfe', 'Grüße'],
  ['windows-1252', 'text/html;charset="windows-1252"', '5 \x80', '5 €'],
  ['noise', 'text/plain', 'a\0b\xff\u001b[2J', 'a\ufffdb\ufffd\ufffd[2J'],
  [
    'a character that the limit cuts',
    'text/plain',
    `x${'\xc3\xbc'.repeat(600)}`,
    `x${'ü'.repeat(511)}`,
  ],
].map(([name, type, body = '', excerpt = '']) => [
  `the excerpt: ${name}`,
  answer(`200 OK\r\nContent-Type: ${type}`, body),
  delivered(excerpt),
])

const retryAfter: Row[] = [
  ['2', 2_000],
  [' 007 ', 7_000],
  ['999999999999999', 3_600_000],
  ['Fri, 20 Nov 2020 12:00:30 GMT', 0],
  ['Friday, 20-Nov-20 12:00:30 GMT', 0],
  ['Fri Nov 20 12:00:30 2020', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000],
  ...['', '-1', '1.5', '1e3', '2s', 'soon', '1,2', '2026-11-20T12:00:30Z', 'Friends of 2026'].map(
    (value): [string, null] => [value, null],
  ),
].map(([value, retryAfterMs]) => [
  `Retry-After: ${value}`,
  answer(`503 Busy\r\nRetry-After: ${value}`),
  { ...refused(503), retryAfterMs: retryAfterMs as number | null },
])

const hostile: Row[] = [
  [
    'a head without an end',
    endless('HTTP/1.1 200 OK\r\nX: ', 'x'.repeat(9_000)),
    failed('connect'),
  ],
  [
    'headers without end',
    endless('HTTP/1.1 200 OK\r\n', 'X: y\r\n'.repeat(999)),
    failed('connect'),
  ],
  ['1xx without end', endless('', 'HTTP/1.1 103 A\r\n\r\n'.repeat(99)), failed('connect')],
  ['100 that was not asked for', `HTTP/1.1 100 Continue\r\n\r\n${ok}`, failed('connect')],
  [
    'a body without end',
    endless('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(9_000)),
    delivered('x'.repeat(1_024)),
  ],
  [
    'a chunk of no size',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n',
    delivered(),
  ],
  [
    'two lengths',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok',
    failed('connect'),
  ],
  ['line feeds alone', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', failed('connect')],
  ['an HTTP/2 frame', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80', failed('connect')],
  ['a mail server', '220 mx.example ESMTP\r\n', failed('connect')],
  ['a word', 'ok\n', failed('connect')],
  ['closed without an answer', ended(''), failed('connect')],
  ['reset without an answer', reset, failed('connect')],
  ['reset within the head', afterStart('HTTP/1.1 200 OK\r\nX-A', reset), failed('connect')],
  [
    'reset within the body',
    afterStart('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok', reset),
    delivered('ok'),
  ],
  ['ended within the body', ended('HTTP/1.1 500 A\r\nContent-Length: 9\r\n\r\nok'), refused(500)],
]

const slow: Row[] = [
  ['no answer', () => {}, failed('timeout')],
  ['a head that drips', drip('HTTP/1.1 200 OK\r\nX: '), failed('timeout')],
  ['a body that drips', drip('HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n'), failed('timeout')],
  ['hints that drip', peer => pour(peer, 'HTTP/1.1 103 A\r\n\r\n', 100), failed('timeout')],
]

const atOnce = [...plain, ...charsets, ...retryAfter, ...hostile]
test.each(atOnce)('%s: at once, with one request', (_name, behaviour, expected) =>
  withServer(behaviour, async (url, counts) => {
    const reply = await post(patient, url)
    expect(reply).toMatchObject(expected)
    expect(reply.durationMs).toBeLessThan(atOnceMs)
    expect(counts.requests).toBe(1)
  }),
)

test.concurrent.each(slow)('%s: when the time is over', (_name, behaviour, expected) =>
  withServer(behaviour, async url => {
    const reply = await post(hurried, url)
    expect(reply).toMatchObject(expected)
    expect(reply.durationMs).toBeGreaterThanOrEqual(totalMs - 5)
    expect(reply.durationMs).toBeLessThan(atOnceMs)
  }),
)

describe('the next request of the same subscription', () => {
  const second = answer('503 Second')
  const firstly =
    (first: Answer): Behaviour =>
    ({ write }, count) =>
      write(count === 1 ? first : second)

  test.each<[name: string, behaviour: Behaviour]>([
    ['two answers at once', firstly(Buffer.concat([ok, ok]))],
    ['a 204 with a body', firstly(Buffer.concat([Buffer.from('HTTP/1.1 204 A\r\n\r\n'), ok]))],
    ['a 304 with a length', firstly(`HTTP/1.1 304 A\r\nContent-Length: ${ok.length}\r\n\r\n${ok}`)],
    ['noise after the answer', firstly(`${ok}noise`)],
    [
      'an answer to nothing, later',
      ({ write }, count) => {
        write(count === 1 ? ok : second)
        if (count === 1) setTimeout(() => write(ok), 30)
      },
    ],
  ])('does not take %s for its own', (_name, behaviour) =>
    withServer(behaviour, async (url, counts) => {
      await post(patient, url)
      await until(() => counts.open === 0)
      expect(await post(patient, url)).toMatchObject(refused(503))
      expect(counts.accepted).toBe(2)
    }),
  )

  test('comes over a new connection where the receiver answers without reading', async () => {
    let connections = 0
    const server = createServer(certificates.right, socket => {
      connections += 1
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.pause()
        socket.write(answer('413 Too large'))
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const body = 'x'.repeat(16 * 1_024 * 1_024)
    for (const count of [1, 2, 3]) {
      expect(await post(patient, url, body)).toMatchObject(refused(413))
      expect(connections).toBe(count)
    }
    server.close()
  })
})
