// REST and tools are two faces of one thing: the same keys, scopes, limit, checks and codes. One table over
// (route and its tool) × (what can be wrong).
import { beforeAll, describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { tools } from '../../src/mcp/tools.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { type Scope, scopes } from '../../src/model/scope.ts'
import { startService } from '../../src/service.ts'
import { event } from '../support/factory.ts'
import { quietLog, sendTo, useService } from '../support/service.ts'
import { callTool, type Message } from '../support/tool_calls.ts'
import { until } from '../support/until.ts'

// Each request comes from an address of its own, so that failed authentications lock nobody out.
const api = useService({ RATE_LIMIT_PER_MINUTE: '240', TRUSTED_PROXIES: '127.0.0.1,::1' })
let address = 0
const someAddress = () => {
  address += 1
  return { 'x-forwarded-for': `198.51.100.${address % 256}` }
}

const id = '00000000-0000-4000-8000-000000000000'

type Input = { args: Message; path: string; code: ErrorCode }
type Pair = {
  name: string
  scope: Scope
  args: Message
  path: string
  bad: Input[]
  missing?: Input
}

const pairs: Pair[] = [
  {
    name: 'search_leads',
    scope: 'read:leads',
    args: { query: 'a' },
    path: '/leads?search=a',
    bad: [
      { args: { query: '' }, path: '/leads?search=', code: 'invalid_request' },
      { args: { query: 'a\n' }, path: '/leads?search=a%0A', code: 'invalid_request' },
      { args: { query: 'a\0' }, path: '/leads?search=a%00', code: 'invalid_request' },
      {
        args: { query: 'x'.repeat(201) },
        path: `/leads?search=${'x'.repeat(201)}`,
        code: 'invalid_request',
      },
      { args: { query: 'a', limit: 0 }, path: '/leads?search=a&limit=0', code: 'invalid_request' },
      {
        args: { query: 'a', limit: 201 },
        path: '/leads?search=a&limit=201',
        code: 'invalid_request',
      },
      {
        args: { query: 'a', limit: 1.5 },
        path: '/leads?search=a&limit=1.5',
        code: 'invalid_request',
      },
      {
        args: { query: 'a', limit: 1e21 },
        path: '/leads?search=a&limit=1e21',
        code: 'invalid_request',
      },
    ],
  },
  {
    name: 'get_lead',
    scope: 'read:leads',
    args: { lead_id: id },
    path: `/leads/${id}`,
    bad: [
      { args: { lead_id: '17' }, path: '/leads/17', code: 'invalid_id' },
      {
        args: { lead_id: id.replaceAll('-', '') },
        path: `/leads/${id.replaceAll('-', '')}`,
        code: 'invalid_id',
      },
    ],
    missing: { args: { lead_id: id }, path: `/leads/${id}`, code: 'not_found' },
  },
  {
    name: 'get_lead_analysis',
    scope: 'read:analyses',
    args: { lead_id: id },
    path: `/leads/${id}/analysis`,
    bad: [{ args: { lead_id: '17' }, path: '/leads/17/analysis', code: 'invalid_id' }],
    missing: { args: { lead_id: id }, path: `/leads/${id}/analysis`, code: 'not_found' },
  },
  {
    name: 'list_appointments',
    scope: 'read:appointments',
    args: {},
    path: '/appointments',
    bad: [
      {
        args: { from: '2026-02-30T00:00:00Z' },
        path: '/appointments?from=2026-02-30T00:00:00Z',
        code: 'invalid_request',
      },
      { args: { from: 'infinity' }, path: '/appointments?from=infinity', code: 'invalid_request' },
      { args: { status: '' }, path: '/appointments?status=', code: 'invalid_request' },
      { args: { offset: -1 }, path: '/appointments?offset=-1', code: 'invalid_request' },
    ],
  },
  {
    name: 'get_meeting_intelligence',
    scope: 'read:meetings',
    args: { meeting_id: id },
    path: `/meetings/${id}/intelligence`,
    bad: [{ args: { meeting_id: 'x' }, path: '/meetings/x/intelligence', code: 'invalid_id' }],
    missing: { args: { meeting_id: id }, path: `/meetings/${id}/intelligence`, code: 'not_found' },
  },
  {
    name: 'list_kontakte',
    scope: 'read:kontakte',
    args: {},
    path: '/kontakte',
    bad: [
      { args: { offset: 1_000_001 }, path: '/kontakte?offset=1000001', code: 'invalid_request' },
    ],
  },
  {
    name: 'get_haushalt',
    scope: 'read:kontakte',
    args: { key: 'a@example.org' },
    path: '/kontakte/a%40example.org',
    bad: [
      { args: { key: 'nobody' }, path: '/kontakte/nobody', code: 'invalid_request' },
      { args: { key: '' }, path: '/kontakte/', code: 'invalid_request' },
      {
        args: { key: 'a@example.org\0' },
        path: '/kontakte/a%40example.org%00',
        code: 'invalid_request',
      },
      {
        args: { key: 'a'.repeat(5_000) },
        path: `/kontakte/${'a'.repeat(5_000)}`,
        code: 'invalid_request',
      },
    ],
    missing: {
      args: { key: 'nobody@example.org' },
      path: '/kontakte/nobody@example.org',
      code: 'not_found',
    },
  },
  {
    name: 'list_events',
    scope: 'read:events',
    args: {},
    path: '/events',
    bad: [
      { args: { after: -1 }, path: '/events?after=-1', code: 'invalid_cursor' },
      { args: { after: 4711 }, path: '/events?after=4711', code: 'invalid_cursor' },
      { args: { after: 2 ** 53 }, path: `/events?after=${2 ** 53}`, code: 'invalid_cursor' },
      { args: { after: 1 }, path: '/events?after=1', code: 'cursor_expired' },
      {
        args: { types: ['lead.deleted'] },
        path: '/events?types=lead.deleted',
        code: 'invalid_types',
      },
      { args: { types: [] }, path: '/events?types=', code: 'invalid_types' },
      { args: { limit: 0 }, path: '/events?limit=0', code: 'invalid_request' },
    ],
  },
]

beforeAll(async () => {
  await api.sql`update feed set head = 3, horizon = 2`
  await event(api.sql, { cursor: 3, links: { lead_id: null, session_id: null }, data: {} })
})

type Asked = {
  code: string | undefined
  status: number
  headers: Headers
  isError: boolean
  message: string
}

const ask = {
  async rest(path: string, key: string | undefined): Promise<Asked> {
    const headers = {
      ...someAddress(),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    }
    const { status, headers: answered, body } = await sendTo(api.base, path, { headers })
    return {
      code: body.error?.code,
      message: body.error?.message,
      status,
      headers: answered,
      isError: false,
    }
  },
  async tool(name: string, args: Message, key: string | undefined): Promise<Asked> {
    const headers = { ...someAddress(), authorization: key === undefined ? '' : `Bearer ${key}` }
    const {
      envelope,
      status,
      headers: answered,
      isError,
    } = await callTool(api, name, args, headers)
    return {
      code: envelope.error?.code,
      message: envelope.error?.message,
      status,
      headers: answered,
      isError,
    }
  },
}

const both = (pair: Pair, key: string | undefined) =>
  Promise.all([ask.rest(pair.path, key), ask.tool(pair.name, pair.args, key)])

const expectHttp = (answers: Asked[], status: number, code: ErrorCode) => {
  for (const answer of answers) {
    expect([answer.status, answer.code, answer.isError]).toEqual([status, code, false])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w.-]+$/)
  }
  const [rest, tool] = answers
  const told = (answer?: Asked) => answer?.message.replace(/\d+ s/g, 'some s')
  expect(told(tool)).toBe(told(rest) ?? 'an answer')
  for (const name of ['www-authenticate', 'ratelimit-policy'])
    expect(tool?.headers.get(name)).toBe(rest?.headers.get(name) ?? null)
}

