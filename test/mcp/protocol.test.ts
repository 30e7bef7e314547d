// Odd input to the tool server: the protocol's own error or a tool error, never 500, never a hang.
import { beforeAll, describe, expect, test } from 'bun:test'
import { lead } from '../support/factory.ts'
import { useService } from '../support/service.ts'
import {
  callTool,
  type Message,
  modernMeta,
  modernRpc,
  post,
  rpc,
  send,
  toolUrl,
} from '../support/tool_calls.ts'

const api = useService()
let leadId = ''

beforeAll(async () => {
  leadId = (await lead(api.sql)).id
})

const parameters = () => ({ name: 'get_lead', arguments: { lead_id: leadId } })

describe('a bare call', () => {
  test.each([
    {},
    { accept: '' },
    { accept: '*/*' },
    { accept: 'application/json' },
    { accept: 'text/event-stream' },
    { accept: 'text/html' },
    { 'content-type': 'application/json; charset=utf-8' },
    { 'mcp-session-id': 'some-session' },
    { 'mcp-protocol-version': '2025-03-26' },
    { 'mcp-protocol-version': '2025-06-18' },
    { 'mcp-protocol-version': '2025-11-25' },
  ])('with %p answers JSON without a handshake', async headers => {
    const {
      status,
      structured,
      headers: answered,
    } = await callTool(api, 'get_lead', { lead_id: leadId }, headers as Record<string, string>)
    expect([status, structured.data.id]).toEqual([200, leadId])
    expect(answered.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answered.get('cache-control')).toBe('no-store')
    expect(answered.get('x-content-type-options')).toBe('nosniff')
    expect(answered.get('ratelimit')).toMatch(/^"default";r=\d+;t=60$/)
    expect(answered.has('mcp-session-id')).toBe(false)
  })

  test.each([0, -1, 7, '', 'a', '0', 'ü"\\', Number.MAX_SAFE_INTEGER])(
    'with id %p gets it back',
    async id => {
      const { status, message } = await send(api, rpc('tools/call', parameters(), id))
      expect([status, message.id, message.result.structuredContent.data.id]).toEqual([
        200,
        id,
        leadId,
      ])
    },
  )

  test.each([[null], [1.5], [true], [{}], [[]]])('with id %p is no request', async id => {
    const { status, message } = await send(api, rpc('tools/call', parameters(), id))
    expect([status, message.error.code]).toEqual([400, -32600])
  })

  test('a progress token is taken and nothing streamed', async () => {
    const params = { ...parameters(), _meta: { progressToken: 1 } }
    const { status, message, headers } = await send(api, rpc('tools/call', params))
    expect([status, message.result.structuredContent.data.id]).toEqual([200, leadId])
    expect(headers.get('content-type')).toStartWith('application/json')
  })
})

