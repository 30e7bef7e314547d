// What a client learns of a failure.

import { ApiError } from '../../errors.ts'
import {
  diskFull,
  errorCodeOf,
  isDatabaseAway,
  lockNotAvailable,
  readOnly,
  tooManyConnections,
} from '../../lib/error_code.ts'
import { TimeoutError } from '../../lib/timeout.ts'
import type { Log } from '../../observability/log.ts'

// A lock that another session holds, and no connection left.
const busy = new Set([lockNotAvailable, tooManyConnections])
// Nearly every request writes: it takes a permit.
const takesNoWrites = new Set([readOnly, diskFull])

/** What is wrong with the database where that passes; undefined: the failure is not of this kind. */
function passingState(thrown: unknown): string | undefined {
  const code = errorCodeOf(thrown)
  if (takesNoWrites.has(code)) return 'takes no writes'
  if (thrown instanceof TimeoutError || busy.has(code)) return 'is busy'
  return isDatabaseAway(thrown) ? 'is away' : undefined
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
