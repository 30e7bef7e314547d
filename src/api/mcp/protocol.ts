// The Model Context Protocol as its SDK speaks it, in both eras: a handshake by `initialize` up to revision 2025-11-25, the
// revision in `_meta` and in headers of every request since 2026-07-28.
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  type ListToolsResult,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { version } from '../../version.ts'
import { isObject, type Json } from '../http/json_schema.ts'
import { instructions } from './tools.ts'

/** What the caller's key may see, and what a call of it comes to. */
export type Offer = {
  listing: Json[]
  /** Resolves with undefined where there is no such tool. */
  call(name: string, given: Json): Promise<CallToolResult | undefined>
}

const serverInfo = { name: 'workspace-data-api', title: 'Workspace Data API', version }
// A client that asks for another revision is offered the first.
const supportedProtocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2026-07-28']
// What a key may call changes with an upgrade alone; the list is the key's own.
const listHint = { ttlMs: 300_000, cacheScope: 'private' } as const
const unknownTool = 'There is no tool of this name; tools/list has those that this key may call.'

/** One per request: the SDK keeps in it what it learned of the client. */
function openServer(offer: Offer): Server {
  const server = new Server(serverInfo, {
    capabilities: { tools: {} },
    instructions,
    supportedProtocolVersions,
    cacheHints: { 'tools/list': listHint },
  })
  server.setRequestHandler('tools/list', () => ({ tools: offer.listing }) as ListToolsResult)
  server.setRequestHandler('tools/call', async ({ params }) => {
    const result = await offer.call(params.name, params.arguments ?? {})
    if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool)
    return result
  })
  return server
}

async function answerLegacy(request: Request, message: Json, offer: Offer): Promise<Response> {
  const server = openServer(offer)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}

async function answerModern(request: Request, message: Json, offer: Offer): Promise<Response> {
  // The SDK would answer with a stream of changes; no tool changes while the service runs.
  if (message.method === 'subscriptions/listen')
    return new Response(rpcError(-32601, 'Method not found', { id: message.id }), { status: 404 })
  const { fetch } = createMcpHandler(() => openServer(offer), { legacy: 'reject' })
  return await fetch(request, { parsedBody: message })
}

/** A client need not accept streams, since none is sent, and a Host header can make the address one that is none. */
function forSdk(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  return new Request('http://localhost/mcp', { method: 'POST', headers })
}

/** Some clients send every optional member, as null. Members of `arguments` are for the tool; `id` is none that may be null. */
function withoutNulls(value: unknown, levels: number): unknown {
  if (!isObject(value) || levels === 0) return value
  const given = Object.entries(value).filter(([name, member]) => member !== null || name === 'id')
  const cleaned = given.map(([name, member]) =>
    name === 'arguments' ? [name, member] : [name, withoutNulls(member, levels - 1)],
  )
  return Object.fromEntries(cleaned)
}

// message, params, capabilities, and two below: what is deeper is the client's own.
const levelsMax = 5

// Longer than any answer but that of a call. The SDK reports each wrong member of params, a hundred times what was sent.
const reportMax = 64 * 1024
const wrongParams = 'Too many members of params are not as the protocol has them.'

export const rpcError = (code: number, message: string, { id = null, data }: Json = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })

/** A handshake of the older era: the newer one names its revision in every `_meta`. */
const isHandshake = ({ method }: Json, params: Json) =>
  method === 'initialize' && !(isObject(params._meta) && PROTOCOL_VERSION_META_KEY in params._meta)

/** Answers a message. Throws where the SDK failed. */
export async function answerBySdk(request: Request, given: Json, offer: Offer) {
  const message = withoutNulls(given, levelsMax) as Json
  const asked = forSdk(request)
  const { params } = message
  if (isObject(params) && isHandshake(message, params)) {
    // The protocol requires an object of capabilities; the revision is agreed on in params.
    message.params = { capabilities: {}, ...params }
    asked.headers.delete('mcp-protocol-version')
  }
  let isCalled = false
  const call: Offer['call'] = (name, args) => {
    isCalled = true
    return offer.call(name, args)
  }
  const response = (await isLegacyRequest(asked, message))
    ? await answerLegacy(asked, message, { ...offer, call })
    : await answerModern(asked, message, { ...offer, call })
  const text = await response.text()
  if (response.status >= 500) throw new Error(`the protocol failed: ${text}`)
  return text.length > reportMax && !isCalled
    ? { status: 400, text: rpcError(-32602, wrongParams) }
    : { status: response.status, text }
}
