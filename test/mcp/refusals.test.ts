// What a refusal of the protocol carries: the id of its request, one code for one error, and data that says what the message says.
import { expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'
import { modernRpc, post, rpc, send } from '../support/http/tool_calls.ts'

const api = useService()
const served = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']

// Older than every revision that is served, newer, between two of them, and no revision at all.
const unserved = ['2024-11-05', '2099-01-01', '2025-06-19', 'x']

test.each(unserved)('MCP-Protocol-Version %s is refused under one code', async revision => {
  const headers = { 'mcp-protocol-version': revision }
  for (const method of ['ping', 'tools/list', 'tools/call']) {
    const { status, message } = await send(api, rpc(method, undefined, 7), headers)
    expect([status, message.id, message.error.code]).toEqual([400, 7, -32022])
    expect(message.error.data.supported).toEqual(served)
    expect(message.error.message).toEndWith(`: ${served.join(', ')}.`)
    expect(message.error.data.requested).toBe(revision === 'x' ? undefined : revision)
  }
})

test.each(['tools/list', 'server/discover', 'tools/call'])(
  'a revision in _meta of %s that is not served: message and data name the same ones',
  async method => {
    const requested = '2099-01-01'
    const { message, headers } = modernRpc(method)
    message.params._meta['io.modelcontextprotocol/protocolVersion'] = requested
    const reply = await send(api, message, { ...headers, 'mcp-protocol-version': requested })
    const { code, message: sentence, data } = reply.message.error
    expect([reply.status, reply.message.id, code]).toEqual([400, 1, -32022])
    expect(data).toEqual({ supported: ['2026-07-28'], requested })
    expect(sentence.match(/\d{4}-\d\d-\d\d/g)).toEqual(data.supported)
    const discovered = modernRpc('server/discover')
    const { result } = (await send(api, discovered.message, discovered.headers)).message
    expect(result.supportedVersions).toEqual(data.supported)
  },
)

test.each(unserved.slice(0, 3))(
  'a notification is refused without an id: revision %s',
  async revision => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const reply = await send(api, notification, { 'mcp-protocol-version': revision })
    expect([reply.status, reply.message.error.code]).toEqual([400, -32022])
    expect(reply.message).not.toHaveProperty('id')
  },
)

test('a notification that cannot be taken is refused without an id', async () => {
  const { message, headers } = modernRpc('notifications/cancelled', { requestId: 1 })
  const { id: _, ...notification } = message
  const replies = [
    await send(api, notification, { ...headers, 'mcp-method': 'ping' }),
    await send(api, { jsonrpc: '2.0', method: 'notifications/cancelled', params: 7 }),
  ]
  for (const reply of replies) {
    expect([reply.status, typeof reply.message.error.code]).toEqual([400, 'number'])
    expect(reply.message).not.toHaveProperty('id')
  }
})

test.each([
  ...['9007199254740992', '9007199254740993', '-9007199254740993', '12345678901234567890'],
  ...['1e400', '0.1', 'null', 'true', '{}', '[1]'],
])('id %s cannot be answered exactly, so the request is invalid', async id => {
  for (const method of ['ping', 'tools/call']) {
    const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":{"name":"list_kontakte"}}`
    const { status, message } = await post(api, body)
    expect([status, message.id, message.error.code]).toEqual([400, null, -32600])
    expect(message.error.message).toStartWith('id must be ')
  }
})

test('an invalid request keeps an id that can be read', async () => {
  for (const body of [
    { jsonrpc: '1.0', id: 5, method: 'ping' },
    { jsonrpc: '2.0', id: 5 },
    { jsonrpc: '2.0', id: 5, method: 'ping', params: [] },
  ]) {
    const { status, message } = await send(api, body)
    expect([status, message.id, message.error.code]).toEqual([400, 5, -32600])
    expect(message.error.message).toStartWith('Send a JSON-RPC 2.0 message: jsonrpc must be ')
  }
})

test('a handshake of the older era is offered a revision, whatever its header asks for', async () => {
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo }
  const headers = { 'mcp-protocol-version': '2024-11-05' }
  const { status, message } = await send(api, rpc('initialize', params), headers)
  expect([status, message.result.protocolVersion]).toEqual([200, '2025-11-25'])
})
