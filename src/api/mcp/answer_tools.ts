// POST /mcp: the tool server, with the same keys and limits as REST and with a line in the same log. app.ts loads it with the
// first request, because the SDK slows every start.
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import { type ApiKey, allows } from '../../operations/key_ring.ts'
import { bodyOf } from '../../runtime/runtime.ts'
import {
  authorized,
  bodyTimeoutOf,
  type Progress,
  requireScope,
  type Service,
} from '../http/authorize.ts'
import { jsonExpected, readBody } from '../http/body.ts'
import { clientError } from '../http/client_error.ts'
import { commonHeaders, envelopePieces, errorEnvelope } from '../http/envelope.ts'
import { isObject, type Json } from '../http/json_schema.ts'
import { logged } from '../http/request_line.ts'
import { answerBySdk, type Offer, rpcError } from './protocol.ts'
import { describeTool, readToolArguments, type Tool, toolPath } from './tool.ts'
import { tools } from './tools.ts'

const offered = tools.map(tool => ({ tool, description: describeTool(tool) as Json }))

// The SDK holds an answer several times over, and no model reads more.
const answerMax = 512 * 1024

/** The envelope of a call. Throws missing_scope first, then as arguments and operation do. */
async function runTool(
  tool: Tool,
  { answerBytes, database, hookSettings }: Service,
  key: ApiKey,
  given: Json,
  progress: Progress,
): Promise<string> {
  requireScope(key, tool.scope)
  const input = readToolArguments(given, tool.parameters)
  const run = (reading: Database) => tool.run(reading, input, hookSettings)
  const answer = await answerBytes.read(progress, database, run, { most: answerMax })
  return Buffer.concat(envelopePieces(answer)).toString()
}

const textOnly = (text: string) => [{ type: 'text' as const, text }]

/** What the key may see and call. A failed call is a result too. */
const openOffer = (
  service: Service,
  key: ApiKey,
  requestId: string,
  progress: Progress,
): Offer => ({
  listing: offered
    .filter(({ tool }) => allows(key, tool.scope))
    .map(({ description }) => description),
  async call(name, given) {
    const tool = tools.find(one => one.name === name)
    if (tool === undefined) return undefined
    progress.tool = name
    try {
      const text = await runTool(tool, service, key, given, progress)
      return { content: textOnly(text), structuredContent: JSON.parse(text) }
    } catch (thrown) {
      const { code, message } = clientError(thrown, service.log, requestId)
      progress.code = code
      return { content: textOnly(errorEnvelope(code, message)), isError: true }
    }
  },
})

/** Answers one message. Errors of the protocol are answers too; what fails on our side throws. */
export async function exchange(request: Request, body: Uint8Array, offer: Offer) {
  let message: unknown
  try {
    message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return { status: 400, text: rpcError(-32700, jsonExpected) }
  }
  // Revision 2025-03-26 had batches, no other has; one of them would be many calls for one permit.
  if (isObject(message)) return await answerBySdk(request, message, offer)
  return { status: 400, text: rpcError(-32600, 'Send one message: a JSON object, no batch.') }
}

const onTheMachine = ['localhost', '127.0.0.1', '[::1]']

/** A browser names its website in Origin, so a foreign one that was led here (DNS rebinding) is seen. Other clients send none. */
function checkOrigin(request: Request, own: string): void {
  const origin = request.headers.get('origin')
  const host = origin !== null && URL.canParse(origin) ? new URL(origin).hostname : ''
  if (origin === null || [...onTheMachine, new URL(own).hostname].includes(host)) return
  const sentence = 'Websites of this Origin may not call the tools.'
  throw new ApiError('invalid_request', sentence, { status: 403 })
}

/** Some clients show errors of JSON-RPC alone. The code is the status, outside of what JSON-RPC keeps for itself. */
function refuse(error: ApiError, requestId: string, headers?: Record<string, string>): Response {
  const data = JSON.parse(errorEnvelope(error.code, error.message))
  return new Response(rpcError(error.status, error.message, { data }), {
    status: error.status,
    headers: { ...commonHeaders(requestId), ...headers, ...error.headers },
  })
}

/** Turns requests to the tool server into responses; a response never fails. `origin` is the service's own. */
export const answerTools = (service: Service, origin: string) => (request: Request) => {
  const answer = async (requestId: string, progress: Progress) => {
    checkOrigin(request, origin)
    const { status, text } = await authorized(service, request, progress, async key => {
      const body = await readBody(request, bodyTimeoutOf(service))
      return await exchange(request, body, openOffer(service, key, requestId, progress))
    })
    const headers = { ...commonHeaders(requestId), ...progress.headers }
    if (text === '') return new Response(null, { status, headers })
    const onTaken = () => service.answerBytes.hold(progress, 0)
    const made = await bodyOf(request, [Buffer.from(text)], onTaken)
    return new Response(made.body, { status, headers: { ...headers, ...made.headers } })
  }
  return logged(service, request, toolPath, answer, refuse)
}
