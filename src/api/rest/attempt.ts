// What a request to a route comes to, in a fixed order: authentication, limit, scope, validation, operation.
// Authentication is part of every route by construction; there is nothing to forget.
import { type ApiKey, allows } from '../../operations/key_ring.ts'
import type { Answer } from '../../operations/operation.ts'
import { authenticate } from '../http/auth.ts'
import { refuseLargeBody } from '../http/body.ts'
import {
  behind,
  bodyTimeoutOf,
  enter,
  missingScope,
  type Progress,
  type Service,
} from '../http/gate.ts'
import { isAbsent, refuseAbsent } from '../http/presence.ts'
import { readJsonBody } from './json_body.ts'
import { readInput } from './request.ts'
import type { OpenStream, RestRoute } from './route.ts'
import type { Streams } from './streams.ts'

export type RestService = Service & { streams: Streams }

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

/** Generated clients name both types at equal weight and read to the end: they mean JSON. */
function wantsStream(request: Request): boolean {
  const accept = request.headers.get('accept') ?? ''
  const stream = weightOf(accept, 'text/event-stream') ?? 0
  return request.method === 'GET' && stream > (weightOf(accept, 'application/json') ?? 0)
}

/** Turns a route into a function from request to outcome. Throws ApiError, or whatever went wrong on our side. */
export function attemptRoute(service: RestService, route: RestRoute) {
  const { database, authentication, streams, subscribing } = service

  const inputOf = (request: Request) => {
    // A GET has none to read at all.
    refuseLargeBody(request)
    return readInput(route, request.url)
  }

  /** Validates and runs: what the client may do is decided elsewhere. */
  const operate = async (request: Request) => {
    const input = inputOf(request)
    if (route.body) input.body = await readJsonBody(request, bodyTimeoutOf(service))
    if (route.method !== 'GET') refuseAbsent(request)
    const answer = await route.run(database, input, subscribing)
    if (route.undo && isAbsent(request)) {
      await route.undo(database, answer)
      refuseAbsent(request)
    }
    return answer
  }

  const stream = async (
    request: Request,
    { id }: ApiKey,
    open: NonNullable<RestRoute['stream']>,
  ) => {
    const input = inputOf(request)
    const header = request.headers.get('authorization')
    const isAllowed = () =>
      authenticate(authentication, header, () => 'stream').then(
        key => allows(key, route.scope),
        () => false,
      )
    return await open(database, input, streams.open(request, id, isAllowed))
  }

  return async (request: Request, progress: Progress): Promise<Answer | OpenStream> => {
    const { key, permitted } = await enter(service, request, progress)
    const opensStream = route.stream && wantsStream(request) ? route.stream : undefined
    // A stream holds a place and a write leaves a trace: neither begins before it is permitted.
    if (opensStream || route.method !== 'GET') {
      await permitted
      if (!allows(key, route.scope)) throw missingScope(route.scope)
      return await (opensStream ? stream(request, key, opensStream) : operate(request))
    }
    // Both are sent before either is awaited, so limit and rows share one trip to the database. The order
    // of their errors stays the contract's; rows of a refused request are dropped unread.
    const operated = allows(key, route.scope)
      ? operate(request)
      : Promise.reject(missingScope(route.scope))
    return await behind(permitted, operated)
  }
}
