// The dashboard's cookies: the session, the language, and what came of an action.
import type { Context as Elysia } from 'elysia'
import type { Done, Serving } from './context.ts'

export type Jar = {
  session: string
  language: string
  done: Done | null
  /** Empty: forget it. */
  setSession(token: string): void
  setLanguage(language: string): void
  /** What came of an action travels in a cookie to the next page: in the address it would be said again at every reload. */
  setDone(done: Partial<Done> | null): void
}

export const sessionCookie = 'wda_session'
const languageCookie = 'wda_language'
const doneCookie = 'wda_done'
const doneForm = /^([a-z_]{1,40})\.(\d{1,12})$/
const yearSeconds = 365 * 24 * 60 * 60
const doneSeconds = 60

export function openJar(
  serving: Serving,
  { request, cookie }: Pick<Elysia, 'request' | 'cookie'>,
): Jar {
  const secure = serving.isSecure(request)
  // A browser takes a name with this prefix from this host alone, and only encrypted.
  const nameOf = (name: string) => (secure ? `__Host-${name}` : name)
  const attributes = {
    path: secure ? '/' : '/dashboard',
    httpOnly: true,
    sameSite: 'strict',
    secure,
  } as const
  /** Without `seconds` it ends with the browser; the session behind it ends by its own limits. */
  const set = (name: string, value: string, seconds?: number) =>
    cookie[nameOf(name)]?.set({
      ...attributes,
      value,
      ...(value === '' ? { maxAge: 0 } : seconds !== undefined && { maxAge: seconds }),
    })
  const get = (name: string) => String(cookie[nameOf(name)]?.value ?? '')
  const [, name, count] = doneForm.exec(get(doneCookie)) ?? []
  return {
    session: get(sessionCookie),
    language: get(languageCookie),
    done: name === undefined ? null : { name, count: Number(count) },
    setSession: token => set(sessionCookie, token),
    setLanguage: language => set(languageCookie, language, yearSeconds),
    setDone: done =>
      set(doneCookie, done ? `${done.name}.${done.count ?? 0}` : '', done ? doneSeconds : 0),
  }
}
