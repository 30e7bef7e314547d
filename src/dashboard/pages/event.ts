// One event: what happened to whom, and how it came to each webhook.
import { listAttempts, listEventDeliveries } from '../../operations/deliveries.ts'
import { getEvent, listEventsAtCursors } from '../../operations/events.ts'
import type { Context, DashboardPage } from '../context.ts'
import { hookForm, reasonText, shortAnswer } from '../hook_parts.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { duration, exactly, when } from '../times.ts'
import { identityOf } from './events.ts'

type Delivery = Awaited<ReturnType<typeof listEventDeliveries>>[number]
type Attempt = Awaited<ReturnType<typeof listAttempts>>[number]

const tones = { failed: 'bad', waiting: 'warn', pending: 'calm', delivered: 'good' } as const

// The attempts of more would make a long page.
const unfoldedMax = 20

/** What a receiver said, and with which headers. */
function attemptLine(context: Context, attempt: Attempt): Html {
  const { excerpt: title, answered, answerHeaders } = context.texts
  const { status, error_class, started_at, duration_ms, excerpt, headers } = attempt
  const reason = reasonText(context, attempt) ?? answered(status ?? 0)
  const plain = ui.plainExcerpt(excerpt ?? '')
  return html`<li class="${error_class ? 'bad' : 'good'}"><p>${exactly(context, started_at)} <span class="muted">(${duration(context, duration_ms)})</span><br>${reason}</p>
${plain !== '' && ui.copyable(context, plain, title)}
${headers !== null && ui.folded(answerHeaders, ui.copyable(context, headers, answerHeaders))}</li>\n`
}

function stateOf(context: Context, { id, state: named, active, due_at }: Delivery): Html {
  const { webhooks } = context.texts
  const hook = context.hooks.find(one => one.id === id)
  const state = named as keyof typeof tones
  const shown = ui.state(tones[state], webhooks.deliveryStates[state])
  if (hook && !active && state !== 'delivered')
    return html`${shown} <small class="muted">${webhooks.states[hook.health.state]}</small>`
  return html`${shown}${state === 'waiting' && html` <small class="muted">${webhooks.next}: ${when(context, due_at)}</small>`}`
}

function againForm(context: Context, cursor: number, delivery: Delivery): Html | false {
  const { active, state } = delivery
  const content = html`${ui.hidden('cursor', cursor)}${ui.hidden('from', 'event')}${ui.button(context.texts.webhooks.sendAgain)}`
  const hasEnded = state === 'failed' || state === 'delivered'
  return active && hasEnded && hookForm(context, delivery, 'redeliver', content, 'inline')
}

async function receivers(context: Context, cursor: number): Promise<Html> {
  const { texts, database, hooks } = context
  const { events, webhooks } = texts
  const found = await listEventDeliveries(database, cursor)
  const tried = found.filter(({ attempts }) => attempts > 0).slice(0, unfoldedMax)
  const lists = new Map<Delivery, Attempt[]>()
  for (const one of tried) lists.set(one, await listAttempts(database, one.id, cursor))
  const nameIn = ({ id, label, target_url }: Delivery) =>
    target_url === null
      ? webhooks.gone
      : (hooks.find(hook => hook.id === id)?.name ?? ui.nameOf(texts, { label, target_url }))
  const link = (one: Delivery) =>
    one.target_url === null
      ? webhooks.gone
      : html`<a href="${ui.hookPath(one.id)}">${nameIn(one)}</a>`
  const lastAnswer = (one: Delivery) => {
    const last = lists.get(one)?.at(-1)
    return last ? shortAnswer(context, last) : '–'
  }
  const table = ui.table<Delivery>(
    events.receivers,
    found,
    [
      [webhooks.name, link, 'head'],
      [texts.state, one => stateOf(context, one)],
      [webhooks.answer, lastAnswer, 'long'],
      [texts.at, ({ last_at }) => when(context, last_at, '–')],
      [texts.action, one => againForm(context, cursor, one), 'act'],
    ],
    events.noReceivers,
  )
  const history = [...lists].map(([one, attempts]) =>
    ui.folded(
      webhooks.history(nameIn(one), ui.number(context, attempts.length)),
      html`<ol class="timeline">${attempts.map(attempt => attemptLine(context, attempt))}</ol>`,
      one.state !== 'delivered' && lists.size === 1,
    ),
  )
  return html`${table}
${history}`
}

/** Null: there is no such event, or not any more. */
export async function eventPage(context: Context): Promise<DashboardPage | null> {
  const { texts, database, parameters } = context
  const { events } = texts
  const cursor = Number(parameters.cursor)
  const [event, [listed]] = await Promise.all([
    getEvent(database, cursor),
    listEventsAtCursors(database, [cursor]),
  ])
  if (!event) return null
  const person = listed?.person?.trim()
  const links = html`<a href="/dashboard/events?about=${cursor}">${person || events.person}</a> · <a href="/dashboard/privacy?event=${cursor}">${events.toPrivacy}</a>`
  return {
    title: ui.eventName(texts, event.event_type),
    area: 'events',
    trail: { path: '/dashboard/events', text: texts.pages.events },
    liveMs: 3_000,
    content: html`${ui.doneNotice(context, texts.webhooks.hookDone)}
${ui.facts([
  [texts.about, identityOf(event) === null ? person || '–' : links, 'wide'],
  [texts.at, exactly(context, event.occurred_at)],
])}
<h2>${events.receivers}</h2>
${await receivers(context, cursor)}
<h2>${events.payload}</h2>
<p class="muted">${events.personal}</p>
${ui.copyable(context, JSON.stringify(event, null, 2), events.payload)}`,
  }
}
