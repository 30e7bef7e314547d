// What stands between a request and a change: the session's cookie, where the request came from, and the session's
// own token in the form.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { Serving, Theme } from './context.ts'

export const sessionCookie = 'wda_session'
const ownPath = '/dashboard'

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

/** The token that forms of a session carry: only a reader of its pages knows it. */
export const csrfOf = (sessionToken: string): string =>
  createHmac('sha256', sessionToken).update('csrf').digest('base64url')

export function isCsrf(sessionToken: string, given: string | null): boolean {
  const expected = Buffer.from(csrfOf(sessionToken))
  const found = Buffer.from(given ?? '')
  return found.length === expected.length && timingSafeEqual(found, expected)
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
export const isUnknownName = (request: Request): boolean => {
  const given = request.headers.get('origin') ?? ''
  return URL.canParse(given) && new URL(given).host === request.headers.get('host')
}

// What a sign-in may lead to: a page of the dashboard with its filter, and nothing that a browser could read as another
// address.
const pageForm = /^\/dashboard(\/[\w-]+)*(\?[\w.=&%+~*-]*)?$/

export const themeCookie = 'wda_theme'

export const isTheme = (text: string | undefined): text is Theme =>
  text === 'auto' || text === 'light' || text === 'dark'

export function themeOf(request: Request): Theme {
  const chosen = cookieOf(request, themeCookie)
  return isTheme(chosen) ? chosen : 'auto'
}

export const ownPage = (path: string | null): string =>
  path !== null && pageForm.test(path) ? path : ownPath
