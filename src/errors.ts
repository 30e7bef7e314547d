// The sixteen error codes of spec part 7, and the one error type that reaches a client.
// Everything else that is thrown is a fault of ours: it is logged and answers internal_error.

export const errorStatus = {
  invalid_id: 400,
  invalid_request: 400,
  invalid_json: 400,
  missing_target_url: 400,
  invalid_event_types: 400,
  invalid_subscription: 400,
  invalid_cursor: 400,
  invalid_types: 400,
  unknown_event_type: 400,
  missing_token: 401,
  invalid_token: 401,
  missing_scope: 403,
  not_found: 404,
  cursor_expired: 410,
  rate_limited: 429,
  internal_error: 500,
} as const

export type ErrorCode = keyof typeof errorStatus

export const errorCodes = Object.keys(errorStatus) as ErrorCode[]

type Detail = {
  /** Only where HTTP has a finer status than the code's own. */
  status?: 403 | 405 | 408 | 413 | 415 | 503
  headers?: Record<string, string>
}

/** A failure the client may see. The message says what would have been right and repeats no input. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, message: string, detail: Detail = {}) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = detail.status ?? errorStatus[code]
    this.headers = detail.headers ?? {}
  }
}
