// What a visitor who is signed in gets: pages, and what their forms do.
import { healthOf, urgencyOf } from '../model/hook_health.ts'
import { listHookReports } from '../operations/deliveries.ts'
import type {
  Act,
  Area,
  Context,
  DashboardPage,
  Next,
  Serving,
  Show,
  ShownHook,
  Visit,
} from './context.ts'
import type { Jar } from './cookies.ts'
import { csrfOf, isCsrf, isOwnOrigin } from './guard.ts'
import { html } from './html.ts'
import { areaOf, framed, pulseOfPage } from './layout.ts'
import { nameOf } from './parts.ts'
import { type PageReply, redirect } from './reply.ts'
import { pageNear } from './routes.ts'
import { signOut } from './sign_in.ts'

export type SignedIn = (context: Context, jar: Jar, body: unknown) => Promise<PageReply>

// Each page counts what waits: enough for the number next to "Webhooks".
const countMax = 100

async function listHooks({ database }: Serving, { texts }: Visit): Promise<ShownHook[]> {
  const reports = await listHookReports(database, countMax)
  return reports
    .map(report => ({ ...report, health: healthOf(report), name: nameOf(texts, report) }))
    .toSorted((one, other) => urgencyOf(one.health) - urgencyOf(other.health))
}

/** With a way back to the page that it is about. */
function problem(context: Context, status: number, title: string, text: string): PageReply {
  const { texts, url } = context
  const back = pageNear(status === 404 ? url.pathname.replace(/\/[^/]*$/, '') : url.pathname)
  const content = html`<p>${text}</p><p><a href="${back}">${texts.problem.back}</a></p>`
  const area: Area = areaOf(back)
  return { status, page: framed(context, { title, area, content }) }
}

export async function missingPage(context: Context): Promise<PageReply> {
  const { missing: title, missingText } = context.texts.problem
  return problem(context, 404, title, missingText)
}

/** An open page that asks again with the pulse that it has gets the answer that nothing changed. */
function pageReply(context: Context, jar: Jar, page: DashboardPage): PageReply {
  const { request, done } = context
  // The outcome of an action is shown once.
  if (done) jar.setDone(null)
  const status = page.status ?? 200
  const isSecret = page.isOnce === true
  if (!page.live) return { status, page: framed(context, page), isSecret }
  const etag = `"${pulseOfPage(context, page)}"`
  if (request.headers.get('if-none-match') === etag) return { status: 304, headers: { etag } }
  return { status, page: framed(context, page, etag), headers: { etag }, isSecret }
}

async function replyTo(
  context: Context,
  jar: Jar,
  outcome: DashboardPage | Next | null,
): Promise<PageReply> {
  if (outcome === null) return await missingPage(context)
  if ('content' in outcome) return pageReply(context, jar, outcome)
  if (outcome.done) jar.setDone(outcome.done)
  return redirect(outcome.path)
}

export function openSignedIn(serving: Serving) {
  const { database } = serving

  async function enter(
    visit: Visit,
    jar: Jar,
    parameters: Record<string, string>,
    run: SignedIn,
    body: unknown,
  ): Promise<PageReply> {
    const context: Context = {
      ...visit,
      serving,
      database,
      done: jar.done,
      parameters,
      csrf: csrfOf(jar.session),
      hooks: await listHooks(serving, visit),
    }
    return await run(context, jar, body)
  }

  const shown =
    (show: Show | undefined): SignedIn =>
    async (context, jar) =>
      replyTo(context, jar, show ? await show(context) : null)

  /** Nothing is done unless the form is ours and of this session. Null: signs out. */
  const acted =
    (act: Act | null): SignedIn =>
    async (context, jar, body) => {
      const { refused, refusedText } = context.texts.problem
      const fields = body instanceof URLSearchParams ? body : new URLSearchParams()
      if (!isOwnOrigin(serving, context.request) || !isCsrf(jar.session, fields.get('csrf')))
        return problem(context, 403, refused, refusedText)
      if (act === null) return await signOut(serving, jar)
      return await replyTo(context, jar, await act(context, fields))
    }

  return Object.assign(enter, { shown, acted })
}
