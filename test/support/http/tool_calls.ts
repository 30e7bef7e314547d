// Speaks to the tool server as a client without an SDK would: one POST, one message.
import type { TestService } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
export type Message = any

/** As the rows of a table of tests have them: a header one row lacks is undefined to the type alone. */
type GivenHeaders = Record<string, string | undefined>

type ToolReply = { status: number; headers: Headers; text: string; message: Message }

type Called = ToolReply & {
  /** The envelope, read from the text of the answer. */
  envelope: Message
  structured: Message
  isError: boolean
}

export const rpc = (method: string, params?: Message, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params !== undefined && { params }),
})

export const modernMeta = (more: Message = {}) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  ...more,
})

/** A message of revision 2026-07-28 and the headers that go with it. */
export const modernRpc = (method: string, params: Message = {}, id: unknown = 1) => ({
  message: rpc(method, { ...params, _meta: modernMeta() }, id),
  headers: {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(params.name !== undefined && { 'mcp-name': params.name }),
  },
})

export const toolUrl = (api: TestService) => `${api.service.url}/mcp`

/** Sends a body as it is, with Content-Type and the key of every scope unless headers say otherwise. */
export async function post(
  api: TestService,
  body: RequestInit['body'],
  headers: GivenHeaders = {},
): Promise<ToolReply> {
  const response = await fetch(toolUrl(api), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api.key}`,
      'content-type': 'application/json',
      ...headers,
    } as Record<string, string>,
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  const message = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, headers: response.headers, text, message }
}

export const send = (api: TestService, message: unknown, headers: GivenHeaders = {}) =>
  post(api, JSON.stringify(message), headers)

/** A bare tools/call: no handshake, no Accept, as the contract shows it. */
export async function callTool(
  api: TestService,
  name: string,
  args: Message = {},
  headers: GivenHeaders = {},
): Promise<Called> {
  const reply = await send(api, rpc('tools/call', { name, arguments: args }), headers)
  const { result } = reply.message ?? {}
  const text = result?.content?.[0]?.text
  return {
    ...reply,
    envelope: text === undefined ? reply.message : JSON.parse(text),
    structured: result?.structuredContent,
    isError: result?.isError === true,
  }
}

/** JSON of so many levels. */
export const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
