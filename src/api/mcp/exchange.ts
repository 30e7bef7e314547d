// One exchange of the Model Context Protocol: a message in, an answer out. Plain calls are answered here;
// whatever else the protocol knows, its package answers (protocol.ts), which is loaded when it is first
// needed: it would cost every start 80 ms and 30 MB.
import { ApiError } from '../../errors.ts'
import { isObject } from '../http/json_schema.ts'
import { framePlainCall, readPlainCall } from './plain_call.ts'
import { type Offer, refusal, type ToolReply } from './reply.ts'

// JSON-RPC 2.0.
const parseError = -32700
const invalidRequest = -32600

const parse = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

const jsonType = /^application\/json\s*(;|$)/i

/** Refuses what is no JSON by its own account. Throws invalid_request with 415. */
export function refuseOtherContent(request: Request): void {
  if (!jsonType.test(request.headers.get('content-type') ?? ''))
    throw new ApiError('invalid_request', 'Send Content-Type: application/json.', { status: 415 })
}

/** Answers one message. Protocol errors are answers too; what fails on our side throws. */
export async function exchange(
  request: Request,
  body: Uint8Array,
  offer: Offer,
): Promise<ToolReply> {
  const message = parse(body)
  if (message === undefined) return refusal(400, parseError, 'The body must be JSON in UTF-8.')
  // Revision 2025-03-26 had batches, no other has; one of them would be many calls for one permit.
  if (!isObject(message))
    return refusal(400, invalidRequest, 'Send one message, a JSON object; batches are not taken.')
  const plain = readPlainCall(request.headers, message)
  const outcome = plain && (await offer.call(plain.name, plain.given))
  if (plain && outcome) return { status: 200, body: framePlainCall(plain, outcome) }
  const { answerByPackage } = await import('./protocol.ts')
  return await answerByPackage(request, message, offer)
}
