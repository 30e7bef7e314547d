// What HTTP asks of every path, and requests as they come over the wire: HEAD, other methods, bodies in pieces, odd bytes.
import { beforeAll, expect, test } from 'bun:test'
import { startService } from '../../src/api/start.ts'
import { routes } from '../../src/operations/contract.ts'
import { connectRaw, rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import {
  allowedTargets,
  bearer,
  onDeno,
  postHook,
  quietLog,
  subscriptionBody,
  useService,
} from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'

const api = useService({ ...allowedTargets, HOOKS_MAX: '10000' })
const good = JSON.stringify(subscriptionBody())
let leadId = ''

beforeAll(async () => {
  const [lead] = await api.sql`insert into leads (name) values ('Anna Beispiel') returning id`
  leadId = lead?.id
})

const sample = (path: string) =>
  path.replace('{key}', 'email%3Aanna%40example.org').replace(/\{\w+\}/g, leadId)
const own = ['/healthz', '/readyz', '/docs', '/api/v1/openapi.json']
const served = [...new Set(routes.map(({ path }) => `/api/v1${path}`)), ...own]
// Spec part 4 has one path with two methods, and one that cannot be read.
const allowedOf = (path: string) =>
  ({ '/api/v1/hooks': 'GET, HEAD, POST', '/api/v1/hooks/{hookId}': 'DELETE' })[path] ?? 'GET, HEAD'

test.each(served.filter(path => allowedOf(path).includes('HEAD')))(
  'HEAD %s answers as GET does, without a body',
  async path => {
    const headers = {
      ...bearer(api.key).headers,
      ...{ 'x-request-id': 'same', 'accept-encoding': 'identity' },
    }
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map(method => fetch(api.service.url + sample(path), { method, headers })),
    )
    // The runtime dates bodies only; what is left of the limit changes with every request.
    const headersOf = (response?: Response) =>
      [...(response?.headers ?? [])].filter(([name]) => !['date', 'ratelimit'].includes(name))
    expect([head?.status, headersOf(head)]).toEqual([get?.status as number, headersOf(get)])
    expect(Number(head?.headers.get('content-length'))).toBe((await get?.bytes())?.length as number)
    expect(await head?.text()).toBe('')
  },
)

test.each(served)('%s answers every other method 405 with Allow', async path => {
  const allow = allowedOf(path)
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  for (const method of methods.filter(method => !allow.includes(method)))
    for (const init of [{}, bearer(api.key)]) {
      const response = await fetch(api.service.url + sample(path), { method, ...init })
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, allow])
      const error = { code: 'invalid_request', message: `This path takes ${allow}.` }
      if (method !== 'HEAD')
        expect(await response.json()).toEqual({ api_version: 'v1', error } as never)
    }
})

test.each([
  ...['/api', '/api/v1', '/api/v2/leads', '/docs/', '/docs/%2e%2e/package.json', '/%ff'],
  ...['/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server'],
  ...['/register', '/mcp/', `/api${'/'.repeat(16_000)}leads/x/y`],
])('%.50s is unknown before any question of keys or methods', async path => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const response = await fetch(api.service.url + path, { method })
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store'])
    expect(await response.json()).toMatchObject({ api_version: 'v1', error: { code: 'not_found' } })
  }
})

const send = (bytes: string | Buffer, manner = {}) => sendRaw(api.service.port, bytes, manner)
const closing = () => ({ Authorization: `Bearer ${api.key}`, Connection: 'close' })

// The runtime closes the connection for a method that it does not know: docs/operations/proxy.md.
test.each(['TRACE', 'PROPFIND', 'PURGE', ...(onDeno ? [] : ['CONNECT'])])(
  '%s answers 405',
  async method => {
    const { text } = await send(rawRequest(method, '/api/v1/leads', { Connection: 'close' }))
    expect(text).toStartWith('HTTP/1.1 405')
    expect(text).toMatch(/^allow: GET, HEAD\r$/im)
  },
)

test.each(['HTTP/1.0\r\n', 'HTTP/1.1\r\nHost:\r\n', 'HTTP/1.1\r\nHost: x\r\n'])(
  'a request line with %j finds its path',
  async line => {
    const key = `Authorization: Bearer ${api.key}\r\nConnection: close\r\n\r\n`
    expect((await send(`GET /api/v1/leads?limit=1 ${line}${key}`)).text).toMatch(
      /^HTTP\/1\.[01] 200/,
    )
  },
)

