// One event: what happened to whom, and how it came to each webhook.
import { listAttempts, listEventDeliveries } from '../../operations/deliveries.ts'
import { getEvent, listEventsAtCursors } from '../../operations/events.ts'
import type { Context, DashboardPage } from '../context.ts'
import { reasonText, shortAnswer } from '../hook_parts.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { duration, exactly, when } from '../times.ts'
import { identityOf } from './events.ts'

type Delivery = Awaited<ReturnType<typeof listEventDeliveries>>[number]
type Attempt = Awaited<ReturnType<typeof listAttempts>>[number]

const tones = { failed: 'bad', waiting: 'warn', pending: 'calm', delivered: 'good' } as const
type State = keyof typeof tones

// The attempts of more would make a long page.
const unfoldedMax = 20

/** What a receiver said, and with which headers. */
function answerParts(context: Context, { excerpt, headers }: Attempt): Html {
  const { texts } = context
  const plain = ui.plainExcerpt(excerpt ?? '')
  return html`${plain !== '' && ui.copyable(context, plain, texts.excerpt)}
${headers !== null && ui.folded(texts.answerHeaders, ui.copyable(context, headers, texts.answerHeaders))}`
}

const attemptLine = (context: Context, attempt: Attempt): Html => {
  const { texts } = context
  const { status, error_class, started_at, duration_ms } = attempt
  const reason = reasonText(context, status, error_class) ?? texts.answered(status ?? 0)
  return html`<li class="${error_class ? 'bad' : 'good'}"><p>${exactly(context, started_at)} <span class="muted">(${duration(context, duration_ms)})</span><br>${reason}</p>
${answerParts(context, attempt)}</li>\n`
}

function stateOf(context: Context, { id, state: named, active, due_at }: Delivery): Html {
  const { webhooks } = context.texts
  const hook = context.hooks.find(one => one.id === id)
  const known = named as State
  const shown = ui.state(tones[known], webhooks.deliveryStates[known])
  if (hook && !active && known !== 'delivered')
    return html`${shown} <small class="muted">${webhooks.states[hook.health.state]}</small>`
  return known === 'waiting'
    ? html`${shown} <small class="muted">${webhooks.next}: ${when(context, due_at)}</small>`
    : shown
}

const againForm = (
  context: Context,
  cursor: number,
  { id, active, state: named }: Delivery,
): Html | false =>
  active &&
  (named === 'failed' || named === 'delivered') &&
  ui.form(
    context,
    ui.hookPath(id, '/redeliver'),
    html`${ui.hidden('cursor', cursor)}${ui.hidden('from', 'event')}${ui.button(context.texts.webhooks.sendAgain)}`,
    'inline',
  )

async function receivers(context: Context, cursor: number): Promise<Html> {
  const { texts, database, hooks } = context
  const found = await listEventDeliveries(database, cursor)
  const tried = found.filter(({ attempts }) => attempts > 0).slice(0, unfoldedMax)
  const lists = await Promise.all(
    tried.map(
      async delivery => [delivery, await listAttempts(database, delivery.id, cursor)] as const,
    ),
  )
  const nameIn = ({ id, label, target_url }: Delivery) =>
    target_url === null
      ? texts.webhooks.gone
      : (hooks.find(hook => hook.id === id)?.name ?? ui.nameOf(texts, { label, target_url }))
  const link = (delivery: Delivery) =>
    delivery.target_url === null
      ? nameIn(delivery)
      : html`<a href="${ui.hookPath(delivery.id)}">${nameIn(delivery)}</a>`
  const lastAnswer = (delivery: Delivery) => {
    const last = lists.find(([one]) => one === delivery)?.[1].at(-1)
    return last ? shortAnswer(context, last.status, last.error_class) : '–'
  }
  const history = lists.map(([delivery, attempts]) =>
    ui.folded(
      texts.webhooks.history(nameIn(delivery), ui.number(context, attempts.length)),
      html`<ol class="timeline">${attempts.map(attempt => attemptLine(context, attempt))}</ol>`,
      delivery.state !== 'delivered' && lists.length === 1,
    ),
  )
  return html`${ui.table<Delivery>(
    texts.events.receivers,
    found,
    [
      [texts.webhooks.name, link, 'head'],
      [texts.state, delivery => stateOf(context, delivery)],
      [texts.webhooks.answer, delivery => lastAnswer(delivery), 'long'],
      [texts.at, ({ last_at }) => when(context, last_at, '–')],
      [texts.action, delivery => againForm(context, cursor, delivery), 'act'],
    ],
    texts.events.noReceivers,
  )}
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
  const about = identityOf(event)
  const links =
    about !== null &&
    html`<a href="/dashboard/events?about=${cursor}">${person || events.person}</a> · <a href="/dashboard/privacy?event=${cursor}">${events.toPrivacy}</a>`
  return {
    title: ui.eventName(texts, event.event_type),
    area: 'events',
    trail: { path: '/dashboard/events', text: texts.pages.events },
    live: { path: `/dashboard/events/${cursor}`, everyMs: 3_000 },
    content: html`${ui.doneNotice(context, texts.webhooks.hookDone)}
${ui.facts([
  [texts.about, links || person || '–'],
  [texts.at, exactly(context, event.occurred_at)],
])}
<h2>${events.receivers}</h2>
${await receivers(context, cursor)}
<h2>${events.payload}</h2>
<p class="muted">${events.personal}</p>
${ui.copyable(context, JSON.stringify(event, null, 2), events.payload)}`,
  }
}
