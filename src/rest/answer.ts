// Answers one request to one route: the outcome in the envelope, and one line in the log.
import { clientError } from '../http/client_error.ts'
import { commonHeaders, envelope, errorResponse } from '../http/envelope.ts'
import type { Progress } from '../http/gate.ts'
import { requestIdOf } from '../http/request_id.ts'
import { TimeoutError, within } from '../within.ts'
import { attemptRoute, type Service } from './attempt.ts'
import type { Route } from './route.ts'

const cancelStream = (answer: unknown) => {
  if (answer instanceof ReadableStream) void answer.cancel()
}

/** Turns a route into a function from request to response; the response never fails. */
export function answerRoute(
  service: Service,
  route: Route,
): (request: Request) => Promise<Response> {
  const { log } = service
  const attempt = attemptRoute(service, route)

  async function succeed(request: Request, requestId: string, progress: Progress) {
    const attempted = attempt(request, progress)
    const answer = await within(attempted, service.requestTimeoutMs).catch(error => {
      // A stream that opens too late is nobody's any more.
      void attempted.then(cancelStream, () => {})
      throw error
    })
    const headers = { ...commonHeaders(requestId), ...progress.headers }
    if (answer instanceof ReadableStream)
      return new Response(answer, { headers: { ...headers, 'content-type': 'text/event-stream' } })
    return new Response(envelope(answer.data, answer.meta), {
      status: route.status ?? 200,
      headers,
    })
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
      if (thrown instanceof TimeoutError) service.onTimeout()
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