/** What REST tells by its status, a tool tells as an error that the model reads. */
const expectCode = ([rest, tool]: Asked[], code: ErrorCode) => {
  expect([rest?.code, tool?.code]).toEqual([code, code])
  expect([tool?.status, tool?.isError]).toEqual([200, true])
  expect(rest?.status).toBeGreaterThanOrEqual(400)
}

const keyIdOf = async (key: string) =>
  (await api.sql`select id from api_keys where prefix = ${key.slice(0, 12)}`)[0]?.id as string

test('every tool has its pair, and the scope of its route', () => {
  expect(pairs.map(({ name, scope }) => [name, scope])).toEqual(
    tools.map(({ name, scope }) => [name, scope]),
  )
})

describe.each(pairs)('$name and $path', pair => {
  test('no key: 401 missing_token', async () => {
    expectHttp(await both(pair, undefined), 401, 'missing_token')
  })

  test('an unknown key: 401 invalid_token', async () => {
    expectHttp(await both(pair, makeApiKey()), 401, 'invalid_token')
  })

  test('a revoked key: 401 invalid_token', async () => {
    const key = await api.makeKey(pair.scope)
    for (const { code } of await both(pair, key)) expect(code).not.toBe('invalid_token')
    await api.sql`update api_keys set revoked_at = now() where prefix = ${key.slice(0, 12)}`
    await until(async () => (await both(pair, key)).every(({ code }) => code === 'invalid_token'))
    expectHttp(await both(pair, key), 401, 'invalid_token')
  })

  test('a key of every scope but its own: missing_scope, named', async () => {
    const key = await api.makeKey(...scopes.filter(scope => scope !== pair.scope))
    const answers = await both(pair, key)
    expectCode(answers, 'missing_scope')
    for (const { message } of answers)
      expect(message).toBe(`This key lacks the scope ${pair.scope}.`)
  })

  test('over the limit: 429 rate_limited with Retry-After', async () => {
    const key = await api.makeKey(pair.scope)
    await api.sql`
      insert into rate_windows (key_id, seconds, totals, expired, granted)
      values (${await keyIdOf(key)}, array[extract(epoch from now())], '{240}', 0, 240)`
    const answers = await both(pair, key)
    expectHttp(answers, 429, 'rate_limited')
    for (const { headers } of answers) {
      expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|6[01])$/)
      expect(headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/)
    }
  })

  test('bad arguments: the code of the parameter', async () => {
    const key = await api.makeKey(pair.scope)
    for (const { args, path, code } of pair.bad)
      expectCode([await ask.rest(path, key), await ask.tool(pair.name, args, key)], code)
  })

  test('the scope is looked at before the arguments', async () => {
    const key = await api.makeKey('write:hooks')
    for (const { args, path } of pair.bad)
      expectCode([await ask.rest(path, key), await ask.tool(pair.name, args, key)], 'missing_scope')
  })

  if (pair.missing) {
    const { args, path, code } = pair.missing
    test('nothing there: not_found', async () => {
      const key = await api.makeKey(pair.scope)
      const answers = [await ask.rest(path, key), await ask.tool(pair.name, args, key)]
      expectCode(answers, code)
      expect(answers[1]?.message).toBe(answers[0]?.message ?? 'an answer')
    })
  }
})

