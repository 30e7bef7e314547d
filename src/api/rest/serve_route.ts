// Answers one request to one route. Errors come in a fixed order: authentication, limit, scope, validation, operation.
// Authentication is part of every route by construction; there is nothing to forget.
import type { Database } from '../../db/database.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { allows } from '../../operations/key_ring.ts'
import type { Answer } from '../../operations/operation.ts'
import { bodyOf } from '../../runtime/runtime.ts'
import { readWithin } from '../http/answer_bytes.ts'
import { authenticate } from '../http/auth.ts'
import {
  type Authorized,
  afterPermit,
  authorize,
  bodyTimeoutOf,
  missingScope,
  type Progress,
  type Service,
} from '../http/authorize.ts'
import { refuseLargeBody } from '../http/body.ts'
import { commonHeaders, envelopePieces } from '../http/envelope.ts'
import { logged } from '../http/logged.ts'
import { isAbsent, refuseAbsent } from '../http/presence.ts'
import { readJsonBody } from './json_body.ts'
import { readInput } from './request.ts'
import type { OpenStream, RestRoute } from './route.ts'
import type { Streams } from './streams.ts'

export type RestService = Service & {
  streams: Streams
  /** For what goes on for long: each statement is given up after requestTimeoutMs. */
  streamDatabase: Database
  /** The same for a key: each statement takes one of its slots. */
  streamDatabaseOf(inSlot: Authorized['inSlot']): Database
}

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

// The most precise one that is named decides.
const jsonRanges = ['application/json', 'application/*', '*/*']

/** Generated clients accept both types at equal weight and read to the end: they mean JSON. A stream is named, never meant by *. */
function wantsStream(request: Request): boolean {
  if (request.method !== 'GET') return false
  const accept = request.headers.get('accept') ?? ''
  const stream = weightOf(accept, 'text/event-stream') ?? 0
  if (stream === 0) return false
  const json = jsonRanges.map(range => weightOf(accept, range)).find(one => one !== undefined)
  return stream > (json ?? 0)
}

function inputOf(route: RestRoute, request: Request) {
  // A GET has none to read at all.
  refuseLargeBody(request)
  return readInput(route, request.url)
}

/** Validates and runs: what the client may do is decided elsewhere. */
async function operate(
  service: RestService,
  route: RestRoute,
  request: Request,
  { inSlot }: Authorized,
  progress: Progress,
): Promise<Answer> {
  const { answerBytes, database, hookSettings } = service
  const input = inputOf(route, request)
  if (route.body) input.body = await readJsonBody(request, bodyTimeoutOf(service))
  const run = async (reading: Database) => {
    const answer = await route.run(reading, input, hookSettings)
    if (route.undo && (isAbsent(request) || progress.isGivenUp)) {
      progress.isTakingBack = true
      await route.undo(database, answer)
      progress.isTakingBack = false
      refuseAbsent(request)
    }
    return answer
  }
  const inTurn = (reading: Database) => inSlot(() => run(reading))
  return await readWithin(answerBytes, progress, database, inTurn, { wanted: route.bytesMax })
}

/** The stream ends when its key no longer allows the route. */
async function openStream(
  { streamDatabaseOf, authentication, streams }: RestService,
  route: RestRoute,
  request: Request,
  { key, inSlot }: Authorized,
  open: NonNullable<RestRoute['stream']>,
): Promise<OpenStream> {
  const input = inputOf(route, request)
  const header = request.headers.get('authorization')
  const isAllowed = () =>
    authenticate(authentication, header, () => 'stream').then(
      key => allows(key, route.scope),
      () => false,
    )
  return await open(streamDatabaseOf(inSlot), input, streams.open(request, key.id, isAllowed))
}

/** Throws ApiError, or whatever went wrong on our side. */
async function attempt(
  service: RestService,
  route: RestRoute,
  request: Request,
  progress: Progress,
): Promise<Answer | OpenStream> {
  const authorized = await authorize(service, request, progress)
  const { key, permitted } = authorized
  const open = route.stream && wantsStream(request) ? route.stream : undefined
  // A stream counts among the open ones and a write leaves a trace: neither begins before it is permitted.
  if (open || route.method !== 'GET') {
    await permitted
    if (!allows(key, route.scope)) throw missingScope(route.scope)
    return await (open
      ? openStream(service, route, request, authorized, open)
      : operate(service, route, request, authorized, progress))
  }
  // Both are sent before either is awaited, so limit and rows share one trip to the database. The order
  // of their errors stays the contract's; rows of a refused request are dropped unread.
  const operated = allows(key, route.scope)
    ? operate(service, route, request, authorized, progress)
    : Promise.reject(missingScope(route.scope))
  return await afterPermit(permitted, operated)
}

const cancelStream = (answer: Answer | OpenStream) => {
  if ('stream' in answer) void answer.stream.cancel()
}

function respond(
  route: RestRoute,
  request: Request,
  answer: Answer | OpenStream,
  headers: Record<string, string>,
  { lease }: Progress,
): Response {
  if ('stream' in answer)
    return new Response(answer.stream, {
      headers: { ...headers, 'content-type': 'text/event-stream' },
    })
  return new Response(
    bodyOf(request, envelopePieces(answer), () => lease?.keep(0)),
    {
      status: route.status ?? 200,
      headers,
    },
  )
}

/** The response to a request, with one line in the log. Never fails. */
export const answerRoute = (
  service: RestService,
  route: RestRoute,
  request: Request,
): Promise<Response> =>
  logged(service, request, route.path, async (requestId, progress) => {
    const attempted = attempt(service, route, request, progress)
    const answer = await withTimeout(attempted, service.requestTimeoutMs).catch(error => {
      // Its client is answered now.
      progress.isGivenUp = true
      void attempted.then(cancelStream, late => {
        // What could not be taken back stays, and no client knows of it.
        if (progress.isTakingBack && late !== error) service.log.fault('request', late, requestId)
      })
      throw error
    })
    const headers = { ...commonHeaders(requestId), ...progress.headers, ...answer.headers }
    return respond(route, request, answer, headers, progress)
  })
