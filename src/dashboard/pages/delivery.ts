// One delivery as it went: from the event through every attempt to what comes next, and what is sent.

import { getDelivery, listAttempts } from '../../operations/deliveries.ts'
import type { HookName } from '../../operations/overview.ts'
import type { Context, Page } from '../context.ts'
import { outcomeTones, type SendingOutcome, sendingNotice } from '../done.ts'
import { hookOf, hookPath, pausedBy } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import { jsonPart } from '../json_tree.ts'
import {
  button,
  copyable,
  duration,
  eventName,
  exactly,
  facts,
  form,
  nameOf,
  number,
  plainExcerpt,
  reason,
  state,
} from '../parts.ts'
import type { Texts } from '../texts.ts'
import { requestPart } from './delivery_request.ts'

type Delivery = NonNullable<Awaited<ReturnType<typeof getDelivery>>>
type Attempt = Awaited<ReturnType<typeof listAttempts>>[number]

/** What came of a delivery so far that was on its way; null: nothing yet. */
function outcomeOf({ state, retry_attempts }: Delivery): SendingOutcome | null {
  if (state === 'delivered' || state === 'failed') return state
  return state === 'pending' && retry_attempts > 0 ? 'retrying' : null
}

const tones = { delivered: 'good', failed: 'bad', pending: 'calm', skipped: 'warn' } as const

/** Test events have cursors below 0. */
const deliveryName = ({ delivery }: Texts, cursor: number): string =>
  cursor < 0 ? `${delivery.test} ${-cursor}` : `${delivery.title} ${cursor}`

/** Nothing waits for its turn at a webhook that is paused. */
export const deliveryStatePart = (
  { texts }: Pick<Context, 'texts'>,
  { state: named }: { state: string | null },
  hook?: Pick<HookName, 'active' | 'pause_reason'>,
): Html => {
  const by = hook ? pausedBy(hook) : null
  if (named === 'pending' && by !== null) {
    const { paused, byOwner } = texts.webhooks.states
    return by === 'failures' ? state('warn', paused) : state('calm', byOwner)
  }
  const known = named as keyof typeof tones
  return state(tones[known], texts.delivery.states[known])
}

/** Attempts in a row that ended alike. */
function alike(attempts: readonly Attempt[]): Attempt[][] {
  const groups: Attempt[][] = []
  for (const attempt of attempts) {
    const last = groups.at(-1)
    const [first] = last ?? []
    const isSame =
      first?.status === attempt.status &&
      first.error_class === attempt.error_class &&
      first.excerpt === attempt.excerpt
    if (last && isSame) last.push(attempt)
    else groups.push([attempt])
  }
  return groups
}

