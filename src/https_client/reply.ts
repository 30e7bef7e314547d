// The result of one request: status or error class, Retry-After, the start of the body, and headers.
import type { ResponseHeaders } from './response_head.ts'
import type { ParsedResponse } from './response_parser.ts'

/** `status`: a response other than 2xx. `blocked`: the target must not be called, and nothing was sent. */
export type ErrorClass = 'dns' | 'connect' | 'tls' | 'timeout' | 'blocked' | 'status'

export type Reply = {
  /** Null when no response came, or none in time. */
  status: number | null
  errorClass: ErrorClass | null
  retryAfterMs: number | null
  /** The start of the body as harmless text; null when it is empty or encoded. */
  excerpt: string | null
  /** Of a response that is no success: a line each, of at most 1 KiB in all. */
  headers: string | null
  durationMs: number
}

export type Result = Omit<Reply, 'durationMs'>

export const excerptBytesMax = 1_024

const dayMs = 24 * 60 * 60 * 1_000
const httpDate = /^[A-Z][a-z]{2,8},? [\w -]{6,11} \d\d:\d\d:\d\d( GMT| \d{4})$/

/** RFC 9110, 10.2.3, with its three forms of a date; null for anything else. At most a day. */
export function retryAfterMs(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, dayMs)
  if (!httpDate.test(text)) return null
  // The oldest form has no zone and means GMT.
  const at = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`)
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now, 0), dayMs)
}

// Control characters except tab and newline, and those that change the direction of the text around them.
// PostgreSQL stores no NUL.
const harmful = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The start of a body as text of at most 1 KiB in UTF-8. */
export function excerptOf(chunks: readonly Uint8Array[]): string | null {
  const [first] = chunks
  const all = chunks.length === 1 && first ? first : Buffer.concat(chunks)
  const bytes = all.subarray(0, excerptBytesMax)
  // Decoding as a stream leaves out a character that the limit cuts in two.
  const text = new TextDecoder().decode(bytes, { stream: true }).replace(harmful, '\ufffd')
  // A UTF-16 unit takes at most three bytes, so a short text fits without being encoded.
  if (text.length * 3 <= excerptBytesMax) return text || null
  // The replacement of a harmful byte takes three bytes, so the text may have grown.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(excerptBytesMax))
  return read === 0 ? null : text.slice(0, read)
}

// A cookie can authenticate a session, so it is not kept.
const secretHeaders = new Set(['set-cookie'])

/** Whole lines of at most 1 KiB together; null: there is none. */
function headersOf(headers: ResponseHeaders): string | null {
  let text = ''
  for (const [name, value] of Object.entries(headers)) {
    if (secretHeaders.has(name)) continue
    const line = `${name}: ${value.replace(harmful, '\ufffd')}\n`
    if (Buffer.byteLength(text + line) > excerptBytesMax) break
    text += line
  }
  return text.trimEnd() || null
}

/** The result of a response whose status is known. */
export function resultOf({
  status,
  headers,
  body,
}: Pick<ParsedResponse, 'status' | 'headers' | 'body'>): Result {
  const encoding = headers['content-encoding'] ?? 'identity'
  const isSuccess = status >= 200 && status < 300
  return {
    status,
    errorClass: isSuccess ? null : 'status',
    retryAfterMs: retryAfterMs(headers['retry-after'], Date.now()),
    excerpt: encoding === 'identity' ? excerptOf(body) : null,
    headers: isSuccess ? null : headersOf(headers),
  }
}

export const failedResult = (errorClass: ErrorClass): Result => ({
  status: null,
  errorClass,
  retryAfterMs: null,
  excerpt: null,
  headers: null,
})
