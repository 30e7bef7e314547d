// Signing in and out.
import { isPassword } from '../model/password.ts'
import { closeSession, openSession } from '../operations/owner_sessions.ts'
import type { Serving } from './context.ts'
import { cookieOf, isOwnOrigin, ownPage, sessionCookie, setCookie } from './guard.ts'
import { type Html, html } from './html.ts'
import { bare } from './layout.ts'
import { htmlResponse, redirect } from './respond.ts'
import type { Texts } from './texts.ts'

const form = (texts: Texts, next: string, said?: string): Html => {
  const { signIn } = texts
  return bare(
    texts,
    signIn.title,
    html`<p>${signIn.intro}</p>
${said && html`<p class="notice bad" role="alert">${said}</p>`}
<form method="post" action="/dashboard/sign-in">
<input type="hidden" name="next" value="${next}">
<label>${signIn.password}
<input type="password" name="password" required autocomplete="current-password" autofocus></label>
<button>${signIn.button}</button>
</form>`,
  )
}

export const signInPage = (texts: Texts, url: URL, hadSession: boolean): Response =>
  htmlResponse(
    form(texts, ownPage(url.searchParams.get('next')), hadSession ? texts.signIn.ended : undefined),
  )

// One guess at a time: a flood of them must not take the memory and the processor that requests need.
const waitingMax = 50
let waiting = 0
let last: Promise<unknown> = Promise.resolve()

async function inTurn(work: () => Promise<boolean>): Promise<boolean> {
  if (waiting >= waitingMax) return false
  waiting += 1
  const mine = last.then(work, work)
  last = mine.catch(() => {})
  return mine.finally(() => {
    waiting -= 1
  })
}

/** Every attempt counts against its client before it is looked at: many at once get no more than one by one. */
export async function signIn(serving: Serving, texts: Texts, request: Request): Promise<Response> {
  const { owner, throttle, clientOf, database } = serving
  if (!owner || !isOwnOrigin(serving, request))
    return htmlResponse(form(texts, ownPage(null), texts.problem.refusedText), 403)
  const client = clientOf(request)
  const seconds = throttle.waitSeconds(client)
  if (seconds > 0)
    return htmlResponse(form(texts, ownPage(null), texts.signIn.wait(seconds)), 429, {
      'retry-after': String(seconds),
    })
  throttle.recordFailure(client)
  const fields = await serving.readForm(request)
  const next = ownPage(fields.get('next'))
  if (!(await inTurn(() => isPassword(owner, fields.get('password') ?? ''))))
    return htmlResponse(form(texts, next, texts.signIn.wrong), 401)
  const token = await openSession(database, owner)
  return redirect(next, [setCookie(serving, request, sessionCookie, token)])
}

export async function signOut(serving: Serving, request: Request): Promise<Response> {
  const token = cookieOf(request, sessionCookie)
  if (serving.owner && token) await closeSession(serving.database, serving.owner, token)
  return redirect('/dashboard/sign-in', [setCookie(serving, request, sessionCookie, '', 0)])
}
