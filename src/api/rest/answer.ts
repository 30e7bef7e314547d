// Answers one request to one route. Authentication is part of every route by construction; there is nothing to forget.
import type { Database } from '../../db/database.ts'
import { weightsOf } from '../../lib/accepts.ts'
import type { Route } from '../../operations/contract.ts'
import { type ApiKey, allows } from '../../operations/key_ring.ts'
import type { Answer } from '../../operations/operation.ts'
import { bodyOf } from '../../runtime/runtime.ts'
import {
  authenticate,
  authorized,
  bodyTimeoutOf,
  type Progress,
  requireScope,
  type Service,
} from '../http/authorize.ts'
import { readJson, refuseLargeBody } from '../http/body.ts'
import { commonHeaders, envelopePieces } from '../http/envelope.ts'
import { logged } from '../http/request_line.ts'
import { type OpenStream, openEventStream, type Streams } from './event_stream.ts'
import { readInput, splitUrl } from './input.ts'

export type RestService = Service & {
  streams: Streams
}

// The most precise one that is named decides.
const jsonRanges = ['application/json', 'application/*', '*/*']

/** Generated clients accept both types at equal weight and read to the end: they mean JSON. A stream is named, never meant by *. */
function wantsStream(request: Request): boolean {
  const weights = weightsOf(request.headers.get('accept'))
  const json = jsonRanges.find(range => weights.has(range)) ?? ''
  const stream = weights.get('text/event-stream') ?? 0
  return request.method === 'GET' && stream > (weights.get(json) ?? 0)
}

/** Throws as the parameters and the body do. */
async function validate(service: RestService, route: Route, request: Request, progress: Progress) {
  // A GET has none to read at all.
  refuseLargeBody(request)
  const { input, ignored } = readInput(route, request.url)
  if (ignored.length > 0) {
    progress.ignored = ignored
    progress.headers['x-ignored-parameters'] = ignored.join(', ')
  }
  return route.body ? { ...input, body: await readJson(request, bodyTimeoutOf(service)) } : input
}

/** Ends when its key no longer allows the route. */
function openStream(
  { database, authentication, streams }: RestService,
  route: Route,
  request: Request,
  key: ApiKey,
  input: object,
): Promise<OpenStream> {
  const header = request.headers.get('authorization')
  const isAllowed = () =>
    authenticate(authentication, header, () => 'stream').then(
      key => allows(key, route.scope),
      () => false,
    )
  const context = streams.open(request, key.id, isAllowed)
  return openEventStream(database, input as never, context)
}

/** Authentication, limit, scope, validation, operation: errors come in this order. Throws ApiError, or what went wrong on our side. */
async function attempt(
  service: RestService,
  route: Route,
  request: Request,
  progress: Progress,
): Promise<Answer | OpenStream> {
  return await authorized(service, request, progress, async (key, permitted) => {
    const isStream = route.name === 'listEvents' && wantsStream(request)
    // A write leaves a trace and a stream counts among the open ones: neither begins before it is permitted.
    if (isStream || route.method !== 'GET') await permitted
    requireScope(key, route.scope)
    const input = await validate(service, route, request, progress)
    if (isStream) return await openStream(service, route, request, key, input)
    const run = (database: Database) => route.run(database, input, service.hookSettings)
    const bounds = { wanted: route.bytesMax }
    return await service.answerBytes.read(progress, service.database, run, bounds)
  })
}

/** `</api/v1/leads?limit=50&offset=50>; rel="next"`, relative to the address that the client used. */
function linkTo(request: Request, next: Record<string, number>): string {
  const { path, query } = splitUrl(request.url)
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries(next)) parameters.set(name, String(value))
  return `<${path}?${parameters}>; rel="next"`
}

function withIgnored({ data, meta }: Answer, { ignored }: Progress): Answer {
  return { data, ...(meta && { meta: ignored ? { ...meta, ignored_parameters: ignored } : meta }) }
}

async function respond(
  { answerBytes }: RestService,
  route: Route,
  request: Request,
  answer: Answer | OpenStream,
  requestId: string,
  progress: Progress,
): Promise<Response> {
  const headers = { ...commonHeaders(requestId), ...progress.headers, ...answer.headers }
  if ('stream' in answer)
    return new Response(answer.stream, {
      headers: { ...headers, 'content-type': 'text/event-stream' },
    })
  const link = answer.next && { link: linkTo(request, answer.next) }
  const pieces = envelopePieces(withIgnored(answer, progress))
  const made = await bodyOf(request, pieces, () => answerBytes.hold(progress, 0))
  const status = route.shape.status ?? 200
  return new Response(made.body, { status, headers: { ...headers, ...link, ...made.headers } })
}

/** The response to a request, with one line in the log. Never fails. */
export const answerRoute = (
  service: RestService,
  route: Route,
  request: Request,
): Promise<Response> =>
  logged(service, request, route.path, async (requestId, progress) => {
    const answer = await attempt(service, route, request, progress)
    return await respond(service, route, request, answer, requestId, progress)
  })
