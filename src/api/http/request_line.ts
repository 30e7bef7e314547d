// One canonical line in the log for every request, whatever it came to, and the id that answer and line share.
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

type Answered = Pick<RequestLine, 'route' | 'status'> & {
  [Member in 'tool' | 'code' | 'key_id']?: string | undefined
} & { ignored_parameters?: number | undefined }

/** Begins to time a request. What it returns makes the line when the request is answered. */
export function startRequestLine(request: Request, request_id: string) {
  const startedAt = performance.now()
  return ({ route, status, ...details }: Answered): RequestLine => {
    const duration_ms = Math.round((performance.now() - startedAt) * 1_000) / 1_000
    const given = Object.entries(details).filter(([, value]) => value)
    return {
      ...{ request_id, method: request.method, route, status },
      ...Object.fromEntries(given),
      duration_ms,
    }
  }
}

/**
 * The response to a request, with its line. Never fails: what `answer` throws is answered as the client may know it, in the form
 * that `refuse` gives it.
 */
export async function logged(
  { log, answerBytes }: Pick<Service, 'log' | 'answerBytes'>,
  request: Request,
  route: string,
  answer: (requestId: string, progress: Progress) => Promise<Response>,
  refuse = errorResponse,
): Promise<Response> {
  const requestId = requestIdOf(request)
  const lineOf = startRequestLine(request, requestId)
  const progress: Progress = { headers: {} }
  const response = await answer(requestId, progress).catch(thrown => {
    progress.isGivenUp = true
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
