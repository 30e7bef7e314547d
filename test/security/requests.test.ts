// Requests that no client of ours sends: none gets a fault, none a foreign page a way in, and of all answers only those that
// Bun gives before the service hears of the request lack envelope, no-store and a request id. They are listed here by name.
import { expect, test } from 'bun:test'
import { rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import { onDeno, useService } from '../support/http/service.ts'
import { attacks } from './attacks.ts'

const api = useService()
const closing = { Connection: 'close' }
const auth = () => ({ ...closing, Authorization: `Bearer ${api.key}` })

const send = (text: string) => sendRaw(api.service.port, text)

function isOurs(text: string): boolean {
  const [head = ''] = text.split('\r\n\r\n')
  return /^cache-control: no-store\r?$/im.test(head) && /^x-request-id: \S/im.test(head)
}

const headers: [name: string, value: string][] = [
  ['Range', 'bytes=0-1'],
  ['If-None-Match', '*'],
  ['If-Modified-Since', 'Mon, 01 Jan 2035 00:00:00 GMT'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Original-URL', '/dashboard'],
  ['X-Rewrite-URL', '/dashboard'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Prefix', '/evil'],
  ['Forwarded', 'for=127.0.0.1;host=evil.example'],
  ['Upgrade', 'websocket'],
  ['Upgrade', 'h2c'],
  ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
  ['TE', 'trailers'],
  ['Trailer', 'X-A'],
  ['Content-Encoding', 'gzip'],
  ['Accept-Encoding', 'gzip;q=1e309, identity;q=0'],
  ['Accept', '*/*;q=0'],
  ['Accept-Charset', 'utf-16'],
  ['Cookie', '__proto__=1; a; =; ='],
  ['X-Request-Id', '"><script>'],
  ['Traceparent', '00-zz'],
  ['Max-Forwards', '0'],
]

// Answered by Bun before a request reaches the service (docs/decisions/http_server.md), and closed without an answer.
const bare: [name: string, text: string, status: number | undefined][] = [
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
  ['a length that is none', 'GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n', 400],
  ['a folded header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n', 400],
  ['a head above 256 KiB', rawRequest('GET', '/healthz', { X: 'a'.repeat(270_000) }), 431],
  [
    '200 headers',
    rawRequest(
      'GET',
      '/healthz',
      Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`X-${index}`, '1'])),
    ),
    431,
  ],
  ['a space in the target', rawRequest('GET', '/health z', closing), 505],
  ['a version that is none', 'GET /healthz HTTP/3.0\r\nHost: a\r\n\r\n', 505],
  ['a target that is no path', rawRequest('OPTIONS', '*', closing), 400],
  ['an unknown method', rawRequest('FOO', '/healthz', closing), undefined],
  ['a method in lower case', rawRequest('get', '/healthz', closing), undefined],
]

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']
const targets = ['/api/v1/leads', '/mcp', '/dashboard', '/healthz', '/nowhere', '/%00', '/%ff']

const attack = attacks(
  'requests',
  onDeno ? 0 : headers.length + bare.length + methods.length * targets.length + 6,
)

test.skipIf(onDeno).each(headers)('%s: %s changes nothing', async (name, value) => {
  const plain = await send(rawRequest('GET', '/api/v1/leads', auth()))
  const odd = await send(rawRequest('GET', '/api/v1/leads', { ...auth(), [name]: value }))
  const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n'))
  expect([statusesOf(odd), isOurs(odd.text)]).toEqual([[200], true])
  expect(bodyOf(odd.text)).toBe(bodyOf(plain.text))
  expect(odd.text).not.toMatch(/evil|<script>/)
  attack.held()
})

test.skipIf(onDeno).each(bare)('an answer that is not ours: %s', async (_, text, status) => {
  const reply = await send(text)
  expect(statusesOf(reply)).toEqual(status === undefined ? [] : [status])
  expect(isOurs(reply.text)).toBe(false)
  // Nothing of the request comes back, and nothing of the service.
  expect(reply.text.slice(reply.text.indexOf('\r\n\r\n') + 4)).toBe('')
  attack.held()
})

test.skipIf(onDeno)('every method on every path is answered by us, and is no fault', async () => {
  for (const method of methods)
    for (const target of targets) {
      const reply = await send(rawRequest(method, target, auth()))
      const [status = 0] = statusesOf(reply)
      // The dashboard's redirect is to its own page.
      expect({ method, target, ours: isOurs(reply.text) }).toEqual({ method, target, ours: true })
      expect(status < 500).toBe(true)
      attack.held()
    }
})

test('no website may call the API: nothing allows another origin', async () => {
  for (const path of [
    '/api/v1/leads',
    '/mcp',
    '/dashboard',
    '/api/v1/hooks',
    '/docs',
    '/healthz',
  ]) {
    const preflight = await fetch(api.service.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })
    const names = [...preflight.headers.keys()].filter(name => name.startsWith('access-control-'))
    expect([path, preflight.ok, names]).toEqual([path, false, []])
    attack.held()
  }
})
