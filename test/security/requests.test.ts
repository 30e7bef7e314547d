// Requests that no client of ours sends: none gets a fault, none a foreign page a way in, and of all answers only those that
// Bun gives before the service gets the request lack envelope, no-store and a request id. They are listed here by name.
import { expect, test } from 'bun:test'
import { rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import { onDeno, useService } from '../support/http/service.ts'

const api = useService()
const closing = { Connection: 'close' }
const auth = () => ({ ...closing, Authorization: `Bearer ${api.key}` })
const send = (text: string) => sendRaw(api.service.port, text)
const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4)

function isOurs(text: string): boolean {
  const [head = ''] = text.split('\r\n\r\n')
  return /^cache-control: no-store\r?$/im.test(head) && /^x-request-id: \S/im.test(head)
}

const headers = `Range: bytes=0-1
  If-None-Match: *
  If-Modified-Since: Mon, 01 Jan 2035 00:00:00 GMT
  X-HTTP-Method-Override: DELETE
  X-Original-URL: /dashboard
  X-Rewrite-URL: /dashboard
  X-Forwarded-Host: evil.example
  X-Forwarded-Prefix: /evil
  Forwarded: for=127.0.0.1;host=evil.example
  Upgrade: websocket
  Upgrade: h2c
  HTTP2-Settings: AAMAAABkAAQAAP__
  TE: trailers
  Trailer: X-A
  Content-Encoding: gzip
  Accept-Encoding: gzip;q=1e309, identity;q=0
  Accept: */*;q=0
  Accept-Charset: utf-16
  Cookie: __proto__=1; a; =; =
  X-Request-Id: "><script>
  Traceparent: 00-zz
  Max-Forwards: 0`

test.skipIf(onDeno).each(headers.split('\n').map(line => line.trim()))(
  '%s changes nothing',
  async header => {
    const [name = '', ...value] = header.split(': ')
    const plain = await send(rawRequest('GET', '/api/v1/leads', auth()))
    const odd = await send(
      rawRequest('GET', '/api/v1/leads', { ...auth(), [name]: value.join(': ') }),
    )
    expect([statusesOf(odd), isOurs(odd.text)]).toEqual([[200], true])
    expect(bodyOf(odd.text)).toBe(bodyOf(plain.text))
    expect(odd.text).not.toMatch(/evil|<script>/)
  },
)

const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`X-${index}`, '1']))
// Answered by Bun before a request reaches the service (docs/decisions/http_server.md), or closed without an answer.
const bare: [name: string, text: string, statuses: number[]][] = [
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', [400]],
  [
    'a length that is none',
    'GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
    [400],
  ],
  ['a folded header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n', [400]],
  ['a head above 256 KiB', rawRequest('GET', '/healthz', { X: 'a'.repeat(270_000) }), [431]],
  ['200 headers', rawRequest('GET', '/healthz', many), [431]],
  ['a space in the target', rawRequest('GET', '/health z', closing), [505]],
  ['a version that is none', 'GET /healthz HTTP/3.0\r\nHost: a\r\n\r\n', [505]],
  ['a target that is no path', rawRequest('OPTIONS', '*', closing), [400]],
  ['an unknown method', rawRequest('FOO', '/healthz', closing), []],
  ['a method in lower case', rawRequest('get', '/healthz', closing), []],
]

test.skipIf(onDeno).each(bare)('an answer that is not ours: %s', async (_, text, statuses) => {
  const reply = await send(text)
  // Nothing of the request comes back, and nothing of the service.
  expect([statusesOf(reply), isOurs(reply.text), bodyOf(reply.text)]).toEqual([statuses, false, ''])
})

test('no website may call the API: nothing allows another origin', async () => {
  const headers = {
    origin: 'https://evil.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }
  for (const path of [
    '/api/v1/leads',
    '/mcp',
    '/dashboard',
    '/api/v1/hooks',
    '/docs',
    '/healthz',
  ]) {
    const preflight = await fetch(api.service.url + path, { method: 'OPTIONS', headers })
    const names = [...preflight.headers.keys()].filter(name => name.startsWith('access-control-'))
    expect([path, preflight.ok, names]).toEqual([path, false, []])
  }
})
