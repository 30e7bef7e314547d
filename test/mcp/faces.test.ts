// REST and tools are two faces of one thing: the same keys, scopes, limit, checks and codes. One table over (route and its
// tool) × (what can be wrong). The feed that these look at has head 3 and horizon 2.
import { beforeAll, describe, expect, test } from 'bun:test'
import { tools } from '../../src/api/mcp/tools.ts'
import { startService } from '../../src/api/start.ts'
import { readConfig } from '../../src/config/settings.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { scopes } from '../../src/model/scope.ts'
import { event } from '../support/database/factory.ts'
import { quietLog, sendTo, useService, useUpLimit } from '../support/http/service.ts'
import { callTool, type Message } from '../support/http/tool_calls.ts'
import { until } from '../support/until.ts'

const id = '00000000-0000-4000-8000-000000000000'
const many = 'lead.created,'.repeat(154)

type Given = [args: Message, code?: ErrorCode]
const refused = (code: ErrorCode, ...all: Message[]): Given[] => all.map(args => [args, code])

/** A tool and the route that answers the same, with arguments and the code of both; without one, they answer. */
const cases: [tool: string, route: string, given: Given[]][] = [
  [
    'search_leads',
    '/leads',
    [
      [{ query: 'a' }],
      ...refused('invalid_request', ...['a\n', 'a\0', 'x'.repeat(255)].map(query => ({ query }))),
      ...refused('invalid_request', ...[0, 201, 1.5, 1e21].map(limit => ({ query: 'a', limit }))),
    ],
  ],
  ['get_lead', '/leads/{}', [[{ lead_id: id }, 'not_found']]],
  ['get_lead', '/leads/{}', refused('invalid_id', { lead_id: '17' }, { lead_id: `${id}0` })],
  ['get_lead_analysis', '/leads/{}/analysis', [[{ lead_id: id }, 'not_found']]],
  ['get_lead_analysis', '/leads/{}/analysis', refused('invalid_id', { lead_id: '17' })],
  ['list_appointments', '/appointments', [[{}], ...refused('invalid_request', { offset: -1 })]],
  [
    'list_appointments',
    '/appointments',
    refused('invalid_request', { from: '2026-02-30T00:00:00Z' }, { from: 'infinity' }),
  ],
  ['get_meeting_intelligence', '/meetings/{}/intelligence', [[{ meeting_id: id }, 'not_found']]],
  ['get_meeting_intelligence', '/meetings/{}/intelligence', [[{ meeting_id: 'x' }, 'invalid_id']]],
  ['list_kontakte', '/kontakte', [[{}], [{ offset: 1_000_001 }, 'invalid_request']]],
  ['get_haushalt', '/kontakte/{}', [[{ key: 'keine@example.org' }, 'not_found']]],
  [
    'get_haushalt',
    '/kontakte/{}',
    refused(
      'invalid_request',
      ...['keine', '', 'a@example.org\0', 'a'.repeat(5_000)].map(key => ({ key })),
    ),
  ],
  [
    'list_events',
    '/events',
    [
      [{ limit: 1 }],
      [{ limit: 0 }, 'invalid_request'],
      [{ after: 1 }, 'cursor_expired'],
      ...refused('invalid_cursor', ...[-1, 4711, 2 ** 53].map(after => ({ after }))),
      ...refused('invalid_types', ...[['lead.deleted'], `${many}x`, []].map(types => ({ types }))),
    ],
  ],
]

/** Arguments of the tool, the path of REST, and the code of both. */
type Row = [tool: string, args: Message, path: string, code?: ErrorCode | undefined]

function pathOf(route: string, args: Message): string {
  if (route.includes('{}'))
    return route.replace('{}', encodeURIComponent(String(Object.values(args)[0])))
  const { query, ...others } = args
  return `${route}?${new URLSearchParams({ ...(query && { search: query }), ...others })}`
}

const rows = cases.flatMap(([tool, route, given]) =>
  given.map(([args, code]): Row => [tool, args, pathOf(route, args), code]),
)
const scopeOf = (name: string) => tools.find(tool => tool.name === name)?.scope ?? 'write:hooks'

// Each request comes from an address of its own, so that failed authentications lock no client out.
const api = useService({ RATE_LIMIT_PER_MINUTE: '240', TRUSTED_PROXIES: '127.0.0.1,::1' })
let address = 0

beforeAll(async () => {
  await api.sql`update feed set head_floor = 3, horizon = 2`
  await event(api.sql, { cursor: 3, links: { lead_id: null, session_id: null }, data: {} })
})

type Answer = {
  status: number
  headers: Headers
  isError: boolean
  error: { code?: string; message?: string }
}

