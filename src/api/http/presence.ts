// Whether the client is still connected. Requests check before they run; a write undoes what it can if the client left meanwhile.
import { ApiError } from '../../errors.ts'

/**
 * The connection has ended. The runtime also ends it for a second request that does not wait for the answer to the first,
 * and for a client that closed its own half.
 */
export const isAbsent = (request: Request): boolean => request.signal.aborted

// nginx's for a request whose client left.
const clientLeft = 499

/** Only the log and the metrics see this error. */
export function refuseAbsent(request: Request): void {
  if (isAbsent(request))
    throw new ApiError('invalid_request', 'The connection ended before the request was answered.', {
      status: clientLeft,
    })
}
