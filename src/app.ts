// Builds the Elysia app from its parts, without listening: tests call app.fetch.
import { Elysia } from 'elysia'
import { ApiError } from './errors.ts'
import { clientError } from './http/client_error.ts'
import { commonHeaders, errorResponse } from './http/envelope.ts'
import { requestIdOf } from './http/request_id.ts'
import { answerTools, toolPath } from './mcp/answer.ts'
import { answerRoute } from './rest/answer.ts'
import type { Service } from './rest/attempt.ts'
import { docsPolicy } from './rest/docs.ts'
import { healthz } from './rest/health.ts'
import { basePath, routes } from './rest/routes.ts'

/** What is served beside the API. */
export type Beside = {
  /** Response bodies by path, with their content types: the API description and its reader. */
  assets: Record<string, { type: string; body: string }>
  readyz(request: Request): Promise<Response>
  /** Under which clients reach the service. */
  origin: string
}

/** `/leads/{leadId}` as Elysia writes it. */
const pattern = (path: string) => basePath + path.replace(/\{(\w+)\}/g, ':$1')

function refuse(service: Service, request: Request, thrown: unknown): Response {
  const requestId = requestIdOf(request)
  const error = clientError(thrown, service.log, requestId)
  service.log.request({
    request_id: requestId,
    method: request.method,
    route: '-',
    status: error.status,
    code: error.code,
    duration_ms: 0,
  })
  return errorResponse(error, requestId)
}

const unknownPath = () =>
  new ApiError('not_found', `There is nothing at this path; the API lives under ${basePath}.`)

const wrongMethod = (allowed: string) =>
  new ApiError('invalid_request', `This path takes ${allowed}.`, {
    status: 405,
    headers: { allow: allowed },
  })

export function buildApp(service: Service, beside: Beside) {
  // standardHostname: with it on, a host name shorter than four characters makes every path a 404.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })

  // The server keeps the head of a HEAD answer, its length included, and drops the body.
  const serve = (path: string, answer: (request: Request) => Promise<Response> | Response) => {
    app.get(path, ({ request }) => answer(request))
    app.head(path, ({ request }) => answer(request))
    app.all(path, ({ request }) => refuse(service, request, wrongMethod('GET, HEAD')))
  }

  for (const route of routes) {
    const answer = answerRoute(service, route)
    serve(pattern(route.path), answer)
    // An empty key is a malformed key, not an unknown path (spec 4, rule 3).
    if (route.path.includes('{key}')) serve(pattern(route.path.replace('{key}', '')), answer)
  }
  for (const [path, { type, body }] of Object.entries(beside.assets)) {
    serve(
      path,
      request =>
        new Response(body, {
          headers: {
            ...commonHeaders(requestIdOf(request)),
            'content-type': type,
            'content-security-policy': docsPolicy,
          },
        }),
    )
  }
  const answer = answerTools(service, beside.origin)
  app.post(toolPath, ({ request }) => answer(request), { parse: 'none' })
  app.all(toolPath, ({ request }) => refuse(service, request, wrongMethod('POST')))
  serve('/healthz', healthz)
  serve('/readyz', beside.readyz)

  return app.onError(({ request, error, code }) =>
    refuse(service, request, code === 'NOT_FOUND' ? unknownPath() : error),
  )
}