async function both([name, args, path]: Row, key: string | undefined): Promise<[Answer, Answer]> {
  address += 1
  const headers = {
    'x-forwarded-for': `198.51.${address >> 8}.${address % 256}`,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }
  const [rest, tool] = await Promise.all([
    sendTo(api.base, path, { headers }),
    callTool(api, name, args, { authorization: '', ...headers }),
  ])
  const error = tool.envelope.error?.data?.error ?? tool.envelope.error ?? {}
  return [
    { ...rest, isError: false, error: rest.body.error ?? {} },
    { ...tool, error },
  ]
}

/** The same status, sentence and headers; a refusal before the message is read has the envelope in its error. */
const expectHttp = ([rest, tool]: [Answer, Answer], status: number, code: ErrorCode) => {
  const plain = ({ message }: Answer['error']) => message?.replace(/\d+ s/g, 'some s')
  for (const one of [rest, tool])
    expect([one.status, one.error.code, one.isError]).toEqual([status, code, false])
  expect(plain(tool.error)).toBe(plain(rest.error) ?? 'a sentence')
  for (const name of ['www-authenticate', 'ratelimit-policy', 'cache-control'])
    expect(tool.headers.get(name)).toBe(rest.headers.get(name))
}

/** What REST shows by its status, a tool shows as an error that the model reads. */
const expectCode = ([rest, tool]: [Answer, Answer], code: ErrorCode | undefined) => {
  expect([rest.error.code, tool.error.code]).toEqual([code, code])
  expect([tool.status, tool.isError]).toEqual([200, code !== undefined])
}

const firsts = tools.map(({ name }) => rows.find(row => row[0] === name) as Row)

describe.each(firsts)('%s', (...row) => {
  const scope = scopeOf(row[0])

  test('without a key, with an unknown and a revoked one: 401', async () => {
    expectHttp(await both(row, undefined), 401, 'missing_token')
    expectHttp(await both(row, makeApiKey()), 401, 'invalid_token')
    const key = await api.makeKey(scope)
    expectCode(await both(row, key), row[3])
    await api.sql`update api_keys set revoked_at = now() where prefix = ${key.slice(0, 12)}`
    const isRefused = ({ error }: Answer) => error.code === 'invalid_token'
    await until(async () => (await both(row, key)).every(isRefused))
    expectHttp(await both(row, key), 401, 'invalid_token')
  })

  test('over the limit: 429 with Retry-After', async () => {
    const key = await api.makeKey(scope)
    await useUpLimit(api.sql, key)
    const answers = await both(row, key)
    expectHttp(answers, 429, 'rate_limited')
    for (const { headers } of answers)
      expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|6[01])$/)
  })

  test('a key of every scope but its own: missing_scope before anything is validated', async () => {
    const key = await api.makeKey(...scopes.filter(one => one !== scope))
    for (const one of rows.filter(([name]) => name === row[0])) {
      const answers = await both(one, key)
      expectCode(answers, 'missing_scope')
      for (const { error } of answers)
        expect(error.message).toBe(`This key lacks the scope ${scope}.`)
    }
  })
})

test('every row has one code on both faces', async () => {
  for (const row of rows) {
    const [rest, tool] = await both(row, api.key)
    expect([row, rest.error.code, tool.error.code]).toEqual([row, row[3], row[3]])
    expectCode([rest, tool], row[3])
    if (row[3] === 'not_found') expect(tool.error.message).toBe(rest.error.message ?? 'a sentence')
  }
})

test('of 300 requests over both faces with one key exactly 240 succeed', async () => {
  const key = await api.makeKey('read:kontakte')
  const row: Row = ['list_kontakte', {}, '/kontakte']
  const answers = (await Promise.all(Array.from({ length: 150 }, () => both(row, key)))).flat()
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(240)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(60)
})

test('20 failed authentications at the tools lock a client out of REST too, but never a valid key', async () => {
  const own = await startService(readConfig({ PORT: '0' }), api.url, quietLog())
  const at = { ...api, service: own }
  const headers = () => ({ authorization: `Bearer ${makeApiKey()}` })
  try {
    for (let turn = 0; turn < 25; turn += 1)
      await callTool(at, 'list_kontakte', {}, { authorization: `Bearer "${api.key}"` })
    for (let failures = 0; failures < 20; failures += 1)
      expect((await callTool(at, 'list_kontakte', {}, headers())).status).toBe(401)
    const rest = await sendTo(`${own.url}/api/v1`, '/kontakte', { headers: headers() })
    expect(rest.body.error.code).toBe('rate_limited')
    expect((await callTool(at, 'list_kontakte')).isError).toBe(false)
  } finally {
    await own.stop()
  }
})

test('a fault of ours is a tool error that quotes the request and nothing of its cause', async () => {
  await api.sql`alter table listed_haushalte rename to listed_away`
  const answers = await both(['list_kontakte', {}, '/kontakte'], api.key)
  await api.sql`alter table listed_away rename to listed_haushalte`
  expectCode(answers, 'internal_error')
  for (const { error, headers } of answers)
    expect(error.message).toBe(`Unexpected failure; quote request ${headers.get('x-request-id')}.`)
})
