// What the dashboard answers with, and the headers that each answer carries.
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acceptsCoding, compressedMin } from '../lib/accepts.ts'
import type { Html } from './html.ts'

export type PageReply = {
  status: number
  page?: Html
  headers?: Record<string, string>
  /** Shows a secret: its length must reveal nothing. */
  isSecret?: boolean
}

const compress = promisify(gzip)

// Nothing from elsewhere, nothing inline. With a referrer policy of no-referrer browsers would send forms with "Origin: null".
const common = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
}

export const redirect = (location: string): PageReply => ({ status: 303, headers: { location } })

// What differs in every answer, and times, whose text a minute changes.
const passing = /(name="csrf" value="[^"]*")|(?<=<time [^>]*>)[^<]*/g

/** Of a part of a page: it changes with what the reader is shown. */
export const pulseOf = (part: Html): string =>
  createHash('sha256').update(part.toString().replace(passing, '')).digest('base64url').slice(0, 16)

export async function responseOf(request: Request, reply: PageReply): Promise<Response> {
  const { status, page, isSecret = false } = reply
  const headers: Record<string, string> = { ...common, ...reply.headers }
  if (page === undefined) return new Response(null, { status, headers })
  const text = page.toString()
  headers['content-type'] = 'text/html; charset=utf-8'
  headers.vary = 'accept-encoding'
  if (isSecret || text.length <= compressedMin || !acceptsCoding(request, 'gzip'))
    return new Response(text, { status, headers })
  headers['content-encoding'] = 'gzip'
  return new Response(await compress(text), { status, headers })
}
