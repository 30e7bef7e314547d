// What came of an action: on its way to the next page, and as it is said there.
import type { Context, Done, Serving } from './context.ts'
import { cookieOf, setCookie } from './guard.ts'
import { type Html, html } from './html.ts'
import { countText } from './parts.ts'

const doneCookie = 'wda_done'
const doneForm = /^([a-z_]{1,40})\.(\d{1,12})$/

/** What came of an action travels in a cookie to the next page: in the address it would be said again at every reload. */
export const keepDone = (
  serving: Pick<Serving, 'isSecure'>,
  request: Request,
  { name, count = 0 }: Done,
): string => setCookie(serving, request, doneCookie, `${name}.${count}`, 60)

export function doneOf(request: Request): Done | null {
  const [, name, count] = doneForm.exec(cookieOf(request, doneCookie) ?? '') ?? []
  return name === undefined ? null : { name, count: Number(count) }
}

export const forgetDone = (serving: Pick<Serving, 'isSecure'>, request: Request): string =>
  setCookie(serving, request, doneCookie, '', 0)

type DoneTexts = Record<string, string | ((count: number, shown: string) => string)>

export type SendingOutcome = 'delivered' | 'failed' | 'retrying'

export const outcomeTones = { delivered: 'good', failed: 'bad', retrying: 'warn' } as const

type OutcomeTexts = Record<string, Record<SendingOutcome, string>>

/** That a delivery is on its way: becomes what came of it, here or while the page is open. Null: nothing has yet. */
export function sendingNotice(
  context: Pick<Context, 'texts' | 'done'>,
  outcome: SendingOutcome | null,
) {
  const { name = '' } = context.done ?? {}
  const outcomes: OutcomeTexts = context.texts.webhooks.outcomes
  const texts = Object.hasOwn(outcomes, name) ? outcomes[name] : undefined
  if (!texts || outcome === null) return doneNotice(context, undefined, texts)
  return notice(outcomeTones[outcome], texts[outcome], texts)
}

const notice = (tone: string, text: string, outcomes?: OutcomeTexts[string]): Html =>
  html`<p class="notice ${tone}" role="status" tabindex="-1" data-done${outcomes && html` data-delivered="${outcomes.delivered}" data-failed="${outcomes.failed}" data-retrying="${outcomes.retrying}"`}>${text}</p>`

/** What came of the action that led here. */
export function doneNotice(
  context: Pick<Context, 'texts' | 'done'>,
  texts: DoneTexts = context.texts.webhooks.done,
  outcomes?: OutcomeTexts[string],
): Html | false {
  const { name = '', count = 0 } = context.done ?? {}
  const said = Object.hasOwn(texts, name) ? texts[name] : undefined
  if (said === undefined) return false
  const text = typeof said === 'string' ? said : countText(context, said, count)
  const tone = name.startsWith('refused') ? 'bad' : 'good'
  return notice(tone, text, outcomes)
}
