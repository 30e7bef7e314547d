// The deliveries of one webhook, by state, a page at a time.
import {
  countMax,
  type DeliveryState,
  deliveryStates,
  type ListedDelivery,
  listDeliveries,
} from '../../operations/deliveries.ts'
import { listEventsAtCursors } from '../../operations/events.ts'
import { readPlainInteger } from '../../operations/parameters.ts'
import type { Context, ShownHook } from '../context.ts'
import { shortAnswer } from '../hook_parts.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { when } from '../times.ts'

const perPage = 25

/** What needs the owner first, then what is under way. */
function usualState({ failed, waiting }: ShownHook): DeliveryState {
  if (failed > 0) return 'failed'
  return waiting > 0 ? 'waiting' : 'delivered'
}

const counts = ({ failed, waiting }: ShownHook): Record<DeliveryState, number> => ({
  failed,
  waiting,
  delivered: 0,
})

/** A moment that has come is none to wait for, and a paused webhook has none. */
function nextTry(context: Context, { active }: ShownHook, due: string | null): Html {
  const { webhooks } = context.texts
  if (!active) return html`<span class="muted">${webhooks.onceActive}</span>`
  return when(context, due !== null && Date.parse(due) > Date.now() ? due : null, webhooks.soon)
}

function again(
  context: Context,
  hook: ShownHook,
  { cursor, event_id, event_type }: ListedDelivery,
): Html | false {
  const { texts } = context
  return (
    event_id !== null &&
    ui.form(
      context,
      ui.hookPath(hook.id, '/redeliver'),
      html`${ui.hidden('cursor', cursor)}${ui.button(texts.webhooks.sendAgain, 'plain', `${texts.webhooks.sendAgain}: ${ui.eventName(texts, event_type)} ${cursor}`)}`,
      'inline',
    )
  )
}

function none({ texts }: Context, { behind }: ShownHook, shown: DeliveryState): string {
  const { webhooks } = texts
  return shown === 'delivered' && behind === 0 ? webhooks.nothingDelivered : webhooks.noDeliveries
}

export async function deliveries(context: Context, hook: ShownHook): Promise<Html> {
  const { texts, url, database } = context
  const { webhooks } = texts
  const asked = url.searchParams.get('state')
  const shown = deliveryStates.find(one => one === asked) ?? usualState(hook)
  const before = readPlainInteger(url.searchParams.get('before') ?? '') ?? null
  const page = { subscriptionId: hook.id, state: shown, before, limit: perPage }
  const rows = await listDeliveries(database, page)
  const about = await listEventsAtCursors(
    database,
    rows.map(({ cursor }) => cursor),
  )
  const people = new Map(about.map(({ cursor, person }) => [cursor, person]))
  const tab = (one: DeliveryState) => {
    const count = counts(hook)[one]
    return html`<li><a href="${ui.hookPath(hook.id)}?state=${one}#deliveries"${one === shown && html` aria-current="true"`}>${webhooks.deliveryStates[one]}${count > 0 && ` (${ui.countUpTo(context, count, countMax)})`}</a></li>\n`
  }
  const last = rows.length === perPage ? rows.at(-1) : undefined
  return html`<section><h2 id="deliveries">${webhooks.deliveries}</h2>
<nav aria-label="${webhooks.filter}"><ul class="tabs">${deliveryStates.map(tab)}</ul></nav>
${hook.health.missing > hook.waiting + hook.failed && html`<p>${ui.countText(context, hook.active ? webhooks.behind : webhooks.behindPaused, hook.behind, countMax)}</p>`}
${ui.table<ListedDelivery>(
  webhooks.deliveries,
  rows,
  [
    [
      texts.event,
      row =>
        html`<a href="/dashboard/events/${row.cursor}">${ui.eventName(texts, row.event_type)}</a>`,
      'head',
    ],
    [texts.about, ({ cursor }) => people.get(cursor)?.trim() || '–'],
    [webhooks.answer, row => shortAnswer(context, row.status, row.error_class), 'long'],
    [webhooks.attempts, row => ui.number(context, row.attempts), 'number'],
    [
      shown === 'waiting' ? webhooks.next : texts.at,
      row =>
        shown === 'waiting'
          ? nextTry(context, hook, row.due_at)
          : when(context, row.tried_at ?? row.sequenced_at),
    ],
    shown !== 'waiting' && hook.active && [texts.action, row => again(context, hook, row), 'act'],
  ],
  none(context, hook, shown),
)}
${last && html`<p><a href="${ui.hookPath(hook.id)}?state=${shown}&amp;before=${last.cursor}#deliveries">${texts.older}</a></p>`}</section>`
}
