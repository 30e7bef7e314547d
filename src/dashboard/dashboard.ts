// The owner's dashboard: routes, who may enter, and one line in the log for each request.
import { Elysia, type Context as ElysiaContext } from 'elysia'
import { readForm } from '../api/http/body.ts'
import { clientError } from '../api/http/client_error.ts'
import { startRequestLine } from '../api/http/request_line.ts'
import { ApiError } from '../errors.ts'
import { withTimeout } from '../lib/timeout.ts'
import { healthOf, urgencyOf } from '../model/hook_health.ts'
import { uuidForm } from '../model/uuid.ts'
import { listHookReports } from '../operations/deliveries.ts'
import { useSession } from '../operations/owner_sessions.ts'
import { assetResponse, assetsPath } from './assets.ts'
import type {
  Act,
  Context,
  DashboardPage,
  Next,
  Serving,
  Show,
  ShownHook,
  Visit,
} from './context.ts'
import { type Jar, openJar } from './cookies.ts'
import { csrfOf, isByItself, isCsrf, isOwnOrigin, ownPage } from './guard.ts'
import { countedMax } from './hook_parts.ts'
import { html } from './html.ts'
import { areaOf, bare, framed, pulseOfPage } from './layout.ts'
import { nameOf } from './parts.ts'
import { type PageReply, redirect, responseOf } from './reply.ts'
import { pageNear, routes } from './routes.ts'
import { answerSignIn, signInPage, signInPath, signOut } from './sign_in.ts'
import { isLanguage, type Texts, textsFor } from './texts.ts'

type Elysian = Pick<ElysiaContext, 'request' | 'cookie' | 'params' | 'body' | 'query'>

/** One request to a route. */
type Answer = (visit: Visit, jar: Jar, elysian: Elysian) => PageReply | Promise<PageReply>
/** The same of the owner. */
type Owned = (context: Context, jar: Jar, body: unknown) => PageReply | Promise<PageReply>

