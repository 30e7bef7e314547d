// One canonical line in the log for every request, whatever it came to, and the id that answer and line share; what a client
// learns of a failure.
import { ApiError } from '../../errors.ts'
import {
  diskFull,
  errorCodeOf,
  isDatabaseAway,
  lockNotAvailable,
  readOnly,
  tooManyConnections,
} from '../../lib/error_code.ts'
import { TimeoutError, withTimeout } from '../../lib/timeout.ts'
import type { Log, RequestLine } from '../../observability/log.ts'
import type { Progress, Service } from './authorize.ts'
import { errorResponse } from './envelope.ts'

const requestIdForm = /^[\w.-]{1,128}$/

/** The X-Request-Id that a client sent, if it is a plain word, else a new one. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id')
  return given !== null && requestIdForm.test(given) ? given : crypto.randomUUID()
}

type Answered = Omit<RequestLine, 'request_id' | 'method' | 'duration_ms'>

/** Begins to time a request. What it returns makes the line when the request is answered. */
export function startRequestLine(request: Request, request_id: string) {
  const startedAt = performance.now()
  return (answered: Answered): RequestLine => {
    const duration_ms = Math.round((performance.now() - startedAt) * 1_000) / 1_000
    return { request_id, method: request.method, ...answered, duration_ms }
  }
}

// The password was changed, and this process has the old one: another process, or the next one, answers.
const refusesLogin = /^28/

/** What is wrong with the database where that passes; undefined: the failure is not of this kind. */
function passingState(thrown: unknown): string | undefined {
  const code = errorCodeOf(thrown)
  // Nearly every request writes: it takes a permit.
  if (code === readOnly || code === diskFull) return 'takes no writes'
  const isLocked = code === lockNotAvailable
  if (thrown instanceof TimeoutError || isLocked || code === tooManyConnections) return 'is busy'
  return isDatabaseAway(thrown) || refusesLogin.test(code ?? '') ? 'is away' : undefined
}

const retryAfterSeconds = '1'

/** What the client may know of an error: an ApiError as it is, anything else as internal_error; 503 if that passes. */
export function clientError(
  thrown: unknown,
  log: Log,
  requestId: string,
  where = 'request',
): ApiError {
  if (thrown instanceof ApiError) return thrown
  log.fault(where, thrown, requestId)
  const state = passingState(thrown)
  if (state !== undefined)
    return new ApiError(
      'internal_error',
      `The database ${state}; try again in a second. Quote request ${requestId}.`,
      { status: 503, headers: { 'retry-after': retryAfterSeconds } },
    )
  return new ApiError('internal_error', `Unexpected failure; quote request ${requestId}.`)
}

/**
 * The response to a request, in its time and with its line. Never fails: what `answer` throws is answered as the client may know
 * it, in the form that `refuse` gives it.
 */
export async function logged(
  { log, answerBytes, requestTimeoutMs }: Pick<Service, 'log' | 'answerBytes' | 'requestTimeoutMs'>,
  request: Request,
  route: string,
  answer: (requestId: string, progress: Progress) => Promise<Response>,
  refuse = errorResponse,
): Promise<Response> {
  const requestId = requestIdOf(request)
  const lineOf = startRequestLine(request, requestId)
  const progress: Progress = { headers: {} }
  const answered = answer(requestId, progress)
  const response = await withTimeout(answered, requestTimeoutMs).catch(thrown => {
    progress.isGivenUp = true
    // A stream that opens too late ends, and bytes that come too late are not held.
    void answered.then(late => late.body?.cancel()).catch(() => {})
    answerBytes.hold(progress, 0)
    const error = clientError(thrown, log, requestId)
    progress.code = error.code
    return refuse(error, requestId, progress.headers)
  })
  const { keyId: key_id, tool, code, ignored } = progress
  const details = { tool, code, key_id, ignored_parameters: ignored?.length }
  log.event('request', lineOf({ route, status: response.status, ...details }))
  return response
}
