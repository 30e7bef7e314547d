// One line in the log for every request to REST and the tools, whatever it came to.
import { TimeoutError } from '../../lib/timeout.ts'
import type { Progress, Service } from './authorize.ts'
import { clientError } from './client_error.ts'
import { errorResponse } from './envelope.ts'
import { requestIdOf } from './request_id.ts'
import { traceIdOf } from './trace.ts'

/** The response to a request, logged. Never fails: what `answer` throws is answered as the client may know it. */
export async function logged(
  service: Service,
  request: Request,
  route: string,
  answer: (requestId: string, progress: Progress) => Promise<Response>,
): Promise<Response> {
  const { log } = service
  const startedAt = performance.now()
  const requestId = requestIdOf(request)
  const progress: Progress = { headers: {} }
  const response = await answer(requestId, progress).catch(thrown => {
    if (thrown instanceof TimeoutError) service.onTimeout()
    const error = clientError(thrown, log, requestId)
    progress.code = error.code
    return errorResponse(error, requestId, progress.headers)
  })
  const { keyId, tool, code } = progress
  const traceId = traceIdOf(request)
  log.request({
    request_id: requestId,
    method: request.method,
    route,
    status: response.status,
    ...(tool && { tool }),
    ...(code && { code }),
    ...(keyId && { key_id: keyId }),
    ...(traceId && { trace_id: traceId }),
    duration_ms: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
  })
  return response
}
