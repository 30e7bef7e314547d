// The one envelope of spec part 1, for every outcome there is.
import type { ApiError, ErrorCode } from '../../errors.ts'
import type { Answer } from '../../operations/operation.ts'

export const apiVersion = 'v1'

const head = `{"api_version":"${apiVersion}","data":`
const headBytes = Buffer.from(head)

const tail = (meta?: Record<string, unknown>) =>
  meta === undefined ? '}' : `,"meta":${JSON.stringify(meta)}}`

/** A success as text. */
export const envelope = ({ data, meta }: Answer): string => head + data.toString() + tail(meta)

/** A success in pieces, as it is sent: the database's bytes are neither decoded nor copied. */
export const envelopePieces = ({ data, meta }: Answer): Uint8Array[] => [
  headBytes,
  typeof data === 'string' ? Buffer.from(data) : data,
  Buffer.from(tail(meta)),
]

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
