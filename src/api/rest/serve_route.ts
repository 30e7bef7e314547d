// Answers one request to one route: the outcome in the envelope, and one line in the log.

import { withTimeout } from '../../lib/timeout.ts'
import type { Answer } from '../../operations/operation.ts'
import { bodyOf } from '../../runtime/runtime.ts'
import { commonHeaders, envelopePieces } from '../http/envelope.ts'
import type { Progress } from '../http/gate.ts'
import { logged } from '../http/logged.ts'
import { attemptRoute, type RestService } from './attempt.ts'
import type { OpenStream, RestRoute } from './route.ts'

const cancelStream = (answer: Answer | OpenStream) => {
  if ('stream' in answer) void answer.stream.cancel()
}

/** Turns a route into a function from request to response; the response never fails. */
export function answerRoute(
  service: RestService,
  route: RestRoute,
): (request: Request) => Promise<Response> {
  const attempt = attemptRoute(service, route)

  async function succeed(request: Request, requestId: string, progress: Progress) {
    const attempted = attempt(request, progress)
    const answer = await withTimeout(attempted, service.requestTimeoutMs).catch(error => {
      // Its client has been answered already.
      void attempted.then(cancelStream, () => {})
      throw error
    })
    const headers = { ...commonHeaders(requestId), ...progress.headers, ...answer.headers }
    if ('stream' in answer) {
      const ofStream = { ...headers, 'content-type': 'text/event-stream' }
      return new Response(answer.stream, { headers: ofStream })
    }
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
