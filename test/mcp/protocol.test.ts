// Odd input to the tool server: the protocol's own error or a tool error, never 500, never a hang.
import { beforeAll, describe, expect, test } from 'bun:test'
import { withReadableReport } from '../../src/api/mcp/invalid_params.ts'
import { lead } from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'
import {
  callTool,
  deep,
  modernMeta,
  modernRpc,
  post,
  rpc,
  send,
} from '../support/http/tool_calls.ts'

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
    } = await callTool(api, 'get_lead', { lead_id: leadId }, headers)
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

test.each([
  ['initialize', undefined, 'params must be of type object.'],
  [
    'initialize',
    { protocolVersion: 7, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    'params.protocolVersion must be of type string.',
  ],
  ['tools/list', { cursor: 7 }, 'params.cursor must be of type string.'],
  ['tools/call', {}, 'params.name must be of type string.'],
  ['tools/call', { name: 'get_lead', arguments: [] }, 'params.arguments must be of type object.'],
])('%s with params %j is told what would have been right', async (method, params, sentence) => {
  const { status, message } = await send(api, rpc(method, params))
  expect(status).toBe(200)
  expect(message).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: sentence } })
})

const initializeWith = (members: Record<string, unknown>) =>
  rpc('initialize', {
    ...{ protocolVersion: '2025-11-25', capabilities: {} },
    clientInfo: { name: 'test', version: '1' },
    ...members,
  })

test('what a client names in wrong params is not repeated, and many faults are a few sentences', async () => {
  const named = initializeWith({ capabilities: { experimental: { 'geheim-4711': 1 } } })
  const { text } = await send(api, named)
  expect(text).toContain('params.capabilities.experimental has a member that is not')
  expect(text).not.toContain('geheim-4711')
  const icons = Array(20_000).fill(1)
  const many = await send(api, initializeWith({ clientInfo: { name: 'a', version: '1', icons } }))
  expect([many.status, many.message.error.code]).toEqual([200, -32602])
  expect(many.text.length).toBeLessThan(1_000)
})

test('sentences stay whole, and a long name within one is cut', async () => {
  const capabilities = { sampling: 1, elicitation: 1, experimental: 1 }
  const { message } = await send(api, initializeWith({ protocolVersion: 7, capabilities }))
  expect(message.error.message.split('. ').toSorted()).toEqual([
    'params.capabilities.elicitation must be of type object.',
    'params.capabilities.experimental must be of type object',
    'params.capabilities.sampling must be of type object',
    'params.protocolVersion must be of type string',
  ])
  const report = [{ path: ['params', 'n'.repeat(5_000)], expected: 'string' }]
  const error = { code: -32602, message: `Invalid params: ${JSON.stringify(report, null, 2)}` }
  const readable = withReadableReport(
    JSON.stringify({ jsonrpc: '2.0', id: 1, error }),
    { id: 1 },
    null,
  )
  expect(JSON.parse(readable).error.message).toMatch(/^params\.n{60}… must be of type string\.$/)
})

test('wrong members of _meta get a sentence, however long and odd their names are', async () => {
  const odd = '[{'.repeat(31_000)
  for (const given of [7, { experimental: { [odd]: 1 } }]) {
    const { message, headers } = modernRpc('tools/list')
    message.params._meta['io.modelcontextprotocol/clientCapabilities'] = given
    const before = process.cpuUsage()
    const reply = await send(api, message, headers)
    const { user } = process.cpuUsage(before)
    expect([reply.status, reply.message.error.code]).toEqual([400, -32602])
    expect(reply.message.error.message).toStartWith('params._meta must be as revision 2026-07-28')
    expect(reply.text.length).toBeLessThan(1_000)
    // A search whose time grows with the square of the length takes a second.
    expect(user / 1_000).toBeLessThan(800)
  }
})

test('a value that the protocol repeats is cut', async () => {
  const { message, headers } = modernRpc('tools/list')
  message.params._meta['io.modelcontextprotocol/protocolVersion'] = 'x'.repeat(50_000)
  message.id = 'i'.repeat(500)
  const { text, message: answer } = await send(api, message, headers)
  expect(answer.error.code).toBeLessThan(-32_000)
  expect(text.length).toBeLessThan(2_000)
  expect(answer.id).toBe(message.id)
})

describe('revision 2026-07-28', () => {
  const call = () => modernRpc('tools/call', parameters())

  test.each([
    ['another revision in the header', { 'mcp-protocol-version': '2025-11-25' }, -32020],
    ['another method in the header', { 'mcp-method': 'tools/list' }, -32020],
    ['another name in the header', { 'mcp-name': 'get_haushalt' }, -32020],
  ])('%s is 400', async (_what, headers, code) => {
    const { message, headers: right } = call()
    const reply = await send(api, message, { ...right, ...headers })
    expect([reply.status, reply.message.error.code, reply.message.id]).toEqual([400, code, 1])
  })

  test.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])(
    'without %s it is 400',
    async name => {
      const { message, headers } = call()
      const rest = Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name))
      const reply = await send(api, message, rest)
      expect([reply.status, reply.message.error.code]).toEqual([400, -32020])
    },
  )

  test('without capabilities it is 400 and says so', async () => {
    const { message, headers } = call()
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    const reply = await send(api, { ...message, params: { ...parameters(), _meta } }, headers)
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
      headers,
    )
    expect([reply.status, reply.message.result.structuredContent.data.id]).toEqual([200, leadId])
  })

  test('an unknown method is 404, and so is a stream of changes that never come', async () => {
    for (const method of ['tools/delete', 'subscriptions/listen']) {
      const { message, headers } = modernRpc(method, { notifications: {} })
      const reply = await send(api, message, headers)
      expect([method, reply.status, reply.message.error.code]).toEqual([method, 404, -32601])
    }
  })

  test('an unknown tool is an error of the protocol', async () => {
    const { message, headers } = modernRpc('tools/call', { name: 'drop_leads', arguments: {} })
    const reply = await send(api, message, headers)
    expect([reply.status, reply.message.error.code]).toEqual([200, -32602])
  })

  test.each(['2026-08-01', '2099-01-01', '9999'])(
    'a revision %s that is not served is refused',
    async revision => {
      const { message, headers } = call()
      const _meta = { ...modernMeta(), 'io.modelcontextprotocol/protocolVersion': revision }
      const reply = await send(
        api,
        { ...message, params: { ...parameters(), _meta } },
        {
          ...headers,
          'mcp-protocol-version': revision,
        },
      )
      expect(reply.status).toBe(400)
      expect(reply.message.error.data.supported).toContain('2026-07-28')
    },
  )
})

test.each(['Anna Beispiel', '2025-06-18, 2025-06-18', 'x'])(
  'a header %j that names no revision is not repeated',
  async header => {
    const headers = { 'mcp-protocol-version': header }
    const { message, headers: own } = modernRpc('tools/call', parameters())
    for (const reply of [
      await send(api, rpc('tools/call', parameters()), headers),
      await send(api, message, { ...own, ...headers }),
    ]) {
      expect(reply.status).toBe(400)
      expect(reply.message.error.message).toBe(
        'MCP-Protocol-Version must be a revision that is served: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26.',
      )
      expect(reply.text).not.toContain(`"${header}"`)
    }
  },
)
