// Builds the Elysia app from its parts, without listening: tests call app.fetch.
import { Elysia } from 'elysia'
import type { Dashboard } from '../dashboard/dashboard.ts'
import { ApiError } from '../errors.ts'
import { acceptsCoding } from '../lib/accepts.ts'
import { lazy } from '../lib/lazy.ts'
import { basePath, routes } from '../operations/contract.ts'
import { gzip } from '../runtime/runtime.ts'
import { type Asset, docsPolicy } from './docs/docs.ts'
import { commonHeaders } from './http/envelope.ts'
import { logged, requestIdOf } from './http/request_line.ts'
import { toolPath } from './mcp/tool.ts'
import { answerRoute, type RestService } from './rest/answer.ts'
import { healthz } from './rest/health.ts'

/** What is served next to the API. */
type AppExtras = {
  /** Response bodies by path, with their content types: the API description and its reader. */
  assets: Record<string, Asset>
  readyz(request: Request): Promise<Response>
  /** Under which clients reach the service. */
  origin(): string
  /** Answers whatever lies at and below /dashboard. */
  dashboard: Dashboard
}

/** `/leads/{leadId}` as Elysia writes it. */
const pattern = (path: string) => basePath + path.replace(/\{(\w+)\}/g, ':$1')

// One name or address, and a port, as RFC 9112 (3.2) asks. Empty, or none with HTTP/1.0, is allowed. What the runtime makes of
// several, or of text that is no host, is refused.
const hostForm = /^(?:(?:[\w.~-]|%[\da-f]{2})*|\[[\da-f:.]+(?:%25[\w.~-]+)?\])(?::\d{0,5})?$/i

export const hasOneHost = (request: Request): boolean =>
  hostForm.test(request.headers.get('host') ?? '')

const invalidHost = () =>
  new ApiError('invalid_request', 'The Host header must name one host, such as api.example.com.')

// Repeats nothing of the request.
const unknownPath = () =>
  new ApiError(
    'not_found',
    `There is nothing at this path; paths are exact, and ${basePath}/openapi.json lists those of the API.`,
  )

const refuse = (service: RestService, request: Request, thrown: unknown) =>
  logged(service, request, '-', () => Promise.reject(thrown))

const wrongMethod = (allowed: string) =>
  new ApiError('invalid_request', `This path takes ${allowed}.`, {
    status: 405,
    headers: { allow: allowed },
  })

/** The answer to each method of a path. */
type Answers = Record<string, (request: Request) => Promise<Response> | Response>

const forEver = { 'cache-control': 'public, max-age=31536000, immutable' }

function answerAsset({ type, body, immutable }: Asset) {
  let packed: ReturnType<typeof gzip> | undefined
  return async (request: Request) => {
    const text = await body()
    const isPacked = acceptsCoding(request, 'gzip')
    // Made once: a request for it needs no key.
    if (isPacked) packed ??= gzip(Buffer.from(text))
    const headers = {
      ...commonHeaders(requestIdOf(request)),
      ...(isPacked && { 'content-encoding': 'gzip' }),
      ...(immutable && forEver),
      vary: 'accept-encoding',
      'content-type': type,
      'content-security-policy': docsPolicy,
    }
    return new Response(isPacked ? await packed : text, { headers })
  }
}

/** Who opens the address alone wants to know what is there. */
const toDocs = (request: Request) =>
  new Response(null, {
    status: 302,
    headers: { ...commonHeaders(requestIdOf(request)), location: '/docs' },
  })

export function buildApp(service: RestService, extras: AppExtras) {
  // standardHostname: with it on, a host name shorter than four characters makes every path a 404.
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })

  const answerAt = (path: string, answers: Answers) => {
    // The server keeps the head of a HEAD answer, its length included, and drops the body.
    const all = answers.GET ? { GET: answers.GET, HEAD: answers.GET, ...answers } : answers
    for (const [method, answer] of Object.entries(all))
      app.route(method, path, ({ request }) => answer(request))
    const refusal = wrongMethod(Object.keys(all).join(', '))
    app.all(path, ({ request }) => refuse(service, request, refusal))
  }

  for (const [path, sharing] of Map.groupBy(routes, route => route.path)) {
    const answers = Object.fromEntries(
      sharing.map(route => [
        route.method,
        (request: Request) => answerRoute(service, route, request),
      ]),
    )
    answerAt(pattern(path), answers)
    // An empty key is a malformed key, not an unknown path (spec 4, rule 3).
    if (path.includes('{key}')) answerAt(pattern(path.replace('{key}', '')), answers)
  }
  for (const [path, asset] of Object.entries(extras.assets))
    answerAt(path, { GET: answerAsset(asset) })
  answerAt('/', { GET: toDocs })
  const tools = lazy(async () => {
    const { answerTools } = await import('./mcp/answer_tools.ts')
    return answerTools(service, extras.origin())
  })
  answerAt(toolPath, { POST: tools })
  answerAt('/healthz', { GET: healthz })
  answerAt('/readyz', { GET: extras.readyz })
  for (const path of ['/dashboard', '/dashboard/*'])
    app.all(path, ({ request }) => extras.dashboard(request, requestIdOf(request)))

  return app.onError(({ request, error, code }) =>
    refuse(service, request, code === 'NOT_FOUND' ? unknownPath() : error),
  )
}

/** Answers what names its host and a path as it is; the rest gets no further. */
export const answerApp =
  (service: RestService, app: ReturnType<typeof buildApp>) =>
  (request: Request, isKnownPath: boolean): Response | Promise<Response> => {
    if (!hasOneHost(request) || !URL.canParse(request.url))
      return refuse(service, request, invalidHost())
    return isKnownPath ? app.fetch(request) : refuse(service, request, unknownPath())
  }

export const pathsOf = (app: ReturnType<typeof buildApp>): string[] => [
  ...new Set(app.routes.map(({ path }) => path)),
]
