// What a client learns of a failure.

import { ApiError } from '../../errors.ts'
import { errorCodeOf, lockNotAvailable } from '../../lib/error_code.ts'
import { TimeoutError } from '../../lib/timeout.ts'
import type { Log } from '../../observability/log.ts'

// A lock that another session holds, and no connection left. Both pass, as does what kept a request from its answer in time.
const busy = new Set([lockNotAvailable, '53300'])
const isBusy = (thrown: unknown) => thrown instanceof TimeoutError || busy.has(errorCodeOf(thrown))
const retryAfterSeconds = '1'

/** What the client may know of an error: an ApiError as it is, anything else as internal_error; 503 if that passes. */
export function clientError(thrown: unknown, log: Log, requestId: string): ApiError {
  if (thrown instanceof ApiError) return thrown
  log.fault('request', thrown, requestId)
  if (isBusy(thrown))
    return new ApiError(
      'internal_error',
      `The database is busy; try again in a second. Quote request ${requestId}.`,
      { status: 503, headers: { 'retry-after': retryAfterSeconds } },
    )
  return new ApiError('internal_error', `Unexpected failure; quote request ${requestId}.`)
}
