// What a visitor who is signed in gets: pages, what their forms do, the live feed.
import { listHookReports } from '../operations/deliveries.ts'
import { noteOwnerAction } from '../operations/owner_actions.ts'
import type { Context, Page, Serving } from './context.ts'
import { doneNotice, doneOf, forgetDone, keepDone } from './done.ts'
import { csrfOf, isCsrf, isOwnOrigin } from './guard.ts'
import { type Html, html } from './html.ts'
import { areaAt, areaOf, framed } from './layout.ts'
import { htmlResponse, redirect } from './respond.ts'
import { type Act, findRoute, pageNear, type Route } from './routes.ts'
import { openSentForms, twiceText } from './sent_forms.ts'
import { signOut, type Visit } from './sign_in.ts'

const signOutPath = '/dashboard/sign-out'
// Of the address that an action came from.
const clientLengthMax = 60

type Problem = {
  title: string
  text: string
  status: number
  back?: string
  isRefused?: boolean
  said?: Html | false
}

/** Names the page where it is not the one that was asked for: what is gone has none to go back to. */
function backText({ texts, url }: Context, back: string): string {
  const area = areaAt(back)
  if (area === undefined || back === url.pathname) return texts.problem.back
  return texts.problem.toPage(texts.pages[area])
}

/** With a way back to the page that it is about. */
function problem(context: Context, found: Problem): Response {
  const { title, text, status, said, isRefused = true } = found
  const { back = pageNear(context.url.pathname) } = found
  const content = html`${said}<p>${text}</p><p><a href="${back}">${backText(context, back)}</a></p>`
  const area = areaOf(back)
  const page: Page = { title, content, isRefused, ...(area && { area }) }
  return htmlResponse(framed(context, page), status)
}

const webhooksPath = '/dashboard/webhooks'

/** What came of an action is said once. */
function saidOnce(context: Context, response: Response): Response {
  if (context.done && context.request.method === 'GET')
    response.headers.append('set-cookie', forgetDone(context.serving, context.request))
  return response
}

/** Of a webhook that is gone no page below its own is left to go back to. */
function missing(context: Context): Response {
  const { problem: texts, webhooks } = context.texts
  const { url, parameters, hooks } = context
  const { missing: title, missingText, mistypedText } = texts
  const above = url.pathname.replace(/\/[^/]*$/, '')
  // Deleted just now, its own page is missing while it was still in the list.
  const isGone =
    url.pathname.startsWith(`${webhooksPath}/`) &&
    parameters.id !== undefined &&
    (above === webhooksPath || hooks.every(({ id }) => id !== parameters.id))
  const found = isGone
    ? { text: webhooks.gone, back: webhooksPath }
    : { text: findRoute(url.pathname) ? missingText : mistypedText, back: pageNear(above) }
  const said = doneNotice(context)
  return saidOnce(context, problem(context, { title, said, status: 404, ...found }))
}

function refused(context: Context): Response {
  const { refused: title, refusedText: text } = context.texts.problem
  return problem(context, { title, text, status: 403 })
}

function sentBefore(context: Context, earlier: 'done' | 'unsure'): Response {
  const { twiceTitle, unsureTitle } = context.texts.problem
  const isRefused = earlier === 'unsure'
  const title = isRefused ? unsureTitle : twiceTitle
  const text = twiceText(context, earlier)
  // Back at the form, the owner would make another one: the list has what was made.
  const isNewHook = context.url.pathname === `${webhooksPath}/new`
  return problem(context, {
    title,
    text,
    status: 403,
    isRefused,
    ...(isNewHook && { back: webhooksPath }),
  })
}

function wrongMethod(context: Context, { show, act }: Route): Response {
  const { problem: texts } = context.texts
  const { refused: title, wrongMethod: text } = texts
  const response = problem(context, { title, text, status: 405 })
  response.headers.set('allow', [show && 'GET, HEAD', act && 'POST'].filter(Boolean).join(', '))
  return response
}

function shown(context: Context, page: Page | Response | null): Response {
  if (page === null) return missing(context)
  if (page instanceof Response) return page
  return saidOnce(context, htmlResponse(framed(context, page), page.status))
}

async function contextOf(serving: Serving, visit: Visit, token: string): Promise<Context> {
  const { request, requestId, url, texts, theme } = visit
  const { database, log } = serving
  const hooks = await listHookReports(database)
  return {
    serving,
    database,
    texts,
    request,
    url,
    theme,
    done: doneOf(request),
    parameters: {},
    csrf: csrfOf(token),
    hooks,
    // It is done by now, and what came of it may be shown once.
    note: (action, subject, name) =>
      noteOwnerAction(database, {
        action,
        subject: subject ?? null,
        name: name ?? null,
        client: serving.clientOf(request).slice(0, clientLengthMax),
      }).catch(error => log.fault('what the owner did', error, requestId)),
  }
}

/** Answers a request whose session lives. */
export function openSignedInPages(serving: Serving) {
  const sent = openSentForms()

  /** Nothing is done unless the form is ours and of this session. */
  async function act(context: Context, token: string, run: Act): Promise<Response> {
    if (!isOwnOrigin(serving, context.request)) return refused(context)
    const fields = await serving.readForm(context.request)
    if (!isCsrf(token, fields.get('csrf'))) return refused(context)
    const once = fields.get('once')
    const earlier = sent.earlier(once)
    if (earlier) return sentBefore(context, earlier)
    const outcome = await sent.run(once, () => run(context, fields))
    if (outcome instanceof Response) return outcome
    if (typeof outcome === 'string') return redirect(outcome)
    if (outcome !== null && 'path' in outcome)
      return redirect(outcome.path, [keepDone(serving, context.request, outcome.done)])
    return shown(context, outcome)
  }

  return async (visit: Visit, token: string): Promise<Response> => {
    const { request, url } = visit
    const reading = request.method === 'GET' || request.method === 'HEAD'
    const context = await contextOf(serving, visit, token)
    if (!reading && url.pathname === signOutPath)
      return await act(context, token, () => signOut(serving, request))
    const { route, parameters = {} } = findRoute(url.pathname) ?? {}
    context.parameters = parameters
    if (reading) return route?.show ? shown(context, await route.show(context)) : missing(context)
    if (!route) return missing(context)
    if (request.method === 'POST' && route.act) return await act(context, token, route.act)
    return wrongMethod(context, route)
  }
}
