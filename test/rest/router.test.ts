// A walk over every route there is: none answers without a key, none to a key of other scopes.
import { describe, expect, test } from 'bun:test'
import { basePath, restRoutes } from '../../src/api/rest/routes.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { scopes } from '../../src/model/scope.ts'
import { bearer, sendTo, type TestReply, useService } from '../support/http/service.ts'

const api = useService()

const samplePath = (path: string) =>
  path.replace('{key}', 'email%3Aanna%40example.org').replace(/\{\w+\}/g, () => crypto.randomUUID())

function expectFailure(reply: TestReply, status: number, code: string) {
  expect([reply.status, reply.body]).toEqual([
    status,
    { api_version: 'v1', error: { code, message: expect.any(String) } },
  ])
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(reply.headers.get('cache-control')).toBe('no-store')
  expect(reply.headers.get('x-request-id')).toMatch(/^[\w.-]{1,128}$/)
}

describe.each(restRoutes)('$method $path', ({ method, path, scope }) => {
  const badBody: RequestInit = method === 'POST' ? { body: '{' } : {}
  const send = (init: RequestInit) => sendTo(api.base, samplePath(path), { method, ...init })

  test('without a key answers 401 missing_token', async () => {
    const reply = await send({})
    expectFailure(reply, 401, 'missing_token')
    expect(reply.headers.get('www-authenticate')).toStartWith('Bearer ')
  })

  test('with an unknown key answers 401 invalid_token', async () => {
    const reply = await send(bearer(makeApiKey()))
    expectFailure(reply, 401, 'invalid_token')
    expect(reply.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  test('with a key of every scope but its own answers 403 missing_scope', async () => {
    const key = await api.makeKey(...scopes.filter(one => one !== scope))
    const reply = await send(bearer(key))
    expectFailure(reply, 403, 'missing_scope')
    expect(reply.body.error.message).toContain(scope)
    expect(reply.headers.get('www-authenticate')).toContain(
      `error="insufficient_scope", scope="${scope}"`,
    )
    expect(reply.headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/)
  })

  test('with a key of its scope alone is let in', async () => {
    const key = await api.makeKey(scope)
    expect([200, 201, 400, 404]).toContain((await send(bearer(key))).status)
  })

  test('with bad input and no key answers 401: who is not known learns nothing', async () => {
    const bad = samplePath(path).replace(/[0-9a-f]{8}-[\w-]+/, 'no-uuid')
    expectFailure(
      await sendTo(api.base, `${bad}?limit=x&%ff`, { method, ...badBody }),
      401,
      'missing_token',
    )
  })

  test('with bad input and without the scope answers 403: the scope is looked at first', async () => {
    const bad = samplePath(path).replace(/[0-9a-f]{8}-[\w-]+/, 'no-uuid')
    const key = await api.makeKey(...scopes.filter(one => one !== scope))
    const sent = { method, ...badBody, ...bearer(key) }
    expectFailure(await sendTo(api.base, `${bad}?limit=x&%ff`, sent), 403, 'missing_scope')
  })
})

test('the walk covers every path below the base path that Elysia serves', async () => {
  const { buildApp } = await import('../../src/api/app.ts')
  const page = async () => new Response()
  const pages = { origin: () => 'http://test', assets: {}, readyz: page, dashboard: page }
  const served = new Set(buildApp({} as never, pages).routes.map(({ path }) => path))
  const registered = [
    ...new Set(restRoutes.map(({ path }) => basePath + path.replace(/\{(\w+)\}/g, ':$1'))),
  ]
  const withEmptyKey = registered
    .filter(path => path.includes(':key'))
    .map(path => path.replace(':key', ''))
  expect([...served].toSorted()).toEqual(
    [
      ...[...registered, ...withEmptyKey, '/healthz', '/readyz', '/mcp'],
      ...['/', '/dashboard', '/dashboard/*'],
    ].toSorted(),
  )
})

test('an empty key in the path needs a key and a scope like any other', async () => {
  for (const path of ['/kontakte/', '/kontakte//haushalt']) {
    expectFailure(await sendTo(api.base, path), 401, 'missing_token')
    const key = await api.makeKey('read:leads')
    expectFailure(await sendTo(api.base, path, bearer(key)), 403, 'missing_scope')
  }
})

test('a path with a slash at its end is unknown, and the answer names the one without', async () => {
  for (const [path, meant] of [
    ['/leads/', '/api/v1/leads'],
    ['/leads/4711//?limit=5', '/api/v1/leads/{leadId}'],
    ['/hooks/sample/', '/api/v1/hooks/sample'],
    ['/kontakte/email%3Aa%40example.org/haushalt/', '/api/v1/kontakte/{key}/haushalt'],
  ] as const) {
    const reply = await sendTo(api.base, path)
    expectFailure(reply, 404, 'not_found')
    expect(reply.body.error.message).toEndWith(`leave out the slash at its end: ${meant}.`)
  }
  const { body } = await sendTo(api.base, '/lead/')
  expect(body.error.message).toEndWith('/api/v1/openapi.json lists the paths of the API.')
})

test('a path that a client mistakes is unknown, and the answer names the one that was meant', async () => {
  const { origin } = new URL(api.base)
  for (const [path, meant] of [
    ['/api/v1/Leads?limit=5', '/api/v1/leads'],
    ['/API/V1/leads/4711/Analysis', '/api/v1/leads/{leadId}/analysis'],
    ['/api/v1//leads', '/api/v1/leads'],
    ['/leads', '/api/v1/leads'],
    ['/v1/hooks/sample', '/api/v1/hooks/sample'],
    ['/api/v1/mcp', '/mcp'],
  ] as const) {
    const reply = await sendTo(origin, path)
    expectFailure(reply, 404, 'not_found')
    expect(reply.body.error.message).toEndWith(`paths are exact, and this one is ${meant}.`)
  }
  for (const path of ['/api/v1', '/api/v1/', '/api/v2/leads', '/api/v1/lead']) {
    const { body } = await sendTo(origin, path)
    expect(body.error.message).toEndWith('/api/v1/openapi.json lists the paths of the API.')
  }
  for (const path of ['/kontakte/0171/3920001', '/kontakte/phone:0171/3920001/haushalt']) {
    const { body } = await sendTo(api.base, path)
    expect(body.error.message).toEndWith('a slash inside a key is written %2F.')
  }
  const { body } = await sendTo(origin, '/mcp/')
  expect(body.error.message).toEndWith('leave out the slash at its end: /mcp.')
})

test('a long path of slashes is refused at once', async () => {
  const started = performance.now()
  const reply = await sendTo(new URL(api.base).origin, `/api${'/'.repeat(16_000)}leads/x/y`)
  expectFailure(reply, 404, 'not_found')
  expect(performance.now() - started).toBeLessThan(1_000)
})