describe('the handshake', () => {
  const initialize = (protocolVersion: string) =>
    rpc('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })

  test.each([
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('a client of %s is offered %s', async (asked, offered) => {
    const { status, message, headers } = await send(api, initialize(asked))
    expect([status, message.result.protocolVersion]).toEqual([200, offered])
    expect(message.result.capabilities).toEqual({ tools: {} })
    expect(message.result.serverInfo).toMatchObject({ name: 'workspace-data-api' })
    expect(message.result.instructions).toContain('never instructions')
    expect(headers.has('mcp-session-id')).toBe(false)
  })

  test('of 2026-07-28 is server/discover', async () => {
    const { message, headers } = modernRpc('server/discover')
    const reply = await send(api, message, headers)
    expect(reply.status).toBe(200)
    expect(reply.message.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
    })
  })

  test.each([
    { method: 'notifications/initialized' },
    { method: 'notifications/cancelled', params: { requestId: 1 } },
    { method: 'notifications/nobody_knows' },
  ])('%p is taken with 202 and no body', async notification => {
    const { status, text, headers } = await send(api, { jsonrpc: '2.0', ...notification })
    expect([status, text]).toEqual([202, ''])
    expect(headers.has('x-request-id')).toBe(true)
  })
})

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const text = (message: unknown) => JSON.stringify(message)

type Odd = [
  what: string,
  body: () => string | Uint8Array<ArrayBuffer>,
  status: number,
  code: number,
]
const odd: Odd[] = [
  ['no body', () => '', 400, -32700],
  ['half a message', () => '{"jsonrpc":"2.0",', 400, -32700],
  ['a word', () => 'hello', 400, -32700],
  ['bytes that are no UTF-8', () => new Uint8Array([0x22, 0xff, 0x22]), 400, -32700],
  ['null', () => 'null', 400, -32600],
  ['a number', () => '1', 400, -32600],
  ['an empty object', () => '{}', 400, -32600],
  ['an empty batch', () => '[]', 400, -32600],
  ['a batch', () => text([rpc('tools/call', parameters()), rpc('ping')]), 400, -32600],
  ['a version that is not 2.0', () => text({ ...rpc('ping'), jsonrpc: '1.0' }), 400, -32600],
  ['no version', () => text({ id: 1, method: 'ping' }), 400, -32600],
  ['a method that is a number', () => text({ ...rpc('ping'), method: 7 }), 400, -32600],
  ['an unknown method', () => text(rpc('tools/delete')), 200, -32601],
  ['a method of a feature that is not here', () => text(rpc('resources/list')), 200, -32601],
  ['a method named after an object’s own', () => text(rpc('constructor')), 200, -32601],
  [
    'an unknown tool',
    () => text(rpc('tools/call', { name: 'drop_leads', arguments: {} })),
    200,
    -32602,
  ],
  [
    'a tool named after an object’s own',
    () => text(rpc('tools/call', { name: 'constructor' })),
    200,
    -32602,
  ],
  ['no tool name', () => text(rpc('tools/call', { arguments: {} })), 200, -32602],
  ['a tool name that is a number', () => text(rpc('tools/call', { name: 1 })), 200, -32602],
  ['no parameters', () => text(rpc('tools/call')), 200, -32602],
  [
    'arguments that are null',
    () => text(rpc('tools/call', { name: 'get_lead', arguments: null })),
    200,
    -32602,
  ],
  [
    'arguments that are a list',
    () => text(rpc('tools/call', { name: 'get_lead', arguments: [] })),
    200,
    -32602,
  ],
  [
    'arguments that are text',
    () => text(rpc('tools/call', { name: 'get_lead', arguments: '{}' })),
    200,
    -32602,
  ],
  ['nothing but 30,000 brackets', () => deep(30_000), 400, -32600],
]

test.each(odd)('%s', async (_what, body, status, code) => {
  const reply = await post(api, body())
  expect([reply.status, reply.message.error.code]).toEqual([status, code])
  expect(reply.message.jsonrpc).toBe('2.0')
})

describe('arguments', () => {
  const canary = 'geheim-4711'
  const names = {
    get_lead: 'lead_id',
    search_leads: 'query',
    get_haushalt: 'key',
    list_events: 'types',
  }
  const values = [
    null,
    true,
    7,
    {},
    [],
    [7],
    { a: canary },
    [canary, 'a,b'],
    '\ud800',
    `${canary}\0`,
  ]

  test.each(Object.entries(names))(
    'of the wrong type to %s are refused, named and not repeated',
    async (name, argument) => {
      for (const value of values) {
        const {
          status,
          isError,
          envelope,
          text: answer,
        } = await callTool(api, name, { [argument]: value })
        expect([value, status, isError]).toEqual([value, 200, true])
        expect(['invalid_request', 'invalid_id', 'invalid_types']).toContain(envelope.error.code)
        expect(envelope.error.message).toStartWith(`${argument} must be `)
        expect(answer).not.toContain(canary)
      }
    },
  )

  test.each(['limit', 'offset'])('%s takes a whole number and nothing like one', async name => {
    for (const value of ['5', '', true, null, [5], {}, 1.5, 1e300, -0.5]) {
      const { isError, envelope } = await callTool(api, 'list_kontakte', { [name]: value })
      expect([value, isError, envelope.error?.code]).toEqual([value, true, 'invalid_request'])
    }
  })

  test('that are required are asked for', async () => {
    for (const [name, argument] of Object.entries({
      ...names,
      get_meeting_intelligence: 'meeting_id',
    })) {
      if (name === 'list_events') continue
      const { isError, envelope } = await callTool(api, name)
      expect([isError, envelope.error.message]).toEqual([
        true,
        expect.stringMatching(new RegExp(`^${argument} must be `)),
      ])
    }
  })

  test('beyond those of the tool are refused, and the tool’s are named', async () => {
    for (const more of [
      `{"${canary}":1}`,
      '{"__proto__":{"limit":5}}',
      '{"constructor":1}',
      '{"Limit":5}',
    ]) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_kontakte","arguments":${more}}}`
      const { message } = await post(api, body)
      const { error } = JSON.parse(message.result.content[0].text)
      expect(error).toEqual({
        code: 'invalid_request',
        message: 'This tool takes the arguments limit, offset alone.',
      })
    }
  })

  test('as deep as a body allows are refused', async () => {
    const body = (value: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_lead","arguments":{"lead_id":${value}}}}`
    for (const value of [deep(20_000), `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`]) {
      const { status, message } = await post(api, body(value))
      expect([status, message.result.isError]).toEqual([200, true])
    }
  })

  test('as deep, in a message that is not plain, end in an error of the protocol', async () => {
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":${deep(20_000)}}}}`
    const { status, message: answer } = await post(api, message)
    expect([status, answer.jsonrpc]).toEqual([200, '2.0'])
  })
})

describe('revision 2026-07-28', () => {
  const call = () => modernRpc('tools/call', parameters())

  test.each([
    ['another revision in the header', { 'mcp-protocol-version': '2025-11-25' }, -32020],
    ['another method in the header', { 'mcp-method': 'tools/list' }, -32020],
    ['another name in the header', { 'mcp-name': 'get_haushalt' }, -32020],
  ])('%s is 400', async (_what, headers, code) => {
    const { message, headers: right } = call()
    const reply = await send(api, message, { ...right, ...headers } as Record<string, string>)
    expect([reply.status, reply.message.error.code, reply.message.id]).toEqual([400, code, 1])
  })

  test.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])(
    'without %s it is 400',
    async name => {
      const { message, headers } = call()
      const rest = Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name))
      const reply = await send(api, message, rest as Record<string, string>)
      expect([reply.status, reply.message.error.code]).toEqual([400, -32020])
    },
  )

  test('without capabilities it is 400 and says so', async () => {
    const { message, headers } = call()
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    const reply = await send(
      api,
      { ...message, params: { ...parameters(), _meta } },
      headers as Record<string, string>,
    )
    expect([reply.status, reply.message.error.code]).toEqual([400, -32602])
  })

  test('what a client says of itself is taken', async () => {
    const { message, headers } = call()
    const more = {
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      progressToken: 3,
    }
    const reply = await send(
      api,
      { ...message, params: { ...parameters(), _meta: modernMeta(more) } },
      headers as Record<string, string>,
    )
    expect([reply.status, reply.message.result.structuredContent.data.id]).toEqual([200, leadId])
  })

  test('an unknown method is 404, and so is a stream of changes that never come', async () => {
    for (const method of ['tools/delete', 'subscriptions/listen']) {
      const { message, headers } = modernRpc(method, { notifications: {} })
      const reply = await send(api, message, headers as Record<string, string>)
      expect([method, reply.status, reply.message.error.code]).toEqual([method, 404, -32601])
    }
  })

  test('an unknown tool is an error of the protocol', async () => {
    const { message, headers } = modernRpc('tools/call', { name: 'drop_leads', arguments: {} })
    const reply = await send(api, message, headers as Record<string, string>)
    expect([reply.status, reply.message.error.code]).toEqual([200, -32602])
  })

  test.each(['2026-08-01', '2099-01-01', '9999'])(
    'a revision %s that is not served is refused',
    async revision => {
      const { message, headers } = call()
      const _meta = { ...modernMeta(), 'io.modelcontextprotocol/protocolVersion': revision }
      const reply = await send(api, { ...message, params: { ...parameters(), _meta } }, {
        ...headers,
        'mcp-protocol-version': revision,
      } as Record<string, string>)
      expect(reply.status).toBe(400)
      expect(reply.message.error.data.supported).toContain('2026-07-28')
    },
  )
})

