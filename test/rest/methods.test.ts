// What HTTP asks of every path: HEAD like GET, other methods 405, unknown paths 404.
import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { restRoutes } from '../../src/api/rest/routes.ts'
import { bearer, onDeno, sendTo, useService } from '../support/http/service.ts'

const api = useService()
let leadId = ''

beforeAll(async () => {
  const [lead] = await api.sql`insert into leads (name) values ('Anna Beispiel') returning id`
  leadId = lead?.id
})

const samplePath = (path: string) =>
  path.replace('{key}', 'email%3Aanna%40example.org').replace(/\{\w+\}/g, leadId)

/** Everything the service sends back over one connection, as it is on the wire. */
function sendRaw(head: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(api.service.port, '127.0.0.1', () => socket.write(head))
  let received = ''
  socket.on('data', data => {
    received += data
  })
  socket.on('close', () => resolve(received))
  socket.on('error', reject)
  return promise
}

describe('HEAD', () => {
  // The runtime dates bodies only; what is left of the limit changes with every request.
  const varying = ['date', 'ratelimit']
  const headersOf = ({ headers }: { headers: Headers }) =>
    Object.fromEntries([...headers].filter(([name]) => !varying.includes(name)))

  const own = ['/healthz', '/readyz', '/docs', '/llms.txt', '/api/v1/openapi.json']
  const readable = restRoutes.filter(({ method }) => method === 'GET')
  const all = [...readable.map(({ path }) => `/api/v1${path}`), ...own]

  test.each(all)('%s answers as GET does, without a body', async path => {
    const url = api.service.url + samplePath(path)
    const headers = {
      ...bearer(api.key).headers,
      'x-request-id': 'same',
      'accept-encoding': 'identity',
    }
    const get = await fetch(url, { headers })
    const head = await fetch(url, { method: 'HEAD', headers })
    expect(head.status).toBe(get.status)
    expect(headersOf(head)).toEqual(headersOf(get))
    expect(Number(head.headers.get('content-length'))).toBe((await get.bytes()).length)
    expect(await head.text()).toBe('')
  })

  test('sends nothing behind the headers', async () => {
    const request = `HEAD /api/v1/leads HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${api.key}\r\nConnection: close\r\n\r\n`
    const received = await sendRaw(request)
    expect(received).toStartWith('HTTP/1.1 200')
    expect(received.split('\r\n\r\n')).toHaveLength(2)
    expect(received).toEndWith('\r\n\r\n')
  })

  test('is refused as GET is: without a key 401, without the scope 403', async () => {
    const key = await api.makeKey('read:signals')
    const refused = await Promise.all(
      [{}, bearer(key)].map(init => sendTo(api.base, '/leads', { ...init, method: 'HEAD' })),
    )
    expect(refused.map(({ status, text }) => [status, text])).toEqual([
      [401, ''],
      [403, ''],
    ])
  })
})

describe('every other method answers 405 with Allow,', () => {
  // Spec part 4 has one path with two methods, and one that cannot be read.
  const allowedOf: Record<string, string> = {
    '/api/v1/hooks': 'GET, HEAD, POST',
    '/api/v1/hooks/{hookId}': 'DELETE',
  }
  const paths = [
    ...new Set(restRoutes.map(({ path }) => `/api/v1${path}`)),
    ...['/api/v1/kontakte/', '/api/v1/openapi.json', '/docs', '/healthz', '/readyz'],
  ]

  test.each(paths)('with a key or without: %s', async path => {
    const allowed = allowedOf[path] ?? 'GET, HEAD'
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      method => !allowed.includes(method),
    )
    for (const method of others)
      for (const init of [{}, bearer(api.key)]) {
        const url = api.service.url + samplePath(path)
        const response = await fetch(url, { method, ...init })
        expect([method, response.status, response.headers.get('allow')]).toEqual([
          method,
          405,
          allowed,
        ])
        expect(response.headers.get('cache-control')).toBe('no-store')
        expect(response.headers.has('x-request-id')).toBe(true)
        expect(await response.json()).toEqual({
          api_version: 'v1',
          error: { code: 'invalid_request', message: `This path takes ${allowed}.` },
        })
      }
  })

  test('and so does HEAD where there is no GET', async () => {
    const head = { method: 'HEAD', ...bearer(api.key) }
    const response = await fetch(`${api.base}/hooks/${leadId}`, head)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'DELETE'])
  })

  test.each(['TRACE', 'PROPFIND', ...(onDeno ? [] : ['CONNECT'])])(
    'and so does %s',
    async method => {
      const received = await sendRaw(
        `${method} /api/v1/leads HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`,
      )
      expect(received).toStartWith('HTTP/1.1 405')
      expect(received).toMatch(/^allow: GET, HEAD\r$/im)
    },
  )
})

test.each([
  '/api',
  '/api/v1',
  '/api/v1/',
  '/api/v2/leads',
  '/api/v1/lead',
  '/api/v1/Leads',
  '/api/v1/leads/',
  '/api/v1//leads',
  `/api/v1/leads/${crypto.randomUUID()}/analyses`,
  '/api/v1/%6Ceads',
  '/docs/',
  '/docs/%2e%2e/package.json',
  '/.well-known/oauth-protected-resource',
  '/%ff',
])('%s is an unknown path: 404 not_found, before any question of keys or methods', async path => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const response = await fetch(api.service.url + path, { method })
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.has('x-request-id')).toBe(true)
    expect(await response.json()).toMatchObject({ api_version: 'v1', error: { code: 'not_found' } })
  }
})