/** What a receiver said as JSON; undefined: it said something else, or the excerpt ends before it does. */
function jsonIn(excerpt: string): object | undefined {
  try {
    const value: unknown = JSON.parse(excerpt)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function excerptPart(context: Context, excerpt: string): Html {
  const { texts } = context
  const json = jsonIn(excerpt)
  if (json)
    return html`<p class="muted">${texts.delivery.excerpt}:</p>${jsonPart(context, json, texts.delivery.excerpt)}`
  const plain = plainExcerpt(excerpt)
  return html`<p class="muted">${texts.delivery.excerpt}:</p>
${plain !== '' && copyable(context, plain, texts.delivery.excerpt)}
${plain !== excerpt && html`<details><summary>${texts.delivery.asSent}</summary>${copyable(context, excerpt, texts.delivery.asSent)}</details>`}`
}

const timing = (context: Context, { started_at, duration_ms }: Attempt): Html =>
  html`${exactly(context, started_at)} <span class="muted">(${duration(context, duration_ms)})</span>`

function attemptsPart(context: Context, group: readonly Attempt[], before: number): Html {
  const { texts } = context
  const { delivery } = texts
  const [first] = group
  if (!first) return html``
  const { status, error_class, excerpt } = first
  const headers = group.at(-1)?.headers ?? ''
  const answered = status === null ? delivery.noAnswer : delivery.answered(status)
  const name =
    group.length === 1
      ? delivery.attempt(number(context, before + 1))
      : delivery.attemptsUpTo(
          number(context, before + 1),
          number(context, before + group.length),
          group.length === 2,
        )
  return html`<li class="${error_class ? 'bad' : 'good'}">
<h3>${name}: ${answered}</h3>
${group.length === 1 ? html`<p>${timing(context, first)}</p>` : html`<details open><summary>${delivery.alike(group.length)}</summary><ol>${group.map(one => html`<li>${timing(context, one)}</li>\n`)}</ol></details>`}
${error_class && html`<p>${reason(texts, status, error_class)}</p>`}
${excerpt && excerptPart(context, excerpt)}
${headers !== '' && html`<details><summary>${delivery.answerHeaders}</summary>${copyable(context, headers, delivery.answerHeaders)}</details>`}</li>
`
}

function next(context: Context, found: Delivery): Html | string {
  const { delivery } = context.texts
  const { due_at } = found
  if (hookOf(context, found.subscription_id)?.active === false) return delivery.notPaused
  if (due_at === null) return delivery.inTurn
  return Date.parse(due_at) > Date.now() ? exactly(context, due_at) : delivery.soon
}

function timeline(context: Context, found: Delivery, attempts: readonly Attempt[]): Html {
  const { delivery } = context.texts
  let before = 0
  const groups = alike(attempts).map(group => {
    const part = attemptsPart(context, group, before)
    before += group.length
    return part
  })
  return html`<ol class="timeline">
<li class="calm"><h3>${delivery.created}</h3><p>${exactly(context, found.created_at)}</p></li>
${groups}${found.state === 'pending' && html`<li class="calm"><h3>${delivery.next}</h3><p>${next(context, found)}</p></li>`}
</ol>
${attempts.length === 0 && html`<p class="muted">${delivery.none}</p>`}`
}

const typeOf = ({ event }: Delivery) =>
  (event as { event_type?: string } | null)?.event_type ?? null

const overview = (context: Context, found: Delivery): Html => {
  const { texts } = context
  const { delivery } = texts
  const hook = hookOf(context, found.subscription_id)
  const event = found.event as { id?: string } | null
  const eventLink =
    found.cursor > 0 && found.event !== null
      ? html`<a href="/dashboard/events/${found.cursor}">${eventName(texts, typeOf(found))}</a>`
      : eventName(texts, typeOf(found))
  return facts([
    [
      delivery.state,
      html`${deliveryStatePart(context, found, hook)} ${exactly(context, found.ended_at, ' ')}`,
    ],
    [texts.webhooks.event, html`${eventLink}${found.cursor < 0 && ` (${delivery.test})`}`],
    found.person !== null && found.person.trim() !== '' && [texts.events.about, found.person],
    ['Webhook', hook ? html`<a href="${hookPath(hook.id)}">${nameOf(texts, hook)}</a>` : '–'],
    event?.id !== undefined && [texts.events.id, html`<code>${event.id}</code>`],
  ])
}

/** Nothing for what is on its way already, or cannot be sent. What waits says in its timeline that its webhook is paused. */
function sendForm(context: Context, found: Delivery): Html | undefined {
  const { delivery } = context.texts
  const hook = hookOf(context, found.subscription_id)
  if (!hook || found.event === null) return undefined
  if (!hook.active)
    return found.state === 'pending' ? undefined : html`<p class="muted">${delivery.onceActive}</p>`
  if (found.state === 'pending' && found.due_at === null) return undefined
  const action = hookPath(hook.id, `/deliveries/${found.cursor}/redeliver`)
  const isEnded = found.state === 'delivered' || found.state === 'failed'
  return form(context, action, button(isEnded ? delivery.again : delivery.now, 'primary'))
}

/** Null: there is no such delivery. */
export async function deliveryPage(context: Context): Promise<Page | null> {
  const { database, parameters, texts } = context
  const { delivery } = texts
  const id = parameters.id ?? ''
  const cursor = Number(parameters.cursor)
  const [found, attempts] = await Promise.all([
    getDelivery(database, id, cursor),
    listAttempts(database, id, cursor),
  ])
  if (!found) return null
  const hook = hookOf(context, id)
  const outcome = outcomeOf(found)
  const isEnded = outcome === 'delivered' || outcome === 'failed'
  return {
    title: deliveryName(texts, cursor),
    area: 'webhooks',
    trail: { path: hookPath(id), text: hook ? nameOf(texts, hook) : 'Webhook' },
    content: html`${sendingNotice(context, outcome)}
<div data-watch="${hookPath(id, `/watch?cursor=${cursor}`)}" data-live id="live-delivery">
${overview(context, found)}
${outcome !== null && html`<span data-outcome="${outcome}" data-tone="${outcomeTones[outcome]}" hidden></span>`}
${sendForm(context, found)}
<h2>${delivery.attempts}</h2>
${timeline(context, found, attempts)}
</div>
<h2>${isEnded ? delivery.bodySent : delivery.body}</h2>
${
  found.event === null
    ? html`<p class="muted">${delivery.gone}</p>`
    : html`<p class="muted">${cursor < 0 ? delivery.invented : texts.events.personal}</p>${jsonPart(context, found.event as object, delivery.body)}`
}
${await requestPart(context, id, cursor)}`,
  }
}
