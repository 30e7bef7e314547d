// Signing in and out.
import { isPassword } from '../model/password.ts'
import { closeSession, openSession } from '../operations/owner_sessions.ts'
import type { Serving, Visit } from './context.ts'
import type { Jar } from './cookies.ts'
import { isOwnOrigin, isUnknownName, ownPage } from './guard.ts'
import { type Html, html } from './html.ts'
import { bare } from './layout.ts'
import { mistakeNotice } from './parts.ts'
import { type PageReply, redirect } from './reply.ts'

export const signInPath = (next: string): string =>
  `/dashboard/sign-in?next=${encodeURIComponent(next)}`

/** In the address: it is known also of a form that is refused unread. */
const nextOf = ({ url }: Visit): string => ownPage(url.searchParams.get('next'))

// The hidden name is for password managers, which keep a password under one.
function form({ origin, about }: Serving, visit: Visit, said?: string): Html {
  const { signIn } = visit.texts
  const next = nextOf(visit)
  return bare(
    visit,
    signIn.title,
    html`<p>${signIn.intro}</p>
${mistakeNotice(said)}
<form method="post" action="${signInPath(next)}">
<input type="text" name="user" value="${new URL(origin).host}" autocomplete="username" hidden>
<label>${signIn.password}
<input type="password" name="password" required autocomplete="current-password" autofocus></label>
<label class="tick" data-reveal hidden><input type="checkbox">${signIn.reveal}</label>
<button class="primary">${signIn.button}</button>
</form>
<details><summary>${signIn.lost}</summary><p>${about.isEmbedded ? signIn.lostFile : signIn.lostSetting}</p></details>`,
    signInPath(next),
  )
}

/** A visitor whose session ended learns so, and whether a form came too late. */
export function signInPage(serving: Serving, visit: Visit, hadSession: boolean): PageReply {
  const { undone, ended } = visit.texts.signIn
  const isUndone = visit.url.searchParams.has('undone')
  const said = isUndone ? undone : hadSession ? ended : undefined
  return { status: 200, page: form(serving, visit, said) }
}

// A check takes 0.1 s and 32 MiB on purpose.
const checksMax = 4
let checks = 0

/** A try counts before its password is checked, so many at once gain nothing. */
export async function answerSignIn(
  serving: Serving,
  visit: Visit,
  jar: Jar,
  fields: URLSearchParams,
): Promise<PageReply> {
  const { owner, throttle, clientOf, database } = serving
  const { request, texts } = visit
  const refuse = (status: number, text: string, seconds?: number): PageReply => ({
    status,
    page: form(serving, visit, text),
    ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
  })
  if (!owner || !isOwnOrigin(serving, request)) {
    // Loading the page again would not help there.
    const { unknownName } = texts.signIn
    return refuse(403, isUnknownName(request) ? unknownName : texts.problem.refusedText)
  }
  const client = clientOf(request)
  const seconds = checks < checksMax ? throttle.waitSeconds(client) : 1
  if (seconds > 0) return refuse(429, texts.signIn.wait(seconds), seconds)
  throttle.recordTry(client)
  checks += 1
  const isRight = await isPassword(owner, fields.get('password') ?? '').finally(() => {
    checks -= 1
  })
  if (!isRight) return refuse(401, texts.signIn.wrong)
  jar.setSession(await openSession(database, owner))
  return redirect(nextOf(visit))
}

export async function signOut({ owner, database }: Serving, jar: Jar): Promise<PageReply> {
  if (owner) await closeSession(database, owner, jar.session)
  jar.setSession('')
  return redirect('/dashboard/sign-in')
}
