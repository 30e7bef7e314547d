// The Model Context Protocol as its package speaks it, in both eras: initialize up to revision 2025-11-25,
// server/discover and headers with every request from 2026-07-28. Here stands what the package leaves to its
// host, and what it does otherwise than we need.
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Json } from '../http/json_schema.ts'
import { withReadableReport } from './invalid_params.ts'
import type { ToolResult } from './plain_call.ts'
import { type Offer, refusal, type ToolReply } from './reply.ts'
import { legacyRevisions, modernRevision, serverInfo } from './server_info.ts'
import { instructions } from './tools.ts'

// Who may call what changes with an upgrade alone; the list is the key's own.
const listingTtlMs = 300_000
const unknownTool = 'There is no tool of this name; tools/list has those that this key may call.'

// Where the envelope goes as it is: read and written again, its numbers would lose digits. No text within the answer can have
// this, because there every quotation mark has a backslash.
const unfilled = '"structuredContent":{}'

const resultOf = ({ envelope, failed }: ToolResult): CallToolResult => ({
  content: [{ type: 'text', text: envelope.toString() }],
  ...(failed ? { isError: true } : { structuredContent: {} }),
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
    if (outcome === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool)
    return resultOf(outcome)
  })
  return server
}

const offerOf = ({ authInfo }: McpRequestContext) => authInfo?.extra?.offer as Offer

const modern = createMcpHandler(context => openServer(offerOf(context)), { legacy: 'reject' })

const answerModern = (request: Request, message: Json, offer: Offer) =>
  modern.fetch(request, {
    parsedBody: message,
    // How the package hands something of ours through to the server it asks for; it reads nothing of it.
    authInfo: { token: '', clientId: '', scopes: [], extra: { offer } },
  })

// The package reads nothing of the address, and a Host header can make it one that is none.
const anyUrl = 'http://localhost/mcp'

/** Clients of the older era must accept streams, and many forget to: we never send one. */
function withAccept(request: Request): Request {
  const revision = request.headers.get('mcp-protocol-version')
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(revision !== null && { 'mcp-protocol-version': revision }),
  }
  return new Request(anyUrl, { method: 'POST', headers })
}

async function answerLegacy(request: Request, message: Json, offer: Offer) {
  const server = openServer(offer)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(withAccept(request), { parsedBody: message })
  } finally {
    await server.close()
  }
}

/** The offer, with the envelope of what was called of it. */
function watched(offer: Offer): { offer: Offer; envelope: () => string } {
  let envelope = '{}'
  const call: Offer['call'] = async (name, given) => {
    const outcome = await offer.call(name, given)
    envelope = outcome?.envelope.toString() ?? envelope
    return outcome
  }
  return { offer: { ...offer, call }, envelope: () => envelope }
}

/** Answers any message. Throws where the package failed. */
export async function answerByPackage(
  request: Request,
  message: Json,
  offer: Offer,
): Promise<ToolReply> {
  const isLegacy = await isLegacyRequest(request, message)
  // The package would open an event stream here, although this server has nothing to tell over one.
  if (!isLegacy && message.method === 'subscriptions/listen')
    return refusal(
      404,
      { code: ProtocolErrorCode.MethodNotFound, message: 'Method not found' },
      message,
    )
  const { offer: shown, envelope } = watched(offer)
  const response = await (isLegacy ? answerLegacy : answerModern)(request, message, shown)
  const text = (await response.text()).replace(unfilled, () => `"structuredContent":${envelope()}`)
  if (response.status >= 500) throw new Error(`the protocol failed: ${text}`)
  const revision = request.headers.get('mcp-protocol-version')
  const body = text === '' ? [] : [Buffer.from(withReadableReport(text, message, revision))]
  return { status: response.status, body }
}
