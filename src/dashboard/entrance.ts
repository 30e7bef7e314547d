// What somebody who is signed in gets: pages, what their forms do, the live feed.
import type { PasswordHash } from '../model/password.ts'
import { listHookNames } from '../operations/overview.ts'
import { isSession } from '../operations/owner_sessions.ts'
import type { Context, Page, Serving } from './context.ts'
import { csrfOf, isCsrf, isOwnOrigin } from './guard.ts'
import { html } from './html.ts'
import { framed } from './layout.ts'
import { cursorOf, typeOf } from './pages/events.ts'
import { eventStream, htmlResponse, redirect } from './respond.ts'
import { type Act, findRoute, type Route } from './routes.ts'
import { signOut } from './sign_in.ts'
import type { Texts } from './texts.ts'

export type Visit = { request: Request; requestId: string; url: URL; texts: Texts }

const streamPath = '/dashboard/events/stream'
const signOutPath = '/dashboard/sign-out'
// Forms that were sent, of those that must not be sent twice. Past this many the oldest are forgotten.
const sentMax = 10_000

const problem = (context: Context, title: string, text: string, status: number) =>
  htmlResponse(framed(context, { title, content: html`<p>${text}</p>` }), status)

function missing(context: Context): Response {
  const { problem: texts } = context.texts
  return problem(context, texts.missing, texts.missingText, 404)
}

function refused(context: Context, text = context.texts.problem.refusedText): Response {
  return problem(context, context.texts.problem.refused, text, 403)
}

function wrongMethod(context: Context, { show, act }: Route): Response {
  const { problem: texts } = context.texts
  const response = problem(context, texts.refused, texts.wrongMethod, 405)
  response.headers.set('allow', [show && 'GET, HEAD', act && 'POST'].filter(Boolean).join(', '))
  return response
}

const shown = (context: Context, page: Page | null): Response =>
  page === null ? missing(context) : htmlResponse(framed(context, page), page.status)

async function contextOf(serving: Serving, visit: Visit, token: string): Promise<Context> {
  const { request, url, texts } = visit
  const { database } = serving
  const hooks = await listHookNames(database)
  return { serving, database, texts, request, url, parameters: {}, csrf: csrfOf(token), hooks }
}

async function follow(serving: Serving, owner: PasswordHash, visit: Visit, token: string) {
  const { request, url } = visit
  const type = typeOf(url)
  const after = cursorOf(url.searchParams.get('after')) ?? 0
  const query = { after, types: type === null ? null : [type] }
  const isAllowed = () => isSession(serving.database, owner, token)
  return eventStream(await serving.followFeed(request, query, isAllowed))
}

/** Remembers forms by the number that each carries. */
function openSent() {
  const sent = new Set<string>()
  return (once: string | null): boolean => {
    if (once === null) return true
    if (sent.has(once)) return false
    sent.add(once)
    if (sent.size > sentMax) sent.delete(sent.values().next().value as string)
    return true
  }
}

/** Answers a request whose session lives. */
export function openEntrance(serving: Serving, owner: PasswordHash) {
  const isFirst = openSent()

  /** Nothing is done unless the form is ours and of this session. */
  async function act(context: Context, token: string, run: Act): Promise<Response> {
    if (!isOwnOrigin(serving, context.request)) return refused(context)
    const fields = await serving.readForm(context.request)
    if (!isCsrf(token, fields.get('csrf'))) return refused(context)
    if (!isFirst(fields.get('once'))) return refused(context, context.texts.problem.twice)
    const outcome = await run(context, fields)
    if (outcome instanceof Response) return outcome
    return typeof outcome === 'string' ? redirect(outcome) : shown(context, outcome)
  }

  return async (visit: Visit, token: string): Promise<Response> => {
    const { request, url } = visit
    const reading = request.method === 'GET' || request.method === 'HEAD'
    if (reading && url.pathname === streamPath) return await follow(serving, owner, visit, token)
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
