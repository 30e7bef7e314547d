// One exchange of the Model Context Protocol: a message in, an answer out. The package speaks the protocol in
// both eras (initialize up to revision 2025-11-25, server/discover and headers per request from 2026-07-28);
// here stands what it leaves to its host, what it does otherwise than we need, and a short way for plain calls.
import {
  type CallToolResult,
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { ApiError } from '../errors.ts'
import { isObject, type Json } from '../http/json_schema.ts'
import { legacyRevisions, modernRevision, serverInfo } from './identity.ts'
import { framePlainCall, type Outcome, readPlainCall } from './plain_call.ts'
import { instructions } from './tools.ts'

/** What the caller's key may see, and what a call of it comes to. */
export type Offer = {
  listing: Json[]
  /** Resolves with undefined where there is no such tool. */
  call(name: string, given: Json): Promise<Outcome | undefined>
}

export type Reply = { status: number; body: string }

// Who may call what changes with an upgrade alone; the list is the key's own.
const listingTtlMs = 300_000

const resultOf = ({ envelope, failed }: Outcome): CallToolResult => ({
  content: [{ type: 'text', text: envelope }],
  ...(failed ? { isError: true } : { structuredContent: JSON.parse(envelope) }),
})

/** The package wants one per request: it keeps what it learned of its client. */
function openServer(offer: Offer): Server {
  const server = new Server(serverInfo, {
    capabilities: { tools: {} },
    instructions,
    supportedProtocolVersions: [modernRevision, ...legacyRevisions],
    cacheHints: { 'tools/list': { ttlMs: listingTtlMs, cacheScope: 'private' } },
  })
  server.setRequestHandler('tools/list', () => ({ tools: offer.listing }) as never)
  server.setRequestHandler('tools/call', async ({ params }) => {
    const outcome = await offer.call(params.name, params.arguments ?? {})
    if (outcome === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of this name.')
    return resultOf(outcome)
  })
  return server
}

const offerOf = ({ authInfo }: McpRequestContext) => authInfo?.extra?.offer as Offer

const modern = createMcpHandler(context => openServer(offerOf(context)), { legacy: 'reject' })

const answerModern = (request: Request, message: unknown, offer: Offer) =>
  modern.fetch(request, {
    parsedBody: message,
    // How the package hands something of ours through to the server it asks for; it reads nothing of it.
    authInfo: { token: '', clientId: '', scopes: [], extra: { offer } },
  })

/** Clients of the older era must accept streams, and many forget to: we never send one. */
function withAccept(request: Request): Request {
  const revision = request.headers.get('mcp-protocol-version')
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(revision !== null && { 'mcp-protocol-version': revision }),
  }
  return new Request(request.url, { method: 'POST', headers })
}

async function answerLegacy(request: Request, message: unknown, offer: Offer) {
  const server = openServer(offer)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(withAccept(request), { parsedBody: message })
  } finally {
    await server.close()
  }
}

const refuse = (status: number, code: number, text: string, id: unknown = null): Reply => ({
  status,
  body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: text } }),
})

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** Refuses what is no JSON by its own account. Throws invalid_request with 415. */
export function refuseOtherContent(request: Request): void {
  if (!isJsonContentType(request.headers.get('content-type')))
    throw new ApiError('invalid_request', 'Send Content-Type: application/json.', { status: 415 })
}

/** Answers one message. Protocol errors are answers too; what fails on our side throws. */
export async function exchange(request: Request, body: Uint8Array, offer: Offer): Promise<Reply> {
  const message = parse(body)
  if (message === undefined)
    return refuse(400, ProtocolErrorCode.ParseError, 'The body is not valid JSON in UTF-8.')
  // Revision 2025-03-26 had batches, no other has; one of them would be many calls for one permit.
  if (Array.isArray(message))
    return refuse(400, ProtocolErrorCode.InvalidRequest, 'Batches are not taken: send one message.')
  if (!isObject(message))
    return refuse(400, ProtocolErrorCode.InvalidRequest, 'A message is a JSON object.')
  const plain = readPlainCall(request.headers, message)
  const outcome = plain && (await offer.call(plain.name, plain.given))
  if (plain && outcome) return { status: 200, body: framePlainCall(plain, outcome) }
  const isLegacy = await isLegacyRequest(request, message)
  // The package would open an event stream here, although this server has nothing to tell over one.
  if (!isLegacy && message.method === 'subscriptions/listen')
    return refuse(404, ProtocolErrorCode.MethodNotFound, 'Method not found', message.id)
  const response = await (isLegacy ? answerLegacy : answerModern)(request, message, offer)
  const text = await response.text()
  if (response.status >= 500) throw new Error(`the protocol failed: ${text}`)
  return { status: response.status, body: text }
}
