// POST /mcp: the tool server, with the same keys and limits as REST and with a line in the same log. A message comes in, an
// answer goes out. Plain calls are answered here; whatever else the protocol knows, its package answers (protocol.ts), which is
// loaded on first use, because it slows every start.
import { ApiError } from '../../errors.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { allows } from '../../operations/key_ring.ts'
import { bodyOf } from '../../runtime/runtime.ts'
import {
  type Authorized,
  afterPermit,
  authorize,
  bodyTimeoutOf,
  type Progress,
  type Service,
} from '../http/authorize.ts'
import { jsonExpected, readBody } from '../http/body.ts'
import { clientError } from '../http/client_error.ts'
import { commonHeaders, errorEnvelope } from '../http/envelope.ts'
import { isObject, type Json } from '../http/json_schema.ts'
import { logged } from '../http/logged.ts'
import { idSentence, isId, isUnserved, revisionSentence, unservedData } from './json_rpc.ts'
import { checkOriginHeader } from './origin.ts'
import { framePlainCall, readPlainCall } from './plain_call.ts'
import { type Offer, refusal, type ToolReply } from './reply.ts'
import { toolPath } from './server_info.ts'
import { describeTool, runTool } from './tool.ts'
import { tools } from './tools.ts'

const offered = tools.map(tool => ({ tool, description: describeTool(tool) as Json }))
const byName = new Map(tools.map(tool => [tool.name, tool]))

/** What the key may see and call. A failed call is an answer too. */
function openOffer(
  service: Service,
  authorized: Authorized,
  requestId: string,
  progress: Progress,
): Offer {
  const { key } = authorized
  return {
    listing: offered.filter(({ tool }) => allows(key, tool.scope)).map(one => one.description),
    async call(name, given) {
      const tool = byName.get(name)
      if (tool === undefined) return undefined
      progress.tool = name
      try {
        return {
          envelope: await runTool(tool, service, authorized, given, progress),
          failed: false,
        }
      } catch (thrown) {
        const { code, message } = clientError(thrown, service.log, requestId)
        progress.code = code
        return { envelope: Buffer.from(errorEnvelope(code, message)), failed: true }
      }
    },
  }
}

// JSON-RPC 2.0, and of the protocol the code for a revision that is not served.
const parseError = -32700
const invalidRequest = -32600
const unsupportedRevision = -32022

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

const jsonType = /^application\/json\s*(;|$)/i

/** Refuses what is no JSON by its own account. Throws invalid_request with 415. */
function refuseOtherContent(request: Request): void {
  if (!jsonType.test(request.headers.get('content-type') ?? ''))
    throw new ApiError('invalid_request', 'Send Content-Type: application/json.', { status: 415 })
}

const invalid = (text: string, message?: Json) =>
  refusal(400, { code: invalidRequest, message: text }, message)

/** What is wrong with a message as a whole, before it is looked at who asks for what. */
function refusalOf(headers: Headers, message: Json): ToolReply | undefined {
  if ('id' in message && !isId(message.id)) return invalid(idSentence)
  const revision = headers.get('mcp-protocol-version')
  if (!isUnserved(revision, message)) return undefined
  const data = unservedData(revision)
  return refusal(400, { code: unsupportedRevision, message: revisionSentence, data }, message)
}

/** Answers one message. Protocol errors are answers too; what fails on our side throws. */
export async function exchange(
  request: Request,
  body: Uint8Array,
  offer: Offer,
): Promise<ToolReply> {
  const message = parse(body)
  if (message === undefined)
    return refusal(400, { code: parseError, message: jsonExpected(request) })
  // Revision 2025-03-26 had batches, no other has; one of them would be many calls for one permit.
  if (!isObject(message)) return invalid('Send one message, a JSON object; batches are not taken.')
  const plain = readPlainCall(request.headers, message)
  const outcome = plain && (await offer.call(plain.name, plain.given))
  if (plain && outcome) return { status: 200, body: framePlainCall(plain, outcome) }
  const refused = refusalOf(request.headers, message)
  if (refused) return refused
  const { answerByPackage } = await import('./protocol.ts')
  return await answerByPackage(request, message, offer)
}

function respond(
  request: Request,
  { status, body }: ToolReply,
  headers: Record<string, string>,
  { lease }: Progress,
) {
  const { 'content-type': type = '', ...others } = headers
  return body.length === 0
    ? new Response(null, { status, headers: others })
    : new Response(
        bodyOf(request, body, () => lease?.keep(0)),
        { status, headers: { 'content-type': type, ...others } },
      )
}

async function attempt(
  service: Service,
  request: Request,
  requestId: string,
  progress: Progress,
): Promise<ToolReply> {
  const authorized = await authorize(service, request, progress)
  const work = async () => {
    refuseOtherContent(request)
    const body = await readBody(request, bodyTimeoutOf(service))
    return await exchange(request, body, openOffer(service, authorized, requestId, progress))
  }
  return await afterPermit(authorized.permitted, work())
}

/** Turns requests to the tool server into responses; a response never fails. `origin` is the service's own. */
export function answerTools(
  service: Service,
  origin: string,
): (request: Request) => Promise<Response> {
  const checkOrigin = checkOriginHeader(origin)
  return request =>
    logged(service, request, toolPath, async (requestId, progress) => {
      checkOrigin(request)
      const attempted = attempt(service, request, requestId, progress)
      const reply = await withTimeout(attempted, service.requestTimeoutMs)
      const headers = { ...commonHeaders(requestId), ...progress.headers }
      return respond(request, reply, headers, progress)
    })
}
