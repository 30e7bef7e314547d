// Messages to /mcp and what they come to: the protocol's own error, a result, or a refusal of HTTP; never 500, never a hang.
import { beforeAll, expect, test } from 'bun:test'
import { startService } from '../../src/api/start.ts'
import { readConfig } from '../../src/config/settings.ts'
import { lead } from '../support/database/factory.ts'
import { quietLog, useService } from '../support/http/service.ts'
import {
  deep,
  type Message,
  modernMeta,
  modernRpc,
  post,
  rpc,
  send,
  toolUrl,
} from '../support/http/tool_calls.ts'

const api = useService()
const lead_id = '00000000-0000-4000-8000-000000000001'
beforeAll(async () => {
  await lead(api.sql, { id: lead_id })
})

const args = { name: 'get_lead', arguments: { lead_id } }
const call = (more: Message = {}) => rpc('tools/call', { ...args, ...more })
const clientInfo = { name: 'test', version: '1' }
const initialize = (more: Message) =>
  rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo, ...more })
const revision = (name: string) => ({ 'mcp-protocol-version': name })

const newest = revision('2026-07-28')
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
const revisionKey = 'io.modelcontextprotocol/protocolVersion'
const modern = (headers: Message, _meta: Message = {}, more: Message = {}): Row => [
  call({ ...more, _meta: modernMeta(_meta) }),
  { ...newest, 'mcp-method': 'tools/call', 'mcp-name': 'get_lead', ...headers },
]
const modernly = (method: string, params?: Message): Row => {
  const { message, headers } = modernRpc(method, params)
  return [message, headers]
}

/** A message and the headers it comes with. */
type Row = [message: unknown, headers?: Record<string, string>]
/** What the rows come to: the status, and a code of JSON-RPC, a revision, the result of a tool, or any result. */
type Rows = [status: number, outcome: unknown, rows: Row[]]

const outcomeOf = ({ result, error }: Message = {}): unknown =>
  error?.code ?? result?.protocolVersion ?? result?.structuredContent?.data.id ?? (result && 'ok')

const called: Row[] = [
  [call()],
  [call(), { accept: '' }],
  [call(), { accept: '*/*' }],
  [call(), { accept: 'application/json' }],
  [call(), { accept: 'text/event-stream' }],
  [call(), { 'content-type': 'application/json; charset=utf-8' }],
  [call(), { 'mcp-session-id': 'some-session' }],
  [call(), revision('2025-03-26')],
  [call(), revision('2025-06-18')],
  [call(), revision('2025-11-25')],
  [call({ _meta: { progressToken: 1 } })],
  [call({ _meta: null })],
  modern({}),
  modern({}, { 'io.modelcontextprotocol/clientInfo': clientInfo, progressToken: 3 }),
]

// null is absent, and a number of unknown members is no matter.
const answered: Row[] = [
  [rpc('tools/list', null)],
  [rpc('tools/list', { cursor: null, unknown: 1 })],
  [rpc('tools/list', { _meta: { a: JSON.parse(deep(20_000)) } })],
  [rpc('tools/call', { name: 'list_kontakte', arguments: null })],
  [rpc('ping', { _meta: { progressToken: null } })],
  [rpc('ping'), { origin: 'http://[::1]:1' }],
  [rpc('ping'), { origin: 'http://localhost:6274' }],
  modernly('server/discover'),
]

// A handshake agrees on the revision in its params, whatever its header names.
const agreed: Row[] = [
  [initialize({})],
  [initialize({ protocolVersion: '2024-11-05' })],
  [initialize({ protocolVersion: '2024-11-05' }), revision('2024-11-05')],
  [initialize({ protocolVersion: '2099-01-01' }), revision('2099-01-01')],
  [initialize({}), newest],
  [initialize({}), revision('x')],
  [initialize({ capabilities: null })],
  [initialize({ capabilities: { roots: null, elicitation: { form: null } } })],
  [initialize({ clientInfo: { ...clientInfo, title: null, websiteUrl: null, icons: null } })],
]

const ping = rpc('ping')
const noRequests: Row[] = [
  ...[null, 1, 'ping', {}, [], [ping], { id: 1, method: 'ping' }],
  ...[{ jsonrpc: '1.0' }, { method: 7 }, { params: [] }].map(more => ({ ...ping, ...more })),
  ...[null, 1.5, true, {}, [], 2 ** 53].map(id => ({ ...ping, id })),
].map(message => [message])

const wrongParams: Row[] = [
  ...[null, {}, { name: 1 }, { name: null }, { name: 'drop_leads' }, { name: 'constructor' }],
  ...['__proto__', 'toString', '', 'get_lead\0', 'GET_LEAD'].map(name => ({ name })),
  ...[[], '{}', 7].map(given => ({ name: 'get_lead', arguments: given })),
].map(params => [rpc('tools/call', params)])

