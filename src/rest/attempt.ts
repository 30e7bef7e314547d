// What a request to a route comes to, in a fixed order: authentication, limit, scope, validation, operation.
// Authentication is part of every route by construction; there is nothing to forget.
import { authenticate } from '../http/auth.ts'
import { refuseLargeBody } from '../http/body.ts'
import type { Answer } from '../http/envelope.ts'
import {
  behind,
  bodyTimeoutOf,
  enter,
  missingScope,
  type Progress,
  type Service as Shared,
} from '../http/gate.ts'
import { readQuery } from '../http/parameters.ts'
import type { Subscribing } from '../operations/hooks.ts'
import { allows } from '../operations/key_ring.ts'
import { readJsonBody } from './json_body.ts'
import { readPath, splitUrl } from './request.ts'
import type { Route } from './route.ts'
import type { Streams } from './streams.ts'

export type Service = Shared & { streams: Streams; subscribing: Subscribing }

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

/** Turns a route into a function from request to outcome. Throws ApiError, or whatever went wrong on our side. */
export function attemptRoute(service: Service, route: Route) {
  const { database, authentication, streams, subscribing } = service

  const readInput = (request: Request) => {
    // A GET has none to read at all.
    refuseLargeBody(request)
    const { path, query } = splitUrl(request.url)
    return { path: readPath(route, path), query: readQuery(query, route.query) }
  }

  /** Validates and runs: what the client may do is decided elsewhere. */
  const operate = async (request: Request) => {
    const input = readInput(request)
    const body = route.body ? await readJsonBody(request, bodyTimeoutOf(service)) : undefined
    return await route.run(database, { ...input, body }, subscribing)
  }

  const stream = async (request: Request, open: NonNullable<Route['stream']>) => {
    const { query } = readInput(request)
    const header = request.headers.get('authorization')
    const isAllowed = () =>
      authenticate(authentication, header, () => 'stream').then(
        key => allows(key, route.scope),
        () => false,
      )
    return await open(database, query, streams.open(request, isAllowed))
  }

  return async (
    request: Request,
    progress: Progress,
  ): Promise<Answer | ReadableStream<Uint8Array>> => {
    const { key, permitted } = await enter(service, request, progress)
    const opensStream = route.stream && wantsStream(request) ? route.stream : undefined
    // A stream holds a place and a write leaves a trace: neither begins before it is permitted.
    if (opensStream || route.method !== 'GET') {
      await permitted
      if (!allows(key, route.scope)) throw missingScope(route.scope)
      return await (opensStream ? stream(request, opensStream) : operate(request))
    }
    // Both are sent before either is awaited, so limit and rows share one trip to the database. The order
    // of their errors stays the contract's; rows of a refused request are dropped unread.
    const operated = allows(key, route.scope)
      ? operate(request)
      : Promise.reject(missingScope(route.scope))
    return await behind(permitted, operated)
  }
}
