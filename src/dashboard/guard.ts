// What stands between a request and a change: where the request came from, and the session's own token in the form.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { Serving } from './context.ts'

const tokenOf = (session: string) => createHmac('sha256', session).update('csrf').digest()
const xor = (one: Buffer, other: Buffer) =>
  Buffer.from(one.map((byte, at) => byte ^ (other[at] ?? 0)))

const maskBytes = 32

/**
 * The token that forms of a session carry: only a reader of its pages knows it. Masked anew in each answer, so that the length of a
 * compressed page reveals nothing about it.
 */
export function csrfOf(session: string): string {
  const mask = randomBytes(maskBytes)
  return Buffer.concat([mask, xor(tokenOf(session), mask)]).toString('base64url')
}

export function isCsrf(session: string, given: string | null): boolean {
  const bytes = Buffer.from(given ?? '', 'base64url')
  if (bytes.length !== 2 * maskBytes) return false
  const found = xor(bytes.subarray(maskBytes), bytes.subarray(0, maskBytes))
  return timingSafeEqual(found, tokenOf(session))
}

// Names that no page of a stranger can have: with a name of their own (DNS rebinding) Host and Origin would agree too.
const isOwnName = (hostname: string) =>
  hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0

/**
 * Whether a form was sent by one of our own pages. Browsers say so with every POST. Our pages are at `origin`, and at this
 * machine's addresses without a name.
 */
export function isOwnOrigin({ origin }: Pick<Serving, 'origin'>, request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') return false
  const given = request.headers.get('origin') ?? ''
  if (!URL.canParse(given)) return false
  const { host, hostname } = new URL(given)
  if (given === new URL(origin).origin) return true
  return isOwnName(hostname) && host === request.headers.get('host')
}

/** What a browser sends whose owner reaches us under a name that is not configured, and a stranger's name, too. */
export function isUnknownName(request: Request): boolean {
  const given = request.headers.get('origin') ?? ''
  return URL.canParse(given) && new URL(given).host === request.headers.get('host')
}

/** An open page asks by itself whether something changed; its owner may be away. */
export const isByItself = (request: Request): boolean =>
  request.headers.get('sec-fetch-dest') === 'empty'

// What a sign-in may lead to: a page of the dashboard with its filter, and nothing that a browser could read as another
// address.
const pageForm = /^\/dashboard(\/[\w-]+)*(\?[\w.=&%+~*-]*)?$/

export const ownPage = (path: string | null): string =>
  path !== null && pageForm.test(path) ? path : '/dashboard'
