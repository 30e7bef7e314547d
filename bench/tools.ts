// Messages to the tool server, as clients send them.
import { toolPath } from '../src/api/mcp/tool.ts'
import { basePath } from '../src/api/rest/routes.ts'
import type { BenchDatabase } from './bench.ts'
import { postRequest } from './load/load.ts'
import { samplesOf } from './samples.ts'

export type ToolCall = {
  name: string
  arguments: Record<string, unknown>
  /** The same read by REST. */
  path: string
}

/** A small answer, a page of 20, and an analysis: 1, 17 and some 40 KB. */
export async function toolCallsOf(database: BenchDatabase): Promise<ToolCall[]> {
  const [lead_id] = (await samplesOf(database)).analysed
  return [
    { name: 'get_lead', arguments: { lead_id }, path: `${basePath}/leads/${lead_id}` },
    { name: 'list_appointments', arguments: {}, path: `${basePath}/appointments?limit=20` },
    {
      name: 'get_lead_analysis',
      arguments: { lead_id },
      path: `${basePath}/leads/${lead_id}/analysis`,
    },
  ]
}

export const revisions = ['2025-11-25', '2026-07-28'] as const
export type Revision = (typeof revisions)[number]

const clientInfo = { name: 'bench', version: '1' }
const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': clientInfo,
}

const messageOf = (method: string, params: object, key: string, headers = '') =>
  postRequest(toolPath, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), key, headers)

export function toolRequest(call: ToolCall, key: string, revision: Revision): string {
  const { name, arguments: given } = call
  const isModern = revision === '2026-07-28'
  const params = { name, arguments: given, ...(isModern && { _meta: modernMeta }) }
  const more = isModern ? `mcp-method: tools/call\r\nmcp-name: ${name}\r\n` : ''
  const headers = `accept: application/json, text/event-stream\r\nmcp-protocol-version: ${revision}\r\n${more}`
  return messageOf('tools/call', params, key, headers)
}

/** With every key in turn, calls and between them handshakes and listings. */
export async function toolMessages(database: BenchDatabase): Promise<string[]> {
  const calls = await toolCallsOf(database)
  const handshake = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const kinds: ((key: string) => string)[] = [
    ...calls.map(call => (key: string) => toolRequest(call, key, '2025-11-25')),
    ...calls.map(call => (key: string) => toolRequest(call, key, '2026-07-28')),
    key => messageOf('initialize', handshake, key),
    key => messageOf('tools/list', {}, key),
  ]
  return database.keys.map((key, turn) => kinds[turn % kinds.length]?.(key) ?? '')
}