test.each(['1999-01-01', 'x', '2025-06-19'])(
  'an older revision %s that is not served is 400',
  async revision => {
    const reply = await send(api, rpc('tools/call', parameters()), {
      'mcp-protocol-version': revision,
    })
    expect(reply.status).toBe(400)
    expect([-32000, -32602]).toContain(reply.message.error.code)
  },
)

describe('HTTP', () => {
  const raw = (init: RequestInit) => fetch(toolUrl(api), init)

  test.each(['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])(
    '%s is 405 with Allow: POST',
    async method => {
      const headers = { authorization: `Bearer ${api.key}`, accept: 'text/event-stream' }
      const response = await raw({ method, headers })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
      expect(response.headers.get('cache-control')).toBe('no-store')
    },
  )

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'Content-Type %p is 415',
    async type => {
      const reply = await send(api, rpc('ping'), { 'content-type': type })
      expect([reply.status, reply.message.error.code]).toEqual([415, 'invalid_request'])
    },
  )

  test('a body of 1 MB is 413, of a length told or not', async () => {
    const megabyte = text(rpc('tools/call', { name: 'x'.repeat(1_000_000) }))
    const chunks = new ReadableStream({
      start(controller) {
        for (let start = 0; start < megabyte.length; start += 10_000)
          controller.enqueue(new TextEncoder().encode(megabyte.slice(start, start + 10_000)))
        controller.close()
      },
    })
    for (const body of [megabyte, chunks]) {
      const reply = await post(api, body)
      expect([reply.status, reply.message.error.code]).toEqual([413, 'invalid_request'])
    }
  })

  test('a body in chunks below the limit is read', async () => {
    const message = new TextEncoder().encode(text(rpc('tools/call', parameters())))
    const chunks = new ReadableStream({
      start(controller) {
        for (const byte of message) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      },
    })
    const { status, message: answer } = await post(api, chunks)
    expect([status, answer.result.structuredContent.data.id]).toEqual([200, leadId])
  })

  test('the id of the request comes back', async () => {
    for (const message of [rpc('tools/call', parameters()), rpc('ping'), {}])
      expect(
        (await send(api, message, { 'x-request-id': 'mine' })).headers.get('x-request-id'),
      ).toBe('mine')
  })

  test.each([
    ['https://evil.example', 403],
    ['http://127.0.0.1.evil.example', 403],
    ['http://localhost.evil.example:3000', 403],
    ['null', 403],
    ['file://', 403],
    ['http://localhost:6274', 200],
    ['http://127.0.0.1:1', 200],
    ['http://[::1]:1', 200],
  ])('Origin %s: %d', async (origin, status) => {
    const reply = await send(api, rpc('tools/call', parameters()), { origin })
    expect(reply.status).toBe(status)
    if (status === 403)
      expect(reply.message).toMatchObject({ api_version: 'v1', error: { code: 'invalid_request' } })
  })

  test('a foreign Origin learns nothing of keys', async () => {
    const reply = await send(api, rpc('ping'), {
      origin: 'https://evil.example',
      authorization: '',
    })
    expect(reply.status).toBe(403)
    expect(reply.headers.has('www-authenticate')).toBe(false)
  })

  test.each([
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/mcp',
    '/.well-known/openid-configuration',
    '/mcp/.well-known/openid-configuration',
    '/register',
    '/mcp/',
    '/mcp/x',
  ])('%s is a plain 404: nothing here speaks OAuth', async path => {
    for (const method of ['GET', 'POST']) {
      const response = await fetch(api.service.url + path, { method })
      expect(response.status).toBe(404)
      expect(response.headers.has('www-authenticate')).toBe(false)
      expect(await response.json()).toMatchObject({ error: { code: 'not_found' } })
    }
  })

  test('401 names no authorization server', async () => {
    const reply = await send(api, rpc('ping'), { authorization: '' })
    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="workspace-data-api"')
  })
})

test('the service’s own address is an Origin it takes', async () => {
  const { startService } = await import('../../src/service.ts')
  const { readConfig } = await import('../../src/config.ts')
  const { quietLog } = await import('../support/service.ts')
  const config = readConfig({ PORT: '0', PUBLIC_URL: 'https://daten.example' })
  const own = await startService(config, api.url, quietLog())
  const at = { ...api, service: { ...own, url: `http://127.0.0.1:${own.port}` } }
  const statusOf = async (origin: string): Promise<Message> =>
    (await send(at, rpc('ping'), { origin })).status
  try {
    expect(await statusOf('https://daten.example')).toBe(200)
    expect(await statusOf('https://andere.example')).toBe(403)
  } finally {
    await own.stop()
  }
})
