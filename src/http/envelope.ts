// The one envelope of spec part 1, for every outcome there is.
import type { ApiError, ErrorCode } from '../errors.ts'

export const apiVersion = 'v1'

/** What an operation answers: data as JSON text, made by the database and passed through. */
export type Answer = { data: string; meta?: Record<string, number> }

/** A success; data is JSON text. */
export const envelope = (data: string, meta?: Record<string, unknown>): string =>
  meta === undefined
    ? `{"api_version":"${apiVersion}","data":${data}}`
    : `{"api_version":"${apiVersion}","data":${data},"meta":${JSON.stringify(meta)}}`

export const errorEnvelope = (code: ErrorCode, message: string): string =>
  JSON.stringify({ api_version: apiVersion, error: { code, message } })

/** Headers of every response: personal data is never cached, and no browser guesses at types. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': requestId,
})

export function errorResponse(
  error: ApiError,
  requestId: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(errorEnvelope(error.code, error.message), {
    status: error.status,
    headers: { ...commonHeaders(requestId), ...headers, ...error.headers },
  })
}
