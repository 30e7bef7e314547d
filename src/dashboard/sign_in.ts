// Signing in and out.
import { isPassword } from '../model/password.ts'
import { closeSession, openSession } from '../operations/owner_sessions.ts'
import type { Serving, Theme } from './context.ts'
import { cookieOf, isOwnOrigin, isUnknownName, ownPage, sessionCookie, setCookie } from './guard.ts'
import { type Html, html } from './html.ts'
import { bare } from './layout.ts'
import { mistakeNotice } from './parts.ts'
import { htmlResponse, redirect } from './respond.ts'
import type { SignInTurns } from './sign_in_turns.ts'
import type { Texts } from './texts.ts'

export type Visit = {
  request: Request
  requestId: string
  url: URL
  texts: Texts
  theme: Theme
}

const signInPath = (next: string): string => `/dashboard/sign-in?next=${encodeURIComponent(next)}`

/** In the address: it is known also of a form that is refused unread. */
const nextOf = ({ url }: Visit): string => ownPage(url.searchParams.get('next'))

const form = (visit: Visit, next: string, said?: string): Html => {
  const { signIn } = visit.texts
  return bare(
    visit,
    signIn.title,
    html`<p>${signIn.intro}</p>
${mistakeNotice(said)}
<form method="post" action="${signInPath(next)}">
<label>${signIn.password}
<input type="password" name="password" required autocomplete="current-password" autofocus></label>
<button class="primary">${signIn.button}</button>
</form>`,
    signInPath(next),
  )
}

/** A visitor whose session ended learns so, and whether a form came too late. */
export function signInPage(visit: Visit, hadSession: boolean): Response {
  const { searchParams } = visit.url
  const { undone, ended } = visit.texts.signIn
  const said = searchParams.has('undone') ? undone : hadSession ? ended : undefined
  return htmlResponse(form(visit, nextOf(visit), said))
}

// By then a turn was free even if all who waited were new.
const busySeconds = 2

/** A try counts before its password is checked, so many at once gain nothing; one that is not checked is taken back. */
export async function answerSignIn(
  serving: Serving,
  turns: SignInTurns,
  visit: Visit,
): Promise<Response> {
  const { owner, throttle, clientOf, database } = serving
  const { request, texts } = visit
  const next = nextOf(visit)
  if (!owner || !isOwnOrigin(serving, request)) {
    const isUnknown = isUnknownName(request)
    if (isUnknown) serving.onUnknownName()
    // Loading the page again would not help there.
    const said = isUnknown ? texts.signIn.unknownName : texts.problem.refusedText
    return htmlResponse(form(visit, next, said), 403)
  }
  const client = clientOf(request)
  const seconds = throttle.waitSeconds(client)
  const late = (text: string, status: number, after: number) =>
    htmlResponse(form(visit, next, text), status, { 'retry-after': String(after) })
  if (seconds > 0) return late(texts.signIn.wait(seconds), 429, seconds)
  throttle.recordTry(client)
  const fields = await serving.readForm(request).catch(error => {
    throttle.takeBack(client)
    throw error
  })
  const isRight = await turns.take(client, () => isPassword(owner, fields.get('password') ?? ''))
  if (isRight === undefined) {
    throttle.takeBack(client)
    return late(texts.signIn.busy, 503, busySeconds)
  }
  if (!isRight) return htmlResponse(form(visit, next, texts.signIn.wrong), 401)
  const token = await openSession(database, owner)
  return redirect(next, [setCookie(serving, request, sessionCookie, token)])
}

export async function signOut(serving: Serving, request: Request): Promise<Response> {
  const token = cookieOf(request, sessionCookie)
  if (serving.owner && token) await closeSession(serving.database, serving.owner, token)
  return redirect('/dashboard/sign-in', [setCookie(serving, request, sessionCookie, '', 0)])
}
