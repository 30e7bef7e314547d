// Answers one request to one route. The order is fixed: request id, authentication, limit, scope,
// validation, operation. Authentication is part of every route by construction; there is no hook to forget.
import type { Database } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { Log } from '../log.ts'
import { allows } from '../operations/key_ring.ts'
import { type Permit, type RateLimit, windowSeconds } from '../operations/rate_limit.ts'
import { authenticate, type Gate } from './auth.ts'
import { commonHeaders, envelope, errorResponse } from './envelope.ts'
import { decode, readQuery } from './parameters.ts'
import type { Answer, PathParameter, Route } from './route.ts'

export type Service = {
  database: Database
  gate: Gate
  rateLimit: RateLimit
  log: Log
  /** The client a request counts for. */
  clientOf(request: Request): string
  /** After this long a request is given up as internal_error. */
  requestTimeoutMs: number
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const requestIdForm = /^[\w.-]{1,128}$/
// No identity is longer: 254 characters of mail address, each at most 12 characters in percent-encoding.
const keyLengthMax = 3_072
const bodyBytesMax = 64 * 1024

/** The id a client sent, if it is a plain word, else a new one. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id')
  return given !== null && requestIdForm.test(given) ? given : crypto.randomUUID()
}

/** Path and query as they were sent: Elysia's own decoding hides bad percent-encoding. */
export function splitUrl(url: string): { path: string; query: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const question = url.indexOf('?', start)
  return question < 0
    ? { path: url.slice(start), query: '' }
    : { path: url.slice(start, question), query: url.slice(question + 1) }
}

/** No route reads a body larger than this; a GET has none to read at all. */
function refuseLargeBody(request: Request) {
  if (Number(request.headers.get('content-length') ?? 0) > bodyBytesMax)
    throw new ApiError('invalid_request', `A body takes at most ${bodyBytesMax} bytes.`, {
      status: 413,
    })
}

function readPathParameter(raw: string, name: string, { kind }: PathParameter): string {
  if (kind === 'uuid') {
    if (!uuidForm.test(raw)) throw new ApiError('invalid_id', `${name} must be a UUID.`)
    return raw
  }
  if (raw.length > keyLengthMax)
    throw new ApiError('invalid_request', `${name} is too long for an identity.`)
  return decode(raw, name)
}

function readPath(route: Route, segments: string[], path: string): Record<string, string> {
  const given = path.split('/').slice(-segments.length)
  const values: Record<string, string> = {}
  for (const [name, parameter] of Object.entries(route.pathParameters ?? {}))
    values[name] = readPathParameter(given[segments.indexOf(`{${name}}`)] ?? '', name, parameter)
  return values
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

function deadline(milliseconds: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('request timed out')), milliseconds)
  })
  return { passed, clear: () => clearTimeout(timer) }
}

/** The outcome of a route for one request, as far as a log line tells it. */
type Progress = { keyId?: string; headers: Record<string, string> }

/** Turns a route into a function from request to response; the response never fails. */
export function answerRoute(
  service: Service,
  route: Route,
): (request: Request) => Promise<Response> {
  const { database, gate, rateLimit, log } = service
  const segments = route.path.slice(1).split('/')

  async function operate(request: Request): Promise<Answer> {
    refuseLargeBody(request)
    const { path, query } = splitUrl(request.url)
    const input = { path: readPath(route, segments, path), query: readQuery(query, route.query) }
    return await route.run(database, input)
  }

  async function attempt(request: Request, progress: Progress): Promise<Answer> {
    const header = request.headers.get('authorization')
    const key = await authenticate(gate, header, () => service.clientOf(request))
    progress.keyId = key.id
    // Both are sent before either is awaited, so limit and rows share one trip to the database. The order
    // of their errors stays the contract's; rows of a refused request are dropped unread.
    const claimed = rateLimit.claim(key.id)
    const operated = allows(key, route.scope)
      ? operate(request)
      : Promise.reject(
          new ApiError('missing_scope', `This key lacks the scope ${route.scope}.`, {
            headers: {
              'www-authenticate': `Bearer realm="workspace-data-api", error="insufficient_scope", scope="${route.scope}"`,
            },
          }),
        )
    operated.catch(() => {})
    const permit = await claimed
    progress.headers = limitHeaders(rateLimit, permit)
    if (!permit.granted) throw rateLimited(permit, rateLimit.permitsMax)
    return await operated
  }

  async function succeed(request: Request, requestId: string, progress: Progress) {
    const timeout = deadline(service.requestTimeoutMs)
    try {
      const { data, meta } = await Promise.race([attempt(request, progress), timeout.passed])
      const headers = { ...commonHeaders(requestId), ...progress.headers }
      return new Response(envelope(data, meta), { headers })
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
