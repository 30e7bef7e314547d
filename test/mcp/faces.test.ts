// REST and tools are two faces of one thing: the same keys, scopes, limit, checks and codes. One table over
// (route and its tool) × (what can be wrong).
import { beforeAll, describe, expect, test } from 'bun:test'
import { tools } from '../../src/api/mcp/tools.ts'
import { startService } from '../../src/api/start.ts'
import { readConfig } from '../../src/config/settings.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { scopes } from '../../src/model/scope.ts'
import { event } from '../support/database/factory.ts'
import { useUpLimit } from '../support/http/limit.ts'
import { quietLog, sendTo, useService } from '../support/http/service.ts'
import { callTool, type Message } from '../support/http/tool_calls.ts'
import { until } from '../support/until.ts'
import { type FacePair, pairs } from './face_pairs.ts'

// Each request comes from an address of its own, so that failed authentications lock no one out.
const api = useService({ RATE_LIMIT_PER_MINUTE: '240', TRUSTED_PROXIES: '127.0.0.1,::1' })
let address = 0
const someAddress = () => {
  address += 1
  return { 'x-forwarded-for': `198.51.100.${address % 256}` }
}

beforeAll(async () => {
  await api.sql`update feed set head_floor = 3, horizon = 2`
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

const both = (pair: FacePair, key: string | undefined) =>
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
    await useUpLimit(api.sql, key)
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
