// What a client learns of a failure: its code and status, and when to try again.
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

// The password was changed, and this process has the old one: another process, or the next one, answers.
const refusesLogin = /^28/

/** What is wrong with the database where that passes; undefined: the failure is not of this kind. */
function passingState(thrown: unknown): string | undefined {
  const code = errorCodeOf(thrown)
  // Nearly every request writes: it takes a permit.
  if (code === readOnly || code === diskFull) return 'takes no writes'
  const isLocked = code === lockNotAvailable
  if (thrown instanceof TimeoutError || isLocked || code === tooManyConnections) return 'is busy'
  return isDatabaseAway(thrown) || refusesLogin.test(code ?? '') ? 'is away' : undefined
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
