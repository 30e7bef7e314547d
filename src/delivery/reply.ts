// What an attempt came to: status or error class, when to come back, and the beginning of the answer.
import type { Answer } from './answer.ts'

/** `status`: an answer other than 2xx. `blocked`: the target must not be called. */
export type ErrorClass = 'dns' | 'connect' | 'tls' | 'timeout' | 'blocked' | 'status'

export type Reply = {
  /** Of the answer; null when there was none, or none in time. */
  status: number | null
  errorClass: ErrorClass | null
  retryAfterMs: number | null
  /** The beginning of the answer as harmless text; null when it is empty or encoded. */
  excerpt: string | null
  durationMs: number
}

export type Result = Omit<Reply, 'durationMs'>

export const excerptBytesMax = 1_024

const dayMs = 24 * 60 * 60 * 1_000
const httpDate = /^[A-Z][a-z]{2,8},? [\w -]{6,11} \d\d:\d\d:\d\d( GMT| \d{4})$/

/** RFC 9110 10.2.3, the three forms of a date included; null for anything else. At most a day. */
export function retryAfterMs(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, dayMs)
  if (!httpDate.test(text)) return null
  // The oldest form names no zone and means this one.
  const at = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`)
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now, 0), dayMs)
}

// Control characters but tab and newline, and those that turn the direction of the text around them.
// PostgreSQL stores no NUL.
const harmful = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** The beginning of a body as text of at most 1 KiB in UTF-8. */
export function excerptOf(chunks: readonly Uint8Array[]): string | null {
  const [first] = chunks
  const all = chunks.length === 1 && first ? first : Buffer.concat(chunks)
  const bytes = all.subarray(0, excerptBytesMax)
  // As a stream, so that a character cut in two at the end is left out.
  const text = new TextDecoder().decode(bytes, { stream: true }).replace(harmful, '\ufffd')
  // No character takes more than three bytes a unit: most answers are a few, and certain to fit.
  if (text.length * 3 <= excerptBytesMax) return text || null
  // What stands for a harmful byte takes three.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(excerptBytesMax))
  return read === 0 ? null : text.slice(0, read)
}

/** The result of an answer with a status. */
export function resultOf({
  status,
  headers,
  body,
}: Pick<Answer, 'status' | 'headers' | 'body'>): Result {
  const encoding = headers['content-encoding'] ?? 'identity'
  return {
    status,
    errorClass: status >= 200 && status < 300 ? null : 'status',
    retryAfterMs: retryAfterMs(headers['retry-after'], Date.now()),
    excerpt: encoding === 'identity' ? excerptOf(body) : null,
  }
}

export const failure = (errorClass: ErrorClass): Result => ({
  status: null,
  errorClass,
  retryAfterMs: null,
  excerpt: null,
})
