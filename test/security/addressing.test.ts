// Which host and which path a request is for: what another program could read differently is refused, in the envelope.
import { expect, test } from 'bun:test'
import { dashboardSettings, password } from '../support/browser/dashboard.ts'
import { useDatabase } from '../support/database/database.ts'
import { rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import { onDeno, quietLog, useServiceOn } from '../support/http/service.ts'
import { attacks } from './attacks.ts'

let unknownOrigins = 0
const log = quietLog()
log.subscribe(({ name }) => {
  if (name === 'origin_unknown') unknownOrigins += 1
})
const database = useDatabase()
const api = useServiceOn(database, () => ({
  url: database.url,
  settings: { ...dashboardSettings, PUBLIC_URL: 'https://api.example.com' },
  log,
}))

/** The status, and what an answer of ours must have; Bun's own answers have none of it. */
function shown(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return {
    status: statusesOf({ text: head, closed: true })[0],
    noStore: /^cache-control: no-store\r?$/im.test(head),
    requestId: /^x-request-id: \S+\r?$/im.test(head),
    code: /"code":"(\w+)"/.exec(body)?.[1],
  }
}

const refused = (status: number, code: string) => ({ status, noStore: true, requestId: true, code })

const closing = { Connection: 'close' }

const dotted = [
  '/api/v1/../../dashboard/sign-in',
  '/api/v1/%2e%2e/%2e%2e/dashboard/sign-in',
  '/api/v1/.%2E/%2e./dashboard/sign-in',
  '/api/v1\\..\\..\\healthz',
  '/api/v1/leads/../../../healthz',
  '/dashboard/../healthz',
  '/dashboard/%2e%2e/api/v1/leads',
  '/docs/../mcp',
  '/x/../healthz',
  '/./healthz',
  '/healthz/.',
  '/healthz/x/..',
  '//healthz',
  '/api/v1/leads/..',
  '/api/v1/kontakte/%2e%2e/haushalt',
  '/api/v1/kontakte/../leads',
  '/api/v1/./leads',
  '/api/v1/leads/../hooks?x=/api/v1/leads',
]

const hosts = [
  'a b',
  '<script>',
  'a,b',
  'a/b',
  'a@b',
  'a:b',
  'a:80:80',
  '[::1',
  '::1',
  '[::1]x',
  'a?b',
  'a#b',
  'a\\b',
  'a\tb',
  'ä.example',
  'a;b',
  // Such as new URL refuses.
  '1.2.3.4.5',
  'x:99999',
  'xn--',
  'a%00',
]

const attack = attacks('addressing', onDeno ? 0 : dotted.length + hosts.length + 8)

test.skipIf(onDeno).each(dotted)('%s is no path of ours', async target => {
  const { text } = await sendRaw(api.service.port, rawRequest('GET', target, closing))
  expect(shown(text)).toEqual(refused(404, 'not_found'))
  attack.held()
})

test.skipIf(onDeno).each(hosts)('no host is called "%s"', async host => {
  const headers = { ...closing, Host: host }
  const { text } = await sendRaw(api.service.port, rawRequest('GET', '/healthz', headers))
  expect(shown(text)).toEqual(refused(400, 'invalid_request'))
  attack.held()
})

test.skipIf(onDeno)('two hosts are none, even if they are the same', async () => {
  for (const hosts of ['a', 'test'])
    for (const path of ['/healthz', '/dashboard', '/nowhere']) {
      const text = `GET ${path} HTTP/1.1\r\nHost: test\r\nHost: ${hosts}\r\nConnection: close\r\n\r\n`
      const reply = await sendRaw(api.service.port, text)
      expect(shown(reply.text)).toEqual(refused(400, 'invalid_request'))
      attack.held()
    }
})

test.each(['test', 'TEST.example.', 'a_b-c.example:3000', '127.0.0.1:1', '[::1]:3000', ''])(
  'a host may be called "%s"',
  async Host => {
    const { text } = await sendRaw(
      api.service.port,
      rawRequest('GET', '/healthz', { ...closing, Host }),
    )
    expect(shown(text).status).toBe(200)
  },
)

/** What a browser would send from a page of `origin` to a service that it knows as `host`. */
const signInFrom = (origin: string, host: string) =>
  sendRaw(
    api.service.port,
    rawRequest(
      'POST',
      '/dashboard/sign-in',
      { ...closing, Host: host, Origin: origin, 'X-Forwarded-For': '192.0.2.77' },
      `password=${encodeURIComponent(password)}`,
    ),
  ).then(({ text }) => ({ text, status: shown(text).status }))

test.each([
  ['http://evil.example', 'evil.example'],
  ['https://evil.example', 'api.example.com'],
  ['http://api.example.com', 'api.example.com'],
  ['https://api.example.com.evil.example', 'api.example.com'],
  ['https://api.example.com:8443', 'api.example.com:8443'],
  ['http://127.0.0.1:1', '127.0.0.1:2'],
  ['http://localhost.evil.example', 'localhost.evil.example'],
  ['null', 'api.example.com'],
])('a sign-in from a page of %s at the host %s is refused', async (origin, host) => {
  expect((await signInFrom(origin, host)).status).toBe(403)
  attack.held()
})

test.each([
  ['https://api.example.com', 'api.example.com'],
  ['https://api.example.com', '10.0.0.5:3000'],
  ['http://127.0.0.1:3000', '127.0.0.1:3000'],
  ['http://[::1]:3000', '[::1]:3000'],
  ['http://localhost:3000', 'localhost:3000'],
])('a sign-in from our own page %s at the host %s passes', async (origin, host) => {
  expect((await signInFrom(origin, host)).status).toBe(303)
})

test.skipIf(onDeno)(
  'an owner under a name that is not configured shows in the log, once',
  async () => {
    for (const name of ['crm.example', 'crm.example', 'other.example'])
      expect((await signInFrom(`https://${name}`, name)).status).toBe(403)
    expect(unknownOrigins).toBe(1)
  },
)

test('an owner under a name that is not configured reads who can change that', async () => {
  const refused = await signInFrom('https://crm.example', 'crm.example')
  expect(refused.text).toContain('PUBLIC_URL')
  expect((await signInFrom('https://evil.example', 'crm.example')).text).not.toContain('PUBLIC_URL')
})
