// The dashboard as a browser without scripts sees it: forms, cookies, redirects.
import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sessionCookie } from '../../../src/dashboard/cookies.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'
import { openSession } from '../../../src/operations/owner_sessions.ts'
import type { TestService } from '../http/service.ts'
import { ownerOf } from '../http/service.ts'

export const password = 'ein langes Passwort 12'
// Sign-ins are counted by address: a test may come from as many as it likes.
export const dashboardSettings = { DASHBOARD_PASSWORD: password, TRUSTED_PROXIES: '127.0.0.1' }

type Answer = { status: number; headers: Headers; text: string; location: string }

type Fields = Record<string, string | string[]>

async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response
  return { status, headers, text: await response.text(), location: headers.get('location') ?? '' }
}

function encode(fields: Fields): URLSearchParams {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map(one => [name, one]),
  )
  return new URLSearchParams(pairs)
}

/** A visitor with this cookie, or none. */
export function visitor(api: TestService, cookie = '', language = 'de') {
  const { url } = api.service
  const common = { 'accept-language': language, ...(cookie && { cookie }) }
  const send = async (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
    answerOf(
      await fetch(url + path, { redirect: 'manual', ...init, headers: { ...common, ...headers } }),
    )
  const session = {
    cookie,
    get: (path: string, headers: Record<string, string> = {}) => send(path, headers),
    /** Sends fields as they are, with the session's cookie and our own origin. */
    post: (path: string, fields: Fields, headers: Record<string, string> = {}) =>
      send(path, { origin: url, ...headers }, { method: 'POST', body: encode(fields) }),
    /** The CSRF token of this session's forms. */
    async csrf(): Promise<string> {
      const { text } = await session.get('/dashboard/keys')
      return /name="csrf" value="([\w-]+)"/.exec(text)?.[1] ?? ''
    },
    /** Sends a form of this session as its page would. */
    submit: async (path: string, fields: Fields = {}) =>
      session.post(path, { csrf: await session.csrf(), ...fields }),
  }
  return session
}

export type Session = ReturnType<typeof visitor>

/** What a page says in the part that is its own, a space for each tag. */
export function mainOf(text: string): string {
  const [, own = ''] = /<main[^>]*>(.*)<\/main>/s.exec(text) ?? []
  return own
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([.:)])/g, '$1')
}

export const cookieFrom = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .map(cookie => cookie.split(';')[0])
    .join('; ')

let signIns = 0

/** As the owner signs in: the form checks the password, a tenth of a second of work. */
export async function signInByForm(api: TestService, language?: string): Promise<Session> {
  signIns += 1
  const from = { 'x-forwarded-for': `198.51.100.${signIns % 256}` }
  const answer = await visitor(api).post('/dashboard/sign-in', { password }, from)
  if (answer.status !== 303) throw new Error(`signing in answered ${answer.status}`)
  const [session = ''] = cookieFrom(answer).split('; ')
  return visitor(api, session, language)
}

/** A session of the owner as the form opens it, for a test of what comes after. */
export async function signIn(api: TestService, language?: string): Promise<Session> {
  const owner = await ownerOf(password)
  if (!owner) throw new Error('a sign-in needs a password')
  const token = await openSession(openDatabase(api.sql, queries), owner)
  return visitor(api, `${sessionCookie}=${token}`, language)
}

/** Lets a tab of the browser in, without a form. */
export async function enter(tab: Page, api: TestService, path = '/dashboard'): Promise<void> {
  const { cookie } = await signIn(api)
  const [name = '', value = ''] = cookie.split('=')
  const { hostname, origin } = new URL(api.service.url)
  await tab.context().addCookies([{ name, value, domain: hostname, path: '/dashboard' }])
  await tab.goto(origin + path)
}

/** The text of the part of a page that is its own, without tags. */
export async function readMain(
  session: Session,
  path: string,
  cookie = session.cookie,
): Promise<string> {
  const { status, text } = await session.get(path, { cookie })
  expect([path, status]).toEqual([path, 200])
  return mainOf(text)
}

/** Presses a button, and reads the page that it leads to. */
export async function press(
  session: Session,
  path: string,
  fields: Record<string, string> = {},
): Promise<string> {
  const answer = await session.submit(path, fields)
  expect(answer.status).toBe(303)
  return await readMain(session, answer.location, `${session.cookie}; ${cookieFrom(answer)}`)
}
