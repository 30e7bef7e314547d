// One POST and each of its possible results, against a real server in another process.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type ErrorClass,
  openSender,
  type Reply,
  type Sender,
} from '../../src/https_client/send.ts'
import { version } from '../../src/version.ts'
import { useReceiver } from '../support/receiver/receiver.ts'

const receiver = useReceiver()
const timeouts = { totalMs: 900 }
// The sender's clock ends the wait; a busy machine adds the rest.
const slackMs = 1_500
// A third of the default time limit.
const atOnceMs = 5_000

let sender: Sender
let impatient: Sender
beforeAll(() => {
  const options = { allowedNetworks: ['127.0.0.0/8'], ca: receiver.ca }
  sender = openSender(options)
  impatient = openSender({ ...options, timeouts })
})
afterAll(() => {
  sender.close()
  impatient.close()
})

const send = (url: string, body = '{}', headers: Record<string, string> = {}) =>
  sender.send({ url, group: 'a', headers: { 'webhook-id': 'an-event', ...headers }, body })

const sendImpatiently = (url: string) =>
  impatient.send({ url, group: 'a', headers: {}, body: '{}' })

const post = (path: string, body?: string, headers?: Record<string, string>) =>
  send(receiver.url(path), body, headers)

const shown = ({ status, errorClass }: Reply) => ({ status, errorClass })

test('the receiver gets a POST with the exact bytes and our headers', async () => {
  const body = JSON.stringify({ name: 'Jürgen Groß 🙂', text: '\u2028 \\u0000' })
  const reply = await post('/ok/exact?a=b', body, { 'X-Service-Signature': 'v1=abc' })
  expect(reply).toEqual({
    status: 200,
    errorClass: null,
    retryAfterMs: null,
    excerpt: 'ok',
    headers: null,
    durationMs: expect.any(Number),
  })
  const [request] = await receiver.requests('/ok/exact?a=b')
  expect(request?.body).toBe(body)
  expect(request?.headers).toEqual({
    host: new URL(receiver.origin).host,
    'user-agent': `workspace-data-api/${version}`,
    accept: '*/*',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'keep-alive',
    'webhook-id': 'an-event',
    'x-service-signature': 'v1=abc',
  })
})

test('a large body arrives whole', async () => {
  const body = JSON.stringify('ü'.repeat(1_000_000))
  expect(shown(await post('/ok/large', body))).toEqual({ status: 200, errorClass: null })
  const [request] = await receiver.requests('/ok/large')
  expect(request?.body === body).toBe(true)
})

test.each<[path: string, status: number, errorClass: ErrorClass | null]>([
  ['/no-content', 204, null],
  ['/chunked', 200, null],
  ['/close', 200, null],
  ['/hints', 200, null],
  ['/status/201', 201, null],
  ['/status/400', 400, 'status'],
  ['/status/410', 410, 'status'],
  ['/status/429', 429, 'status'],
  ['/status/503', 503, 'status'],
  ['/upgrade', 101, 'status'],
  // The status is known, and that counts.
  ['/reset-body', 200, null],
  ['/endless', 200, null],
  ['/gzip-bomb', 200, null],
])('%s: status %d', async (path, status, errorClass) => {
  const reply = await post(path)
  expect(shown(reply)).toEqual({ status, errorClass })
  expect(reply.durationMs).toBeLessThan(atOnceMs)
})

test.each<[path: string, errorClass: ErrorClass]>([
  ['/reset', 'connect'],
  ['/reset-headers', 'connect'],
  ['/garbage', 'connect'],
  ['/endless-headers', 'connect'],
  ['/endless-hints', 'connect'],
])('%s: no answer, at once (%s)', async (path, errorClass) => {
  const reply = await post(path)
  expect(shown(reply)).toEqual({ status: null, errorClass })
  expect(reply.durationMs).toBeLessThan(atOnceMs)
})

test.concurrent.each(['/tarpit', '/slow-headers', '/slow-body'])(
  '%s: timeout, when all of the time is over',
  async path => {
    const reply = await sendImpatiently(receiver.url(path))
    expect(shown(reply)).toEqual({ status: null, errorClass: 'timeout' })
    expect(reply.durationMs).toBeGreaterThanOrEqual(timeouts.totalMs - 5)
    expect(reply.durationMs).toBeLessThan(timeouts.totalMs + slackMs)
  },
)

test('a server that accepts the connection and sends nothing gets the time to connect, no more', async () => {
  const hurried = openSender({ allowedNetworks: ['127.0.0.0/8'], timeouts: { connectMs: 400 } })
  const url = `${receiver.silentOrigin}/ok`
  const reply = await hurried.send({ url, group: 'a', headers: {}, body: '{}' })
  hurried.close()
  expect(shown(reply)).toEqual({ status: null, errorClass: 'timeout' })
  expect(reply.durationMs).toBeGreaterThanOrEqual(395)
  expect(reply.durationMs).toBeLessThan(atOnceMs)
})

test.each([302, 301, 307, 308])(
  'a redirect (%d) is an answer and is not followed',
  async status => {
    expect(shown(await post(`/redirect/${status}`))).toEqual({ status, errorClass: 'status' })
    expect(await receiver.requests('/ok/redirected')).toEqual([])
  },
)

test('Retry-After comes back in milliseconds, from seconds and from a date', async () => {
  expect((await post('/retry-after/a?seconds=2')).retryAfterMs).toBe(2_000)
  const { status, retryAfterMs } = await post('/retry-after/b?date=60&status=503')
  expect(status).toBe(503)
  expect(retryAfterMs).toBeGreaterThan(50_000)
  expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  expect((await post('/retry-after/c?date=tomorrow')).retryAfterMs).toBeNull()
})

test('the excerpt is the beginning of the answer, as harmless text', async () => {
  expect((await post('/status/422')).excerpt).toBe('status 422')
  expect((await post('/endless')).excerpt).toBe('x'.repeat(1_024))
  expect((await post('/gzip-bomb')).excerpt).toBeNull()
  const noise = Buffer.from('a\0b\xff').toString('base64')
  expect((await post(`/body?base64=${encodeURIComponent(noise)}`)).excerpt).toBe('a\ufffdbÿ')
})

test('a path that failed is requested again and answers', async () => {
  await receiver.answer('/ok/ill', 502)
  expect((await post('/ok/ill')).status).toBe(502)
  await receiver.heal('/ok/ill')
  expect((await post('/ok/ill')).status).toBe(200)
})

test('no server at the address: connect', async () => {
  expect(shown(await send('https://127.0.0.1:1/'))).toEqual({ status: null, errorClass: 'connect' })
})

test('a name that does not exist: dns', async () => {
  expect(shown(await send('https://nowhere.invalid/'))).toEqual({ status: null, errorClass: 'dns' })
})

test.each([
  'https://10.0.0.1/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'http://127.0.0.1/',
  'https://user:secret@127.0.0.1/',
  'https://metadata.google.internal/',
  'nonsense',
])('a URL that a subscription must not have is blocked, even if it was stored: %s', async url => {
  const reply = await send(url)
  expect(shown(reply)).toEqual({ status: null, errorClass: 'blocked' })
})

test('a header that would break out of its line is a fault of ours and never sent', async () => {
  const before = await receiver.count()
  await expect(post('/ok', '{}', { 'X-A': 'a\r\nX-B: b' })).rejects.toThrow()
  await expect(post('/ok', '{}', { 'X-A': '世' })).rejects.toThrow()
  expect(await receiver.count()).toBe(before)
})
