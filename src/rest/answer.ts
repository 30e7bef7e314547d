// Answers one request to one route. The order is fixed: request id, authentication, limit, scope,
// validation, operation. Authentication is part of every route by construction; there is no hook to forget.
import type { Database } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { Log } from '../log.ts'
import { allows } from '../operations/key_ring.ts'
import { type Permit, type RateLimit, windowSeconds } from '../operations/rate_limit.ts'
import { authenticate, type Gate } from './auth.ts'
import { commonHeaders, envelope, errorResponse } from './envelope.ts'
import { readQuery } from './parameters.ts'
import { readPath, refuseLargeBody, requestIdOf, splitUrl } from './request.ts'
import type { Answer, Route } from './route.ts'
import type { Streams } from './streams.ts'

export type Service = {
  database: Database
  gate: Gate
  rateLimit: RateLimit
  log: Log
  streams: Streams
  /** The client a request counts for. */
  clientOf(request: Request): string
  /** After this long a request is given up as internal_error. */
  requestTimeoutMs: number
  /** A request was given up: the database has fallen silent, for it would have cancelled a slow statement. */
  onTimeout(): void
}

function limitHeaders(rateLimit: RateLimit, { remaining, waitSeconds }: Permit) {
  const { permitsMax } = rateLimit
  return {
    'ratelimit-policy': `"default";q=${permitsMax};w=${windowSeconds}`,
    ratelimit: `"default";r=${remaining};t=${waitSeconds || windowSeconds}`,
  }
}

const rateLimited = ({ waitSeconds }: Permit, permitsMax: number) =>
  new ApiError(
    'rate_limited',
    `More than ${permitsMax} requests in ${windowSeconds} s with this key; try again in ${waitSeconds} s.`,
    { headers: { 'retry-after': String(waitSeconds) } },
  )

function deadline({ requestTimeoutMs, onTimeout }: Service) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onTimeout()
      reject(new Error('request timed out'))
    }, requestTimeoutMs)
  })
  return { passed, clear: () => clearTimeout(timer) }
}

/** How far a request came, as far as a log line tells it. */
type Progress = { keyId?: string; headers: Record<string, string> }

const wantsStream = (request: Request): boolean =>
  request.method === 'GET' && (request.headers.get('accept') ?? '').includes('text/event-stream')

const missingScope = (scope: string) =>
  new ApiError('missing_scope', `This key lacks the scope ${scope}.`, {
    headers: {
      'www-authenticate': `Bearer realm="workspace-data-api", error="insufficient_scope", scope="${scope}"`,
    },
  })

/** Turns a route into a function from request to response; the response never fails. */
export function answerRoute(
  service: Service,
  route: Route,
): (request: Request) => Promise<Response> {
  const { database, gate, rateLimit, log } = service

  /** Validates and runs: what the client may do is decided elsewhere. */
  async function operate(request: Request): Promise<Answer | ReadableStream<Uint8Array>> {
    refuseLargeBody(request)
    const { path, query } = splitUrl(request.url)
    const input = { path: readPath(route, path), query: readQuery(query, route.query) }
    return route.stream && wantsStream(request)
      ? await route.stream(database, input.query, service.streams.open(request, gate))
      : await route.run(database, input)
  }

  async function attempt(request: Request, progress: Progress) {
    const header = request.headers.get('authorization')
    const key = await authenticate(gate, header, () => service.clientOf(request))
    progress.keyId = key.id
    // Both are sent before either is awaited, so limit and rows share one trip to the database. The order
    // of their errors stays the contract's; rows of a refused request are dropped unread.
    const claimed = rateLimit.claim(key.id)
    const operated = allows(key, route.scope)
      ? operate(request)
      : Promise.reject(missingScope(route.scope))
    operated.catch(() => {})
    const permit = await claimed
    progress.headers = limitHeaders(rateLimit, permit)
    if (!permit.granted) throw rateLimited(permit, rateLimit.permitsMax)
    return await operated
  }

  async function succeed(request: Request, requestId: string, progress: Progress) {
    const timeout = deadline(service)
    try {
      const answer = await Promise.race([attempt(request, progress), timeout.passed])
      const headers = { ...commonHeaders(requestId), ...progress.headers }
      if (answer instanceof ReadableStream)
        return new Response(answer, {
          headers: { ...headers, 'content-type': 'text/event-stream' },
        })
      return new Response(envelope(answer.data, answer.meta), { headers })
    } finally {
      timeout.clear()
    }
  }

  return async request => {
    const startedAt = performance.now()
    const requestId = requestIdOf(request)
    const progress: Progress = { headers: {} }
    let response: Response
    let code: string | undefined
    try {
      response = await succeed(request, requestId, progress)
    } catch (thrown) {
      const error = clientError(thrown, log, requestId)
      code = error.code
      response = errorResponse(error, requestId, progress.headers)
    }
    log.request({
      request_id: requestId,
      method: request.method,
      route: route.path,
      status: response.status,
      ...(code && { code }),
      ...(progress.keyId && { key_id: progress.keyId }),
      duration_ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
    })
    return response
  }
}

/** What the client may know of an error: an ApiError as it is, anything else as internal_error. */
export function clientError(thrown: unknown, log: Log, requestId: string): ApiError {
  if (thrown instanceof ApiError) return thrown
  log.fault('request', thrown, requestId)
  return new ApiError('internal_error', `Unexpected failure; quote request ${requestId}.`)
}
