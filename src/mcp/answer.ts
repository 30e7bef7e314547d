// POST /mcp: the tool server. Behind the same gate as REST, and one line in the same log.
import { readBody } from '../http/body.ts'
import { clientError } from '../http/client_error.ts'
import { commonHeaders, errorEnvelope, errorResponse } from '../http/envelope.ts'
import { behind, enter, type Progress, type Service } from '../http/gate.ts'
import type { Json } from '../http/json_schema.ts'
import { requestIdOf } from '../http/request_id.ts'
import { type ApiKey, allows } from '../operations/key_ring.ts'
import { TimeoutError, within } from '../within.ts'
import { exchange, type Offer, type Reply, refuseOtherContent } from './exchange.ts'
import { originCheck } from './origin.ts'
import type { Outcome } from './plain_call.ts'
import { callTool, describeTool, type Tool } from './tool.ts'
import { tools } from './tools.ts'

export const toolPath = '/mcp'

const offered = tools.map(tool => ({ tool, description: describeTool(tool) as Json }))
const byName = new Map(tools.map(tool => [tool.name, tool]))

/** What came of a request beyond its answer, for the log. */
type Told = { tool?: string; code?: string }

function openOffer(service: Service, key: ApiKey, requestId: string, told: Told): Offer {
  async function attempt(tool: Tool, given: Json): Promise<Outcome> {
    told.tool = tool.name
    try {
      return { envelope: await callTool(tool, service.database, key, given), failed: false }
    } catch (thrown) {
      const { code, message } = clientError(thrown, service.log, requestId)
      told.code = code
      return { envelope: errorEnvelope(code, message), failed: true }
    }
  }
  return {
    listing: offered.filter(({ tool }) => allows(key, tool.scope)).map(one => one.description),
    async call(name, given) {
      const tool = byName.get(name)
      return tool && (await attempt(tool, given))
    },
  }
}

function respond({ status, body }: Reply, requestId: string, headers: Record<string, string>) {
  const { 'content-type': type = '', ...common } = commonHeaders(requestId)
  return body === ''
    ? new Response(null, { status, headers: { ...common, ...headers } })
    : new Response(body, { status, headers: { 'content-type': type, ...common, ...headers } })
}

/** Turns requests to the tool server into responses; a response never fails. `origin` is the service's own. */
export function answerTools(
  service: Service,
  origin: string,
): (request: Request) => Promise<Response> {
  const { log, requestTimeoutMs } = service
  const checkOrigin = originCheck(origin)

  async function attempt(request: Request, requestId: string, progress: Progress, told: Told) {
    checkOrigin(request)
    const { key, permitted } = await enter(service, request, progress)
    const work = async () => {
      refuseOtherContent(request)
      const body = await readBody(request)
      return await exchange(request, body, openOffer(service, key, requestId, told))
    }
    return await behind(permitted, work())
  }

  async function answer(request: Request, requestId: string, progress: Progress, told: Told) {
    try {
      const attempted = attempt(request, requestId, progress, told)
      const reply = await within(attempted, requestTimeoutMs)
      return respond(reply, requestId, progress.headers)
    } catch (thrown) {
      if (thrown instanceof TimeoutError) service.onTimeout()
      const error = clientError(thrown, log, requestId)
      told.code = error.code
      return errorResponse(error, requestId, progress.headers)
    }
  }

  return async request => {
    const startedAt = performance.now()
    const requestId = requestIdOf(request)
    const progress: Progress = { headers: {} }
    const told: Told = {}
    const response = await answer(request, requestId, progress, told)
    log.request({
      request_id: requestId,
      method: request.method,
      route: toolPath,
      status: response.status,
      ...told,
      ...(progress.keyId && { key_id: progress.keyId }),
      duration_ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
    })
    return response
  }
}
