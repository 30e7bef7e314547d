// What a visitor who is signed in gets: pages, and what their forms do.
import { refuseAbsent } from '../api/http/presence.ts'
import { ApiError } from '../errors.ts'
import { isUndone } from '../lib/error_code.ts'
import { healthOf, urgencyOf } from '../model/hook_health.ts'
import { listHookReports } from '../operations/deliveries.ts'
import { noteOwnerAction } from '../operations/owner_actions.ts'
import type { Act, Area, Context, Hook, Next, Page, Serving, Show, Visit } from './context.ts'
import type { Jar } from './cookies.ts'
import { csrfOf, isCsrf, isOwnOrigin } from './guard.ts'
import { html } from './html.ts'
import { areaOf, framed, pulseOfPage } from './layout.ts'
import { nameOf } from './parts.ts'
import { type Reply, redirect } from './reply.ts'
import { pageNear } from './routes.ts'
import { signOut } from './sign_in.ts'

export type SignedIn = (context: Context, jar: Jar, body: unknown) => Promise<Reply>

// Of the address that an action came from.
const clientLengthMax = 60
// Each page counts what waits: enough for the number beside "Webhooks".
const countMax = 100

async function listHooks({ database }: Serving, { texts }: Visit): Promise<Hook[]> {
  const reports = await listHookReports(database, countMax)
  return reports
    .map(report => ({ ...report, health: healthOf(report), name: nameOf(texts, report) }))
    .toSorted((one, other) => urgencyOf(one.health) - urgencyOf(other.health))
}

/** With a way back to the page that it is about. */
function problem(context: Context, status: number, title: string, text: string): Reply {
  const { texts, url } = context
  const back = pageNear(status === 404 ? url.pathname.replace(/\/[^/]*$/, '') : url.pathname)
  const content = html`<p>${text}</p><p><a href="${back}">${texts.problem.back}</a></p>`
  const area: Area = areaOf(back)
  return { status, page: framed(context, { title, area, content }) }
}

export async function missing(context: Context): Promise<Reply> {
  const { missing: title, missingText } = context.texts.problem
  return problem(context, 404, title, missingText)
}

export const wrongMethod =
  (isShown: boolean, isActed: boolean): SignedIn =>
  async context => {
    const { refused, wrongMethod: text } = context.texts.problem
    const allow = [isShown && 'GET, HEAD', isActed && 'POST'].filter(Boolean).join(', ')
    return { ...problem(context, 405, refused, text), headers: { allow } }
  }

/** An open page that asks again with the pulse that it has gets the answer that nothing changed. */
function pageReply(context: Context, jar: Jar, page: Page): Reply {
  const { request, done } = context
  // What came of an action is said once.
  if (done) jar.setDone(null)
  const status = page.status ?? 200
  const isSecret = page.isOnce === true
  if (!page.live) return { status, page: framed(context, page), isSecret }
  const etag = `"${pulseOfPage(context, page)}"`
  if (request.headers.get('if-none-match') === etag) return { status: 304, headers: { etag } }
  return { status, page: framed(context, page, etag), headers: { etag }, isSecret }
}

async function replyTo(context: Context, jar: Jar, outcome: Page | Next | null): Promise<Reply> {
  if (outcome === null) return await missing(context)
  if ('content' in outcome) return pageReply(context, jar, outcome)
  if (outcome.done) jar.setDone(outcome.done)
  return redirect(outcome.path)
}

// Past this many the oldest are forgotten.
const sentMax = 1_000

/** Forms that must not be sent twice carry a number. What did nothing may be sent again. */
function openSentForms() {
  const sent = new Set<string>()
  return {
    has: (once: string | null) => once !== null && sent.has(once),
    async run(once: string | null, work: () => Promise<Page | Next | null>) {
      if (once === null) return await work()
      sent.add(once)
      if (sent.size > sentMax) sent.delete(sent.keys().next().value as string)
      try {
        const outcome = await work()
        const isRefused = outcome !== null && 'status' in outcome && (outcome.status ?? 200) >= 400
        if (outcome === null || isRefused) sent.delete(once)
        return outcome
      } catch (error) {
        // All else that is thrown may have been done, as when a connection was lost at the end.
        if (isUndone(error) || error instanceof ApiError) sent.delete(once)
        throw error
      }
    },
  }
}

export function openSignedIn(serving: Serving) {
  const { database, log } = serving
  const sent = openSentForms()

  async function enter(
    visit: Visit,
    jar: Jar,
    parameters: Record<string, string>,
    run: SignedIn,
    body: unknown,
  ): Promise<Reply> {
    const client = serving.clientOf(visit.request).slice(0, clientLengthMax)
    const context: Context = {
      ...visit,
      serving,
      database,
      done: jar.done,
      parameters,
      csrf: csrfOf(jar.session),
      hooks: await listHooks(serving, visit),
      // It is done by now, and what came of it may be shown once.
      note: (action, subject, name) =>
        noteOwnerAction(database, {
          action,
          subject: subject ?? null,
          name: name ?? null,
          client,
        }).catch(error => log.fault('what the owner did', error, visit.requestId)),
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
      const { refused, refusedText, twiceTitle, twice } = context.texts.problem
      const fields = body instanceof URLSearchParams ? body : new URLSearchParams()
      if (!isOwnOrigin(serving, context.request) || !isCsrf(jar.session, fields.get('csrf')))
        return problem(context, 403, refused, refusedText)
      refuseAbsent(context.request)
      if (act === null) return await signOut(serving, jar)
      const once = fields.get('once')
      if (sent.has(once)) return problem(context, 409, twiceTitle, twice)
      return await replyTo(context, jar, await sent.run(once, () => act(context, fields)))
    }

  return Object.assign(enter, { shown, acted })
}
