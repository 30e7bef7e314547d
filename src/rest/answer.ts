// Answers one request to one route: the outcome in the envelope, and one line in the log.
import { commonHeaders, envelopePieces } from '../http/envelope.ts'
import type { Progress } from '../http/gate.ts'
import { logged } from '../http/logged.ts'
import { bodyOf } from '../runtime/runtime.ts'
import { within } from '../within.ts'
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
    return new Response(bodyOf(request, envelopePieces(answer)), {
      status: route.status ?? 200,
      headers,
    })
  }

  return request =>
    logged(service, request, route.path, (requestId, progress) =>
      succeed(request, requestId, progress),
    )
}