const parameterForms: Record<string, RegExp> = {
  id: uuidForm,
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

const off = (visit: Visit): PageReply => {
  const { title, text } = visit.texts.off
  return { status: 404, page: bare(visit, title, html`<p>${text}</p>`) }
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

/** With a way back to the page that it is about. */
function problem(context: Context, status: number, title: string, text: string): PageReply {
  const { texts, url } = context
  const back = pageNear(status === 404 ? url.pathname.replace(/\/[^/]*$/, '') : url.pathname)
  const content = html`<p>${text}</p><p><a href="${back}">${texts.problem.back}</a></p>`
  return { status, page: framed(context, { title, area: areaOf(back), content }) }
}

const missingPage = (context: Context): PageReply => {
  const { missing, missingText } = context.texts.problem
  return problem(context, 404, missing, missingText)
}

/** An open page that asks again with the pulse that it has gets the answer that nothing changed. */
function pageReply(context: Context, jar: Jar, page: DashboardPage): PageReply {
  const { request, done } = context
  // The outcome of an action is shown once.
  if (done) jar.setDone(null)
  const status = page.status ?? 200
  const isSecret = page.isOnce === true
  if (!page.liveMs) return { status, page: framed(context, page), isSecret }
  const etag = `"${pulseOfPage(context, page)}"`
  if (request.headers.get('if-none-match') === etag) return { status: 304, headers: { etag } }
  return { status, page: framed(context, page, etag), headers: { etag }, isSecret }
}

function replyTo(context: Context, jar: Jar, outcome: DashboardPage | Next | null): PageReply {
  if (outcome === null) return missingPage(context)
  if ('content' in outcome) return pageReply(context, jar, outcome)
  if (outcome.done) jar.setDone(outcome.done)
  return redirect(outcome.path)
}

const shown =
  (show: Show): Owned =>
  async (context, jar) =>
    replyTo(context, jar, await show(context))

/** Nothing is done unless the form is ours and of this session. Null: signs out. */
const acted =
  (act: Act | null): Owned =>
  async (context, jar, body) => {
    const { serving, request, texts } = context
    const fields = body instanceof URLSearchParams ? body : new URLSearchParams()
    if (!isOwnOrigin(serving, request) || !isCsrf(jar.session, fields.get('csrf')))
      return problem(context, 403, texts.problem.refused, texts.problem.refusedText)
    if (act === null) return await signOut(serving, jar)
    return replyTo(context, jar, await act(context, fields))
  }

async function listHooks({ database }: Serving, texts: Texts): Promise<ShownHook[]> {
  const reports = await listHookReports(database, countedMax)
  return reports
    .map(report => ({ ...report, health: healthOf(report), name: nameOf(texts, report) }))
    .toSorted((one, other) => urgencyOf(one.health) - urgencyOf(other.health))
}

/** Behind the password, and nothing is where there is none. */
const guarded =
  (serving: Serving, run: Owned): Answer =>
  async (visit, jar, { params, body }) => {
    const { owner, database } = serving
    if (!owner) return off(visit)
    const isAtWork = !isByItself(visit.request)
    if (!(await useSession(database, owner, jar.session, isAtWork))) return leadToSignIn(visit)
    const parameters = parametersOf(params)
    const context: Context = {
      ...visit,
      serving,
      database,
      done: jar.done,
      parameters: parameters ?? {},
      csrf: csrfOf(jar.session),
      hooks: await listHooks(serving, visit.texts),
    }
    return parameters ? await run(context, jar, body) : missingPage(context)
  }

/** Answers every request at and below /dashboard. */
export function openDashboard(serving: Serving) {
  const { owner, database, log } = serving
  const ids = new WeakMap<Request, string>()

  const visitOf = (request: Request, language: string): Visit => ({
    request,
    requestId: ids.get(request) ?? '',
    url: new URL(request.url),
    texts: textsFor(request, language),
  })

  /** In the reader's language, within its time, and with a line in the log. */
  async function answer(
    path: string,
    elysian: Elysian,
    run: Answer,
    limitMs = serving.requestTimeoutMs,
  ): Promise<Response> {
    const { request } = elysian
    const lineOf = startRequestLine(request, ids.get(request) ?? '')
    const jar = openJar(serving, elysian)
    const visit = visitOf(request, jar.language)
    const answered = (async () => run(visit, jar, elysian))()
    const reply = await withTimeout(answered, limitMs).catch(error => failed(serving, visit, error))
    log.event('request', lineOf({ route: path, status: reply.status }))
    return await responseOf(request, reply)
  }

  /** Of a request that reached no route; a body that was refused comes wrapped. */
  function refuse(request: Request, error: unknown): Promise<Response> {
    const { cause } = error as Error
    const known = cause instanceof ApiError ? cause : error
    return answer('/dashboard/*', { request, cookie: {} } as Elysian, () => {
      throw known
    })
  }

  const app = new Elysia({ strictPath: true, handler: { standardHostname: false } })
    .onParse(({ request }) => readForm(request, serving.requestTimeoutMs / 2))
    .onError(({ request, error }) => refuse(request, error))
  const on = (method: string, path: string, run: Answer, limitMs?: number) =>
    app.route(method, path, context => answer(path, context as Elysian, run, limitMs))

  for (const { path, show, act, limitMs } of routes) {
    if (show) for (const method of ['GET', 'HEAD']) on(method, path, guarded(serving, shown(show)))
    if (act) on('POST', path, guarded(serving, acted(act)), limitMs)
  }
  on('POST', '/dashboard/sign-out', guarded(serving, acted(null)))
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
    app.all(path, context => answer(path, context as Elysian, guarded(serving, missingPage)))

  return async (request: Request, requestId: string): Promise<Response> => {
    ids.set(request, requestId)
    const response = await app.handle(request)
    response.headers.set('x-request-id', requestId)
    return response
  }
}

export type Dashboard = ReturnType<typeof openDashboard>