test('of 300 requests over both faces with one key exactly 240 succeed', async () => {
  const key = await api.makeKey('read:kontakte')
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, turn) =>
      turn % 2 === 0 ? ask.rest('/kontakte', key) : ask.tool('list_kontakte', {}, key),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(240)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(60)
})

test('20 failed authentications at the tools lock a client out of REST too, but never a valid key', async () => {
  const own = await startService(readConfig({ PORT: '0' }), api.url, quietLog())
  const at = { ...api, service: own }
  const stranger = () =>
    callTool(at, 'list_kontakte', {}, { authorization: `Bearer ${makeApiKey()}` })
  try {
    for (let failures = 0; failures < 20; failures += 1) expect((await stranger()).status).toBe(401)
    expect((await stranger()).envelope.error.code).toBe('rate_limited')
    const headers = { authorization: `Bearer ${makeApiKey()}` }
    const rest = await sendTo(`${own.url}/api/v1`, '/kontakte', { headers })
    expect(rest.body.error.code).toBe('rate_limited')
    expect((await callTool(at, 'list_kontakte')).isError).toBe(false)
  } finally {
    await own.stop()
  }
})

test('a fault of ours is a tool error that quotes the request and says nothing of its cause', async () => {
  await api.sql`alter table haushalte rename to haushalte_away`
  const answers = [
    await ask.rest('/kontakte', api.key),
    await ask.tool('list_kontakte', {}, api.key),
  ]
  await api.sql`alter table haushalte_away rename to haushalte`
  expectCode(answers, 'internal_error')
  for (const { message, headers } of answers)
    expect(message).toBe(`Unexpected failure; quote request ${headers.get('x-request-id')}.`)
})
