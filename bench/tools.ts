// Messages to the tool server, as clients send them.
import { toolPath } from '../src/api/mcp/tool.ts'
import { basePath } from '../src/operations/contract.ts'
import type { BenchDatabase } from './bench.ts'
import { postRequest } from './load/load.ts'
import { samplesOf } from './samples.ts'

type ToolCall = {
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
type Revision = (typeof revisions)[number]

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
}

export function toolRequest(call: ToolCall, key: string, revision: Revision): string {
  const { name, arguments: given } = call
  const isModern = revision === '2026-07-28'
  const params = { name, arguments: given, ...(isModern && { _meta: modernMeta }) }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const more = isModern ? `mcp-method: tools/call\r\nmcp-name: ${name}\r\n` : ''
  const headers = `accept: application/json, text/event-stream\r\nmcp-protocol-version: ${revision}\r\n${more}`
  return postRequest(toolPath, JSON.stringify(message), key, headers)
}

/** Every call in both revisions, with every key in turn. */
export async function toolMessages(database: BenchDatabase): Promise<string[]> {
  const kinds = (await toolCallsOf(database)).flatMap(call =>
    revisions.map(revision => (key: string) => toolRequest(call, key, revision)),
  )
  return database.keys.map((key, turn) => kinds[turn % kinds.length]?.(key) ?? '')
}
