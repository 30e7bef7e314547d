// The owner's dashboard: who may enter, and one line in the log for each request.
import { ApiError } from '../errors.ts'
import { traceIdOf } from '../http/trace.ts'
import { useSession } from '../operations/owner_sessions.ts'
import { TimeoutError, within } from '../within.ts'
import { assetResponse } from './assets.ts'
import type { Serving } from './context.ts'
import { openEntrance, type Visit } from './entrance.ts'
import { cookieOf, ownPage, sessionCookie, setCookie } from './guard.ts'
import { html } from './html.ts'
import { bare } from './layout.ts'
import { htmlResponse, redirect } from './respond.ts'
import { findRoute } from './routes.ts'
import { signIn, signInPage } from './sign_in.ts'
import { isLanguage, languageCookie, textsFor } from './texts.ts'

const languageSeconds = 365 * 24 * 60 * 60
const languagePath = '/dashboard/language/'

function switchLanguage(serving: Serving, { request, url }: Visit): Response {
  const language = url.pathname.slice(languagePath.length)
  const back = ownPage(url.searchParams.get('back'))
  if (!isLanguage(language)) return redirect(back)
  return redirect(back, [setCookie(serving, request, languageCookie, language, languageSeconds)])
}

/** What everybody may see; the rest is behind the password, and nothing is where there is none. */
function openDoor(serving: Serving) {
  const { database, owner } = serving
  const enter = owner && openEntrance(serving, owner)
  return async (visit: Visit): Promise<Response> => {
    const { request, url, texts } = visit
    const asset = assetResponse(url.pathname)
    if (asset) return asset
    if (url.pathname.startsWith(languagePath)) return switchLanguage(serving, visit)
    if (!owner || !enter)
      return htmlResponse(bare(texts, texts.off.title, html`<p>${texts.off.text}</p>`), 404)
    const isSignIn = url.pathname === '/dashboard/sign-in'
    if (isSignIn && request.method === 'POST') return await signIn(serving, texts, request)
    const token = cookieOf(request, sessionCookie) ?? ''
    const entered = await useSession(database, owner, token)
    if (isSignIn) return entered ? redirect('/dashboard') : signInPage(texts, url, token !== '')
    if (entered) return await enter(visit, token)
    return redirect(`/dashboard/sign-in?next=${encodeURIComponent(ownPage(url.pathname))}`)
  }
}

function failed(serving: Serving, { texts, requestId }: Visit, error: unknown): Response {
  const { refused, refusedText, fault, faultText } = texts.problem
  if (error instanceof ApiError)
    return htmlResponse(bare(texts, refused, html`<p>${refusedText}</p>`), error.status)
  if (error instanceof TimeoutError) serving.onTimeout()
  serving.log.fault('dashboard', error, requestId)
  return htmlResponse(bare(texts, fault, html`<p>${faultText(requestId)}</p>`), 500)
}

/** Answers every request at and below /dashboard. */
export function openDashboard(serving: Serving) {
  const answer = openDoor(serving)
  return async (request: Request, requestId: string): Promise<Response> => {
    const startedAt = performance.now()
    const url = new URL(request.url)
    const texts = textsFor(request, cookieOf(request, languageCookie))
    const visit = { request, requestId, url, texts }
    const response = await within(answer(visit), serving.requestTimeoutMs).catch(error =>
      failed(serving, visit, error),
    )
    response.headers.set('x-request-id', requestId)
    const traceId = traceIdOf(request)
    serving.log.request({
      request_id: requestId,
      method: request.method,
      route: findRoute(url.pathname)?.route.path ?? '/dashboard/*',
      status: response.status,
      ...(traceId && { trace_id: traceId }),
      duration_ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
    })
    return response
  }
}

export type Dashboard = ReturnType<typeof openDashboard>
