// One canonical line in the log for every request, whatever it came to, and the id that answer and line share.
import { withTimeout } from '../../lib/timeout.ts'
import type { RequestLine } from '../../observability/log.ts'
import type { Progress, Service } from './authorize.ts'
import { clientError } from './client_error.ts'
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