const mismatches = [revision('2025-11-25'), { 'mcp-method': 'ping' }, { 'mcp-name': 'x' }]
const foreign =
  `https://evil.example http://evil.example null file:// https://localhost.evil.example evil.example *
  https://127.0.0.1.evil.example http://127.0.0.2 http://0.0.0.0 https://[::2] http://user@evil.example http://
  chrome-extension://a http://10.0.0.1`.split(/\s+/)

const table: Rows[] = [
  [200, lead_id, called],
  [200, 'ok', answered],
  [200, '2025-11-25', agreed],
  [200, '2025-03-26', [[initialize({ protocolVersion: '2025-03-26' })]]],
  [200, '2025-06-18', [[initialize({ protocolVersion: '2025-06-18' })]]],
  [202, undefined, [[{ jsonrpc: '2.0', method: 'notifications/initialized' }]]],
  [202, undefined, [[{ jsonrpc: '2.0', method: 'notifications/unknown', params: null }]]],
  [400, -32600, noRequests],
  [200, -32602, [...wrongParams, modern({ 'mcp-name': 'drop' }, {}, { name: 'drop' })]],
  // The SDK reports each wrong member of params. More than an answer may hold is one sentence.
  [200, -32603, [[rpc('tools/list', { cursor: 7 })], [initialize({ protocolVersion: 7 })]]],
  [400, -32602, [[initialize({ clientInfo: { ...clientInfo, icons: Array(20_000).fill(1) } })]]],
  [200, -32601, ['tools/delete', 'resources/list', 'constructor'].map(name => [rpc(name)])],
  [404, -32601, ['tools/delete', 'initialize', 'subscriptions/listen'].map(name => modernly(name))],
  [400, -32000, [[ping, revision('2024-11-05')]]],
  [400, -32020, mismatches.map(headers => modern(headers))],
  [400, -32602, [[ping, revision('x')], [call(), newest], modern({}, { [capabilitiesKey]: null })]],
  [400, -32022, [modern(revision('2099-01-01'), { [revisionKey]: '2099-01-01' })]],
  // Refused before the message is read.
  [401, 401, [[ping, { authorization: '' }]]],
  [403, 403, foreign.map(origin => [ping, { origin, authorization: '' }])],
  [413, 413, [[rpc('ping', { _meta: { a: 'x'.repeat(70_000) } })]]],
  [415, -32000, [[ping, { 'content-type': 'text/plain' }]]],
]

test.each(table)('%d and %p', async (status, outcome, rows) => {
  for (const [message, headers] of rows) {
    const reply = await send(api, message, headers)
    const shown = JSON.stringify([message, headers])?.slice(0, 300)
    expect([shown, reply.status, outcomeOf(reply.message)]).toEqual([shown, status, outcome])
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.has('mcp-session-id')).toBe(false)
    if (reply.text === '') continue
    expect(reply.message.jsonrpc).toBe('2.0')
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(reply.text.length).toBeLessThan(64 * 1024)
    if (outcome === status) expect(reply.message.error.data).toMatchObject({ api_version: 'v1' })
  }
})

test.each([
  ['no body', ''],
  ['half a message', '{"jsonrpc":"2.0",'],
  ['bytes that are no UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ['two messages', '{"a":1}{"b":2}'],
])('%s is no JSON', async (_what, body) => {
  const { status, message } = await post(api, body)
  expect([status, message.id, message.error.code]).toEqual([400, null, -32700])
})

test.each([0, -1, 7, '', 'ü"\\', Number.MAX_SAFE_INTEGER])('id %p comes back', async id => {
  for (const given of [{ ...call(), id }, rpc('tools/delete', undefined, id)])
    expect((await send(api, given, { 'x-request-id': 'mine' })).message.id).toBe(id)
})

test.each(['GET', 'HEAD', 'DELETE', 'PUT', 'OPTIONS'])('%s is 405', async method => {
  const headers = { authorization: `Bearer ${api.key}`, accept: 'text/event-stream' }
  const response = await fetch(toolUrl(api), { method, headers })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
})

test('the service’s own address is an Origin it takes', async () => {
  const config = readConfig({ PORT: '0', PUBLIC_URL: 'https://daten.example' })
  const own = await startService(config, api.url, quietLog())
  const at = { ...api, service: { ...own, url: `http://127.0.0.1:${own.port}` } }
  try {
    for (const [origin, status] of [
      ['https://daten.example', 200],
      ['https://andere.example', 403],
    ] as const)
      expect((await send(at, rpc('ping'), { origin })).status).toBe(status)
  } finally {
    await own.stop()
  }
})
