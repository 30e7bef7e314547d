// The owner's dashboard: routes, who may enter, and one line in the log for each request.
import { Elysia, type Context as ElysiaContext } from 'elysia'
import { clientError } from '../api/http/client_error.ts'
import { startRequestLine } from '../api/http/request_line.ts'
import { ApiError } from '../errors.ts'
import { withTimeout } from '../lib/timeout.ts'
import { useSession } from '../operations/owner_sessions.ts'
import { assetResponse, assetsPath } from './assets.ts'
import type { Serving, Visit } from './context.ts'
import { type Jar, openJar } from './cookies.ts'
import { isByItself, ownPage } from './guard.ts'
import { html } from './html.ts'
import { bare } from './layout.ts'
import { type PageReply, redirect, responseOf } from './reply.ts'
import { pageNear, routes } from './routes.ts'
import { answerSignIn, signInPage, signInPath } from './sign_in.ts'
import { missingPage, openSignedIn, type SignedIn } from './signed_in.ts'
import { isLanguage, textsFor } from './texts.ts'

type Elysian = Pick<ElysiaContext, 'request' | 'cookie' | 'params' | 'body' | 'query'>

/** One request to a route; `enter` answers it for the owner alone. */
type Answer = (visit: Visit, jar: Jar, elysian: Elysian) => PageReply | Promise<PageReply>

const parameterForms: Record<string, RegExp> = {
  id: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  cursor: /^[1-9]\d{0,15}$/,
}

/** Null: they are of no form that names something. */
function parametersOf(params: Record<string, string> = {}): Record<string, string> | null {
  const lower = Object.entries(params).map(([name, value]) => [name, value.toLowerCase()] as const)
  const isKnown = lower.every(([name, value]) => parameterForms[name]?.test(value) ?? true)
  return isKnown ? Object.fromEntries(lower) : null
}

/**
 * Back to where the visitor was, without what was searched for: it may be a person. What a form was to do was not done, and the
 * next page shows that.
 */
function leadToSignIn({ request, url }: Visit): PageReply {
  const isForm = request.method === 'POST'
  const query = new URLSearchParams(url.search)
  query.delete('q')
  const search = query.size > 0 ? `?${query}` : ''
  const page = ownPage(isForm ? pageNear(url.pathname) : url.pathname + search)
  return redirect(`${signInPath(page)}${isForm ? '&undone=yes' : ''}`)
}

/** With a way back; of a form that failed it is not known how far it came. */
function failed(serving: Serving, visit: Visit, error: unknown): PageReply {
  const { texts, requestId, request, url } = visit
  const { refused, tooLarge, unreadable, fault, faultText, unsaved, back } = texts.problem
  const isForm = request.method === 'POST'
  const link = html`<p><a href="${ownPage(pageNear(url.pathname))}">${back}</a></p>`
  if (error instanceof ApiError) {
    const text = error.status === 413 ? tooLarge : unreadable
    return { status: error.status, page: bare(visit, refused, html`<p>${text}</p>${link}`) }
  }
  const { status, headers } = clientError(error, serving.log, requestId, 'dashboard')
  const said = html`<p>${faultText(requestId)}</p>${isForm && html`<p>${unsaved}</p>`}${link}`
  return { status, headers, page: bare(visit, fault, said) }
}

/** How a request to a route is answered: in the reader's language, within its time, and with a line in the log. */
function openAnswers(serving: Serving) {
  const { owner, database } = serving
  const enter = openSignedIn(serving)
  const ids = new WeakMap<Request, string>()
  const noted = (request: Request) => startRequestLine(request, ids.get(request) ?? '')

  const visitOf = (request: Request, language: string): Visit => ({
    request,
    requestId: ids.get(request) ?? '',
    url: new URL(request.url),
    texts: textsFor(request, language),
  })

  const off = (visit: Visit): PageReply => {
    const { title, text } = visit.texts.off
    return { status: 404, page: bare(visit, title, html`<p>${text}</p>`) }
  }

  return {
    enter,
    off,
    identify: (request: Request, requestId: string) => ids.set(request, requestId),
    async answer(path: string, elysian: Elysian, run: Answer): Promise<Response> {
      const { request } = elysian
      const lineOf = noted(request)
      const jar = openJar(serving, elysian)
      const visit = visitOf(request, jar.language)
      const reply = await withTimeout(
        (async () => run(visit, jar, elysian))(),
        serving.requestTimeoutMs,
      ).catch(error => failed(serving, visit, error))
      serving.log.event('request', lineOf({ route: path, status: reply.status }))
      return await responseOf(request, reply)
    },
    /** Of a request that reached no route; a body that was refused comes wrapped. */
    refuse(request: Request, error: unknown): Promise<Response> {
      const { cause } = error as Error
      const reply = failed(serving, visitOf(request, ''), cause instanceof ApiError ? cause : error)
      const line = noted(request)({ route: '/dashboard/*', status: reply.status })
      serving.log.event('request', line)
      return responseOf(request, reply)
    },
    /** Behind the password, and nothing is where there is none. */
    guarded:
      (run: SignedIn): Answer =>
      async (visit, jar, { params, body }) => {
        if (!owner) return off(visit)
        const isAtWork = !isByItself(visit.request)
        if (!(await useSession(database, owner, jar.session, isAtWork))) return leadToSignIn(visit)
        const parameters = parametersOf(params)
        return await enter(visit, jar, parameters ?? {}, parameters ? run : missingPage, body)
      },
  }
}

/** Answers every request at and below /dashboard. */
export function openDashboard(serving: Serving) {
  const { owner, database } = serving
  const { enter, off, identify, answer, refuse, guarded } = openAnswers(serving)
  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onParse(({ request }) => serving.readForm(request))
    .onError(({ request, error }) => refuse(request, error))
  const on = (method: string, path: string, run: Answer) =>
    app.route(method, path, context => answer(path, context as Elysian, run))

  for (const { path, show, act } of routes) {
    for (const method of show ? ['GET', 'HEAD'] : []) on(method, path, guarded(enter.shown(show)))
    if (act) on('POST', path, guarded(enter.acted(act)))
  }
  on('POST', '/dashboard/sign-out', guarded(enter.acted(null)))
  on('GET', '/dashboard/sign-in', async (visit, jar) => {
    if (!owner) return off(visit)
    const isIn = await useSession(database, owner, jar.session)
    return isIn ? redirect('/dashboard') : signInPage(serving, visit, jar.session !== '')
  })
  on('POST', '/dashboard/sign-in', (visit, jar, { body }) =>
    answerSignIn(serving, visit, jar, body as URLSearchParams),
  )
  on('GET', '/dashboard/language/:language', ({ url }, jar, { params }) => {
    const { language = '' } = params as Record<string, string>
    if (isLanguage(language)) jar.setLanguage(language)
    return redirect(ownPage(url.searchParams.get('back')))
  })
  app.get(`${assetsPath}*`, ({ request }) => assetResponse(request, new URL(request.url).pathname))
  for (const path of ['/dashboard', '/dashboard/*'])
    app.all(path, context => answer(path, context as Elysian, guarded(missingPage)))

  return async (request: Request, requestId: string): Promise<Response> => {
    identify(request, requestId)
    const response = await app.handle(request)
    response.headers.set('x-request-id', requestId)
    return response
  }
}

export type Dashboard = ReturnType<typeof openDashboard>
