// One line in the log for every request to REST and the tools, whatever it came to.
import { TimeoutError } from '../../lib/timeout.ts'
import type { Progress, Service } from './authorize.ts'
import { clientError } from './client_error.ts'
import { errorResponse } from './envelope.ts'
import { requestIdOf } from './request_id.ts'
import { startRequestLine } from './request_line.ts'

/**
 * The response to a request, logged. Never fails: what `answer` throws is answered as the client may know it, in the form that
 * `refuse` gives it.
 */
export async function logged(
  service: Service,
  request: Request,
  route: string,
  answer: (requestId: string, progress: Progress) => Promise<Response>,
  refuse = errorResponse,
): Promise<Response> {
  const { log } = service
  const requestId = requestIdOf(request)
  const lineOf = startRequestLine(request, requestId)
  const progress: Progress = { headers: {} }
  const response = await answer(requestId, progress).catch(thrown => {
    if (thrown instanceof TimeoutError) service.onTimeout()
    progress.isGivenUp = true
    progress.lease?.keep(0)
    const error = clientError(thrown, log, requestId)
    progress.code = error.code
    return refuse(error, requestId, progress.headers)
  })
  const { keyId, tool, code } = progress
  log.request(lineOf({ route, status: response.status, tool, code, key_id: keyId }))
  return response
}
