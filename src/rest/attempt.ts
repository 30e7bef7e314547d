// What a request to a route comes to, in a fixed order: authentication, limit, scope, validation, operation.
// Authentication is part of every route by construction; there is no hook to forget.
import type { Database } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Subscribing } from '../operations/hooks.ts'
import { allows } from '../operations/key_ring.ts'
import { type Permit, type RateLimit, windowSeconds } from '../operations/rate_limit.ts'
import { authenticate, type Gate } from './auth.ts'
import { readBody } from './body.ts'
import { readQuery } from './parameters.ts'
import { readPath, refuseLargeBody, splitUrl } from './request.ts'
import type { Answer, Route } from './route.ts'
import type { Streams } from './streams.ts'

export type Service = {
  database: Database
  gate: Gate
  rateLimit: RateLimit
  log: Log
  streams: Streams
  subscribing: Subscribing
  /** The client a request counts for. */
  clientOf(request: Request): string
  /** After this long a request is given up as internal_error. */
  requestTimeoutMs: number
  /** A request was given up. */
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

/** How far a request came, as far as a log line tells it. */
export type Progress = { keyId?: string; headers: Record<string, string> }

/** How much a client wants a type (RFC 9110): 0 not at all, undefined where it does not name it. */
function weightOf(accept: string, type: string): number | undefined {
  for (const entry of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = entry.split(';').map(part => part.trim())
    if (name !== type) continue
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    return weight === undefined ? 1 : Number(weight) || 0
  }
  return undefined
}

/** Whoever names the stream and likes JSON no better gets the stream. */
function wantsStream(request: Request): boolean {
  const accept = request.headers.get('accept') ?? ''
  const stream = weightOf(accept, 'text/event-stream') ?? 0
  return (
    request.method === 'GET' && stream > 0 && stream >= (weightOf(accept, 'application/json') ?? 0)
  )
}

const missingScope = (scope: string) =>
  new ApiError('missing_scope', `This key lacks the scope ${scope}.`, {
    headers: {
      'www-authenticate': `Bearer realm="workspace-data-api", error="insufficient_scope", scope="${scope}"`,
    },
  })

/** Turns a route into a function from request to outcome. Throws ApiError, or whatever went wrong on our side. */
export function attemptRoute(service: Service, route: Route) {
  const { database, gate, rateLimit, clientOf, streams, subscribing } = service
  // The rest of a request's time is for what is done with the body.
  const bodyTimeoutMs = service.requestTimeoutMs / 2

  const readInput = (request: Request) => {
    refuseLargeBody(request)
    const { path, query } = splitUrl(request.url)
    return { path: readPath(route, path), query: readQuery(query, route.query) }
  }

  /** Validates and runs: what the client may do is decided elsewhere. */
  const operate = async (request: Request) => {
    const input = readInput(request)
    const body = route.body ? await readBody(request, bodyTimeoutMs) : undefined
    return await route.run(database, { ...input, body }, subscribing)
  }

  const stream = async (request: Request, open: NonNullable<Route['stream']>) => {
    const { query } = readInput(request)
    return await open(database, query, streams.open(request, gate, route.scope))
  }

  function usePermit(permit: Permit, progress: Progress) {
    progress.headers = limitHeaders(rateLimit, permit)
    if (!permit.granted) throw rateLimited(permit, rateLimit.permitsMax)
  }

  return async (
    request: Request,
    progress: Progress,
  ): Promise<Answer | ReadableStream<Uint8Array>> => {
    const header = request.headers.get('authorization')
    const key = await authenticate(gate, header, () => clientOf(request))
    progress.keyId = key.id
    const refusal = rateLimit.refusal(key.id)
    if (refusal) usePermit(refusal, progress)
    const claimed = rateLimit.claim(key.id)
    const opensStream = route.stream && wantsStream(request) ? route.stream : undefined
    // A stream holds a place and a write leaves a trace: neither begins before it is permitted.
    if (opensStream || route.method !== 'GET') {
      usePermit(await claimed, progress)
      if (!allows(key, route.scope)) throw missingScope(route.scope)
      return await (opensStream ? stream(request, opensStream) : operate(request))
    }
    // Both are sent before either is awaited, so limit and rows share one trip to the database. The order
    // of their errors stays the contract's; rows of a refused request are dropped unread.
    const operated = allows(key, route.scope)
      ? operate(request)
      : Promise.reject(missingScope(route.scope))
    operated.catch(() => {})
    usePermit(await claimed, progress)
    return await operated
  }
}
