// The owner's dashboard: who may enter, and one line in the log for each request.

import { clientError } from '../api/http/client_error.ts'
import { startRequestLine } from '../api/http/request_line.ts'
import { ApiError } from '../errors.ts'
import { withTimeout } from '../lib/timeout.ts'
import { useSession } from '../operations/owner_sessions.ts'
import { assetResponse } from './assets.ts'
import type { Serving } from './context.ts'
import {
  cookieOf,
  isTheme,
  ownPage,
  sessionCookie,
  setCookie,
  themeCookie,
  themeOf,
} from './guard.ts'
import { html } from './html.ts'
import { bare } from './layout.ts'
import { htmlResponse, redirect } from './respond.ts'
import { findRoute, pageNear } from './routes.ts'
import type { Visit } from './sign_in.ts'
import { answerSignIn, signInPage } from './sign_in.ts'
import { openSignInTurns } from './sign_in_turns.ts'
import { openSignedInPages } from './signed_in.ts'
import { isLanguage, languageCookie, textsFor } from './texts.ts'

const signInPath = '/dashboard/sign-in'
const choiceSeconds = 365 * 24 * 60 * 60
const languagePath = '/dashboard/language/'
const themePath = '/dashboard/theme/'

function switchLanguage(serving: Serving, { request, url }: Visit): Response {
  const language = url.pathname.slice(languagePath.length)
  const back = ownPage(url.searchParams.get('back'))
  if (!isLanguage(language)) return redirect(back)
  return redirect(back, [setCookie(serving, request, languageCookie, language, choiceSeconds)])
}

function switchTheme(serving: Serving, { request, url }: Visit): Response {
  const theme = url.pathname.slice(themePath.length)
  const back = ownPage(url.searchParams.get('back'))
  if (!isTheme(theme)) return redirect(back)
  return redirect(back, [setCookie(serving, request, themeCookie, theme, choiceSeconds)])
}

/**
 * Back to where the visitor was, without what was searched for: it may be a person. What a form was to do was not done, and the
 * next page says so.
 */
function leadToSignIn({ request, url }: Visit): Response {
  const isForm = request.method === 'POST'
  const query = new URLSearchParams(url.search)
  query.delete('q')
  const search = query.size > 0 ? `?${query}` : ''
  const page = ownPage(isForm ? pageNear(url.pathname) : url.pathname + search)
  return redirect(`${signInPath}?next=${encodeURIComponent(page)}${isForm ? '&undone=yes' : ''}`)
}

/** What every visitor may see; the rest is behind the password, and nothing is where there is none. */
function openGuardedPages(serving: Serving) {
  const { database, owner } = serving
  const enter = owner && openSignedInPages(serving)
  const turns = openSignInTurns(serving.requestTimeoutMs / 2)
  return async (visit: Visit): Promise<Response> => {
    const { request, url, texts } = visit
    const asset = assetResponse(request, url.pathname)
    if (asset) return asset
    if (url.pathname.startsWith(languagePath)) return switchLanguage(serving, visit)
    if (url.pathname.startsWith(themePath)) return switchTheme(serving, visit)
    if (!owner || !enter)
      return htmlResponse(bare(visit, texts.off.title, html`<p>${texts.off.text}</p>`), 404)
    const isSignIn = url.pathname === signInPath
    if (isSignIn && request.method === 'POST') return await answerSignIn(serving, turns, visit)
    const token = cookieOf(request, sessionCookie) ?? ''
    const entered = await useSession(database, owner, token)
    if (isSignIn) return entered ? redirect('/dashboard') : signInPage(visit, token !== '')
    if (entered) return await enter(visit, token)
    return leadToSignIn(visit)
  }
}

/** With a way back; of a form that failed it is not known how far it came. */
function failed(serving: Serving, visit: Visit, error: unknown): Response {
  const { texts, requestId, request, url } = visit
  const { refused, tooLarge, unreadable, fault, faultText, unsaved, back } = texts.problem
  const near = ownPage(pageNear(url.pathname) + (request.method === 'POST' ? '' : url.search))
  const link = html`<p><a href="${near}">${back}</a></p>`
  if (error instanceof ApiError) {
    const text = error.status === 413 ? tooLarge : unreadable
    return htmlResponse(bare(visit, refused, html`<p>${text}</p>${link}`), error.status)
  }
  const { status, headers } = clientError(error, serving.log, requestId, 'dashboard')
  const isForm = request.method === 'POST' && url.pathname !== signInPath
  const said = html`<p>${faultText(requestId)}</p>${isForm && html`<p>${unsaved}</p>`}${link}`
  return htmlResponse(bare(visit, fault, said), status, headers)
}

/** Answers every request at and below /dashboard. */
export function openDashboard(serving: Serving) {
  const answer = openGuardedPages(serving)
  return async (request: Request, requestId: string): Promise<Response> => {
    const lineOf = startRequestLine(request, requestId)
    const url = new URL(request.url)
    const texts = textsFor(request, cookieOf(request, languageCookie))
    const visit = { request, requestId, url, texts, theme: themeOf(request) }
    const answered = answer(visit)
    const response = await withTimeout(answered, serving.requestTimeoutMs).catch(error => {
      // Its visitor has been answered already: a stream must give its place back.
      void answered.then(
        late => late.body?.cancel(),
        () => {},
      )
      return failed(serving, visit, error)
    })
    response.headers.set('x-request-id', requestId)
    const route = findRoute(url.pathname)?.route.path ?? '/dashboard/*'
    serving.log.event('request', lineOf({ route, status: response.status }))
    return response
  }
}

export type Dashboard = ReturnType<typeof openDashboard>
