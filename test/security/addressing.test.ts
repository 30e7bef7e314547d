// Which host and which path a request is for: what another program could read differently is refused, in the envelope.
import { expect, test } from 'bun:test'
import { dashboardSettings, password } from '../support/browser/dashboard.ts'
import { rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import { onDeno, useService } from '../support/http/service.ts'

const api = useService({ ...dashboardSettings, PUBLIC_URL: 'https://api.example.com' })
const closing = { Connection: 'close' }
const list = (text: string) => text.split(/\s+/)

/** The status, and what an answer of ours must have; Bun's own answers have none of it. */
async function ask(text: string) {
  const reply = await sendRaw(api.service.port, text)
  const [head = '', body = ''] = reply.text.split('\r\n\r\n')
  const isOurs =
    /^cache-control: no-store\r?$/im.test(head) && /^x-request-id: \S+\r?$/im.test(head)
  return { status: statusesOf(reply)[0], isOurs, code: /"code":"(\w+)"/.exec(body)?.[1] }
}
const get = (target: string, headers: object = {}) =>
  ask(rawRequest('GET', target, { ...closing, ...headers }))
const refused = (status: number, code: string) => ({ status, isOurs: true, code })

const dotted = list(`/api/v1/../../dashboard/sign-in /api/v1/%2e%2e/%2e%2e/dashboard/sign-in
  /api/v1/.%2E/%2e./dashboard/sign-in /api/v1\\..\\..\\healthz /api/v1/leads/../../../healthz /dashboard/../healthz
  /dashboard/%2e%2e/api/v1/leads /docs/../mcp /x/../healthz /./healthz /healthz/. /healthz/x/.. //healthz
  /api/v1/leads/.. /api/v1/kontakte/%2e%2e/haushalt /api/v1/kontakte/../leads /api/v1/./leads
  /api/v1/leads/../hooks?x=/api/v1/leads`)

test.skipIf(onDeno).each(dotted)('%s is no path of ours', async target => {
  expect(await get(target)).toEqual(refused(404, 'not_found'))
})

const hosts = [
  ...list(
    `<script> a,b a/b a@b a:b a:80:80 [::1 ::1 [::1]x a?b a#b a\\b ä.example a;b 1.2.3.4.5 x:99999 xn-- a%00`,
  ),
  ...['a b', 'a\tb'],
]

test.skipIf(onDeno)('odd hosts are none, and two are none, even if they are the same', async () => {
  for (const Host of hosts)
    expect([Host, await get('/healthz', { Host })]).toEqual([Host, refused(400, 'invalid_request')])
  for (const second of ['a', 'test'])
    for (const path of ['/healthz', '/dashboard', '/nowhere']) {
      const two = `Host: test\r\nHost: ${second}`
      const answer = await ask(`GET ${path} HTTP/1.1\r\n${two}\r\nConnection: close\r\n\r\n`)
      expect(answer).toEqual(refused(400, 'invalid_request'))
    }
})

test('a host may be called as names and addresses are', async () => {
  for (const Host of [
    'test',
    'TEST.example.',
    'a_b-c.example:3000',
    '127.0.0.1:1',
    '[::1]:3000',
    '',
  ])
    expect([Host, (await get('/healthz', { Host })).status]).toEqual([Host, 200])
})

/** What a browser would send from a page of `origin` to a service that it knows as `host`. */
async function signInFrom(origin: string, host: string) {
  const headers = { ...closing, Host: host, Origin: origin, 'X-Forwarded-For': '192.0.2.77' }
  const form = `password=${encodeURIComponent(password)}`
  const reply = await sendRaw(
    api.service.port,
    rawRequest('POST', '/dashboard/sign-in', headers, form),
  )
  return { text: reply.text, status: statusesOf(reply)[0] }
}

test.each([
  ['http://evil.example', 'evil.example', 403],
  ['https://evil.example', 'api.example.com', 403],
  ['http://api.example.com', 'api.example.com', 403],
  ['https://api.example.com.evil.example', 'api.example.com', 403],
  ['https://api.example.com:8443', 'api.example.com:8443', 403],
  ['http://127.0.0.1:1', '127.0.0.1:2', 403],
  ['http://localhost.evil.example', 'localhost.evil.example', 403],
  ['null', 'api.example.com', 403],
  ['https://api.example.com', 'api.example.com', 303],
  ['https://api.example.com', '10.0.0.5:3000', 303],
  ['http://127.0.0.1:3000', '127.0.0.1:3000', 303],
  ['http://[::1]:3000', '[::1]:3000', 303],
  ['http://localhost:3000', 'localhost:3000', 303],
])('a sign-in from a page of %s at the host %s is %d', async (origin, host, status) => {
  expect((await signInFrom(origin, host)).status).toBe(status)
})

test('an owner under a name that is not configured reads who can change that', async () => {
  expect((await signInFrom('https://crm.example', 'crm.example')).text).toContain('PUBLIC_URL')
  expect((await signInFrom('https://evil.example', 'crm.example')).text).not.toContain('PUBLIC_URL')
})
