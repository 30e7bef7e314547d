// What a client learns of a failure.
import { ApiError } from '../errors.ts'
import type { Log } from '../log.ts'

/** What the client may know of an error: an ApiError as it is, anything else as internal_error. */
export function clientError(thrown: unknown, log: Log, requestId: string): ApiError {
  if (thrown instanceof ApiError) return thrown
  log.fault('request', thrown, requestId)
  return new ApiError('internal_error', `Unexpected failure; quote request ${requestId}.`)
}
