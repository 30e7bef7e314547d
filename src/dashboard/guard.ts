// What stands between a request and a change: the session's cookie, where the request came from, and the session's
// own token in the form.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Serving } from './context.ts'

export const sessionCookie = 'wda_session'
export const ownPath = '/dashboard'

/** The value of a cookie; of several with one name the first. */
export function cookieOf(request: Request, name: string): string | undefined {
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const [key, ...value] = part.trim().split('=')
    if (key === name) return value.join('=')
  }
  return undefined
}

/** Without `seconds` the cookie ends with the browser; the session behind it ends by its own limits. */
export function setCookie(
  { isSecure }: Pick<Serving, 'isSecure'>,
  request: Request,
  name: string,
  value: string,
  seconds?: number,
): string {
  const parts = [`${name}=${value}`, `Path=${ownPath}`, 'HttpOnly', 'SameSite=Strict']
  if (seconds !== undefined) parts.push(`Max-Age=${seconds}`)
  if (isSecure(request)) parts.push('Secure')
  return parts.join('; ')
}

/** The token that forms of a session carry: only whoever reads its pages knows it. */
export const csrfOf = (sessionToken: string): string =>
  createHmac('sha256', sessionToken).update('csrf').digest('base64url')

export function isCsrf(sessionToken: string, given: string | null): boolean {
  const expected = Buffer.from(csrfOf(sessionToken))
  const found = Buffer.from(given ?? '')
  return found.length === expected.length && timingSafeEqual(found, expected)
}

const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : undefined)

/** Whether a form was sent by one of our own pages. Browsers say so with every POST. */
export function isOwnOrigin({ origin }: Pick<Serving, 'origin'>, request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') return false
  const from = hostOf(request.headers.get('origin') ?? '')
  return from !== undefined && [request.headers.get('host'), hostOf(origin)].includes(from)
}

// What a sign-in may lead to: a page of the dashboard, and nothing that a browser could read as another address.
const pageForm = /^\/dashboard(\/[\w-]+)*$/

export const ownPage = (path: string | null): string =>
  path !== null && pageForm.test(path) ? path : ownPath
