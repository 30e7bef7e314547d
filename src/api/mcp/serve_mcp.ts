// POST /mcp: the tool server. Behind the same gate as REST, and one line in the same log.

import { withTimeout } from '../../lib/timeout.ts'
import { type ApiKey, allows } from '../../operations/key_ring.ts'
import { bodyOf } from '../../runtime/runtime.ts'
import { readBody } from '../http/body.ts'
import { clientError } from '../http/client_error.ts'
import { commonHeaders, errorEnvelope } from '../http/envelope.ts'
import { afterPermit, authorize, bodyTimeoutOf, type Progress, type Service } from '../http/gate.ts'
import type { Json } from '../http/json_schema.ts'
import { logged } from '../http/logged.ts'
import { exchange, refuseOtherContent } from './exchange.ts'
import { checkOriginHeader } from './origin.ts'
import { toolPath } from './path.ts'
import type { ToolResult } from './plain_call.ts'
import type { Offer, ToolReply } from './reply.ts'
import { callTool, describeTool, type Tool } from './tool.ts'
import { tools } from './tools.ts'

const offered = tools.map(tool => ({ tool, description: describeTool(tool) as Json }))
const byName = new Map(tools.map(tool => [tool.name, tool]))

function openOffer(service: Service, key: ApiKey, requestId: string, progress: Progress): Offer {
  async function attempt(tool: Tool, given: Json): Promise<ToolResult> {
    progress.tool = tool.name
    try {
      return { envelope: await callTool(tool, service, key, given), failed: false }
    } catch (thrown) {
      const { code, message } = clientError(thrown, service.log, requestId)
      progress.code = code
      return { envelope: Buffer.from(errorEnvelope(code, message)), failed: true }
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

function respond(request: Request, { status, body }: ToolReply, headers: Record<string, string>) {
  const { 'content-type': type = '', ...others } = headers
  return body.length === 0
    ? new Response(null, { status, headers: others })
    : new Response(bodyOf(request, body), { status, headers: { 'content-type': type, ...others } })
}

/** Turns requests to the tool server into responses; a response never fails. `origin` is the service's own. */
export function answerTools(
  service: Service,
  origin: string,
): (request: Request) => Promise<Response> {
  const checkOrigin = checkOriginHeader(origin)

  async function attempt(request: Request, requestId: string, progress: Progress) {
    checkOrigin(request)
    const { key, permitted } = await authorize(service, request, progress)
    const work = async () => {
      refuseOtherContent(request)
      const body = await readBody(request, bodyTimeoutOf(service))
      return await exchange(request, body, openOffer(service, key, requestId, progress))
    }
    return await afterPermit(permitted, work())
  }

  return request =>
    logged(service, request, toolPath, async (requestId, progress) => {
      const attempted = attempt(request, requestId, progress)
      const reply = await withTimeout(attempted, service.requestTimeoutMs)
      return respond(request, reply, { ...commonHeaders(requestId), ...progress.headers })
    })
}
