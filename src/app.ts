// Builds the Elysia app from its parts, without listening: tests call app.fetch.
import { Elysia } from 'elysia'
import type { Dashboard } from './dashboard/dashboard.ts'
import { ApiError } from './errors.ts'
import { commonHeaders } from './http/envelope.ts'
import { logged } from './http/logged.ts'
import { requestIdOf } from './http/request_id.ts'
import { lazily } from './lazily.ts'
import { toolPath } from './mcp/path.ts'
import { answerRoute } from './rest/answer.ts'
import type { Service } from './rest/attempt.ts'
import { type Asset, docsPolicy } from './rest/docs.ts'
import { healthz } from './rest/health.ts'
import { basePath, routes } from './rest/routes.ts'

/** What is served beside the API. */
export type Beside = {
  /** Response bodies by path, with their content types: the API description and its reader. */
  assets: Record<string, Asset>
  readyz(request: Request): Promise<Response>
  /** Under which clients reach the service. */
  origin: string
  /** Answers whatever lies at and below /dashboard. */
  dashboard: Dashboard
}

/** `/leads/{leadId}` as Elysia writes it. */
const pattern = (path: string) => basePath + path.replace(/\{(\w+)\}/g, ':$1')

const refuse = (service: Service, request: Request, thrown: unknown) =>
  logged(service, request, '-', () => Promise.reject(thrown))

const unknownPath = () =>
  new ApiError('not_found', `There is nothing at this path; the API lives under ${basePath}.`)

const wrongMethod = (allowed: string) =>
  new ApiError('invalid_request', `This path takes ${allowed}.`, {
    status: 405,
    headers: { allow: allowed },
  })

const methods = ['GET', 'HEAD', 'POST', 'DELETE'] as const
type Answers = Partial<
  Record<(typeof methods)[number], (request: Request) => Promise<Response> | Response>
>

/** `GET, HEAD, POST`: what a path takes, as Allow has it. */
const allowOf = (answers: Answers) => methods.filter(method => answers[method]).join(', ')

const assetResponse = async (request: Request, { type, body }: Asset) =>
  new Response(typeof body === 'string' ? body : await body(), {
    headers: {
      ...commonHeaders(requestIdOf(request)),
      'content-type': type,
      'content-security-policy': docsPolicy,
    },
  })

export function buildApp(service: Service, beside: Beside) {
  // standardHostname: with it on, a host name shorter than four characters makes every path a 404.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })

  const serve = (path: string, answers: Answers) => {
    // The server keeps the head of a HEAD answer, its length included, and drops the body.
    const all: Answers = answers.GET ? { ...answers, HEAD: answers.GET } : answers
    for (const [method, answer] of Object.entries(all))
      app.route(method, path, ({ request }) => answer(request))
    const refusal = wrongMethod(allowOf(all))
    app.all(path, ({ request }) => refuse(service, request, refusal))
  }

  for (const [path, sharing] of Map.groupBy(routes, route => route.path)) {
    const answers = Object.fromEntries(
      sharing.map(route => [route.method, answerRoute(service, route)]),
    )
    serve(pattern(path), answers)
    // An empty key is a malformed key, not an unknown path (spec 4, rule 3).
    if (path.includes('{key}')) serve(pattern(path.replace('{key}', '')), answers)
  }
  for (const [path, asset] of Object.entries(beside.assets))
    serve(path, { GET: request => assetResponse(request, asset) })
  const tools = lazily(async () => {
    const { answerTools } = await import('./mcp/answer.ts')
    return answerTools(service, beside.origin)
  })
  serve(toolPath, { POST: tools })
  serve('/healthz', { GET: healthz })
  serve('/readyz', { GET: beside.readyz })
  for (const path of ['/dashboard', '/dashboard/*'])
    app.all(path, ({ request }) => beside.dashboard(request, requestIdOf(request)))

  return app.onError(({ request, error, code }) =>
    refuse(service, request, code === 'NOT_FOUND' ? unknownPath() : error),
  )
}