// As a client of another encoding than UTF-8 sends an umlaut.
test.skipIf(onDeno).each([
  ['/leads?search=M\xfcller', 'invalid_request'],
  ['/leads?\xe4=1', 'invalid_request'],
  ['/leads/\xe4', 'invalid_id'],
  ['/events?types=\xe4', 'invalid_types'],
  ['/kontakte/m\xfcller@example.org', 'invalid_request'],
])('bytes that are no UTF-8 are refused: %j', async (path, code) => {
  const bytes = Buffer.from(rawRequest('GET', `/api/v1${path}`, closing()), 'latin1')
  const reply = await send(bytes)
  expect(statusesOf(reply)).toEqual([400])
  expect(reply.text).toContain(`"code":"${code}"`)
})

test('the same text in UTF-8 is taken as it is, without percent-encoding too', async () => {
  const reply = await send(rawRequest('GET', '/api/v1/leads?search=Müller', closing()))
  expect(statusesOf(reply)).toEqual([200])
})

test('a body on a GET is ignored, and above 64 KiB refused', async () => {
  const get = async (body: string) =>
    statusesOf(await send(rawRequest('GET', '/api/v1/leads', closing(), body)))
  expect([await get('{"limit":1}'), await get('x'.repeat(65_537))]).toEqual([[200], [413]])
})

const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
const having = (name: string, json: string) => `${good.slice(0, -1)},"${name}":${json}}`

test.each([
  ['a byte order mark before it', `\ufeff${good}`],
  ['unknown members, nested deeply', having('filter', nested)],
  ['__proto__ as a member', having('__proto__', '{"label":5,"source":"x"}')],
  ['a member twice: the last counts', having('label', '5,"label":"last"')],
  ['escapes', good.replace('target_url', '\\u0074arget_url')],
  ['a label of 200 foxes', having('label', JSON.stringify('🦊'.repeat(200)))],
  ['64 KiB', good + ' '.repeat(65_536 - good.length)],
])('a body with %s is taken, whatever its Content-Type', async (_what, body) => {
  for (const type of ['application/json', 'text/plain', 'multipart/form-data', 'nonsense'])
    expect((await postHook(api, body, { 'content-type': type })).status).toBe(201)
})

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const end = '0\r\n\r\n'
const big = good + ' '.repeat(65_537 - good.length)

/** Sends the head, then each piece once the one before is gone. */
async function post(head: Record<string, string>, pieces: string[], port = api.service.port) {
  const socket = await connectRaw(port)
  const { promise, resolve } = Promise.withResolvers<string>()
  let received = ''
  socket.on('data', data => {
    received += data
  })
  socket.on('error', () => {}).on('close', () => resolve(received))
  socket.write(rawRequest('POST', '/api/v1/hooks', { ...closing(), ...head }))
  for (const piece of pieces)
    if (!socket.destroyed) await new Promise(done => socket.write(piece, done))
  return await promise
}

const chunked = { 'Transfer-Encoding': 'chunked' }

test.each([
  ['without a Content-Type', { 'Content-Length': String(good.length) }, [good], 201],
  ['in many chunks', chunked, [...[...good].map(chunk), end], 201],
  ['of no length', {}, [], 400],
  ['of no chunks', chunked, [end], 400],
  ['too large by its length', { 'Content-Length': String(big.length) }, [big], 413],
  ['larger than a number counts', { 'Content-Length': '9007199254740992' }, [], 413],
  ['too large without a length', chunked, [chunk(big), end], 413],
  ...(onDeno
    ? []
    : [['without an end', chunked, Array(80).fill(chunk('x'.repeat(1_000))), 413] as const]),
] as [string, Record<string, string>, string[], number][])(
  'a body %s is answered %#',
  async (_what, head, pieces, status) => {
    expect(await post(head, pieces)).toStartWith(`HTTP/1.1 ${status}`)
  },
)

test('a body that stops in the middle answers 408 before the request is given up', async () => {
  const config = testConfig({ STATEMENT_TIMEOUT_MS: '1000', RATE_LIMIT_PER_MINUTE: '1000000' })
  const hasty = await startService(config, api.url, quietLog())
  const reply = await post({ 'Content-Length': '100' }, [good.slice(0, 20)], hasty.port)
  expect(reply).toStartWith('HTTP/1.1 408')
  await hasty.stop()
})

test('a client that goes away in the middle of its body leaves nothing', async () => {
  const countOf = async () => (await api.send('/hooks')).body.meta.count
  const before = await countOf()
  const socket = await connectRaw(api.service.port)
  const head = { ...closing(), 'Content-Length': String(good.length) }
  const begun = rawRequest('POST', '/api/v1/hooks', head) + good.slice(0, 30)
  await new Promise(done => socket.write(begun, done))
  socket.destroy()
  expect((await postHook(api, good)).status).toBe(201)
  expect(await countOf()).toBe(before + 1)
})
