// The deliveries of one webhook: a filter, a tab for each state, a page at a time, all that match sent again.

import { type DeliveryState, deliveryStates, listDeliveries } from '../../operations/deliveries.ts'
import {
  type DeliveryCount,
  type DeliveryPage,
  findDeliveries,
  redeliveredMax,
} from '../../operations/found_deliveries.ts'
import { countMax, type HookReport } from '../../operations/overview.ts'
import type { Context } from '../context.ts'
import { hookPath, isOlderThanKept } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import {
  button,
  countText,
  countUpTo,
  duration,
  eventName,
  failureText,
  form,
  number,
  tableOf,
  when,
} from '../parts.ts'
import { rowsMax } from './deliveries_csv.ts'
import { deliveryStatePart } from './delivery.ts'
import {
  type Asked,
  filterForm,
  filterOf,
  hiddenFields,
  isFiltered,
  pairsOf,
  queryOf,
  readAsked,
} from './delivery_filter.ts'
import { sentAgain } from './sent_again.ts'
import { missedCount } from './webhooks.ts'

const deliveriesPerPage = 25

type Rows = DeliveryPage['rows']
type Tab = DeliveryState | 'all'

const answerOf = ({ texts }: Context, { status, error_class }: Rows[number]): string => {
  if (status !== null) return String(status)
  if (error_class === null) return '–'
  return failureText(texts, error_class) ?? texts.delivery.noAnswer
}

function table(context: Context, hook: HookReport, tab: Tab, rows: Rows, none: string): Html {
  const { texts } = context
  const { webhooks, delivery } = texts
  if (rows.length === 0) return html`<p class="muted">${none}</p>`
  const at = tab === 'pending' ? delivery.next : webhooks.at
  const numeric = (name: string) => ({ name, kind: 'number' as const })
  const columns = [
    texts.keys.state,
    webhooks.event,
    webhooks.about,
    delivery.answer,
    numeric(delivery.duration),
    numeric(webhooks.attempts),
    at,
  ]
  const row = (one: Rows[number]) => html`<tr>
<td data-name="${texts.keys.state}">${deliveryStatePart(context, one, hook)}</td>
<th scope="row"><a href="${hookPath(hook.id, `/deliveries/${one.cursor}`)}">${eventName(texts, one.event_type)}</a>${one.cursor < 0 && html` <small class="muted">${delivery.test}</small>`}</th>
<td class="long" data-name="${webhooks.about}">${one.person?.trim() || '–'}</td>
<td data-name="${delivery.answer}">${answerOf(context, one)}</td>
<td class="number" data-name="${delivery.duration}">${one.duration_ms === null ? '–' : duration(context, one.duration_ms)}</td>
<td class="number" data-name="${webhooks.attempts}">${number(context, one.attempts)}</td>
<td data-name="${at}">${tab === 'pending' ? next(context, hook, one.due_at) : when(context, one.ended_at ?? one.created_at)}</td>
</tr>
`
  return tableOf(webhooks.deliveries, columns, rows.map(row))
}

/** A moment that has come is none to wait for, and a paused webhook has none. */
function next(context: Context, { active }: HookReport, due: string | null): Html {
  if (!active) return html`<span class="muted">${context.texts.delivery.notPaused}</span>`
  return when(
    context,
    due !== null && Date.parse(due) > Date.now() ? due : null,
    context.texts.delivery.soon,
  )
}

const inTurn = (context: Context, { untried, active }: HookReport): Html | false =>
  untried !== null &&
  untried > 0 &&
  html`<p>${countText(context, context.texts.webhooks[active ? 'waitingInTurn' : 'waitingForStart'], untried, countMax)}</p>`

/** What a filter that nothing matches says. */
function noneFound({ texts: { found } }: Context, { from, to, searched }: Asked): string {
  // Both as browsers write them.
  if (from !== '' && to !== '' && from > to) return found.reversed
  return searched === '' ? found.none : `${found.none} ${found.noNames}`
}

function noneYet(context: Context, hook: HookReport, tab: Tab): string {
  const { webhooks } = context.texts
  // They are counted, and can no longer be listed.
  if (tab === 'skipped' && hook.expired > 0)
    return countText(context, webhooks.expired, hook.expired)
  const known = hook.failures + hook.waiting + hook.missed + hook.expired
  const isNew = hook.delivered_at === null && known === 0 && !isOlderThanKept(context, hook)
  return isNew ? webhooks.nothingDelivered : webhooks.noDeliveries
}

/** How many there are in a state; what was delivered is not counted. */
const countOf = (hook: HookReport, state: Tab): string | number =>
  ({
    all: 0,
    failed: hook.failures,
    pending: hook.waiting,
    skipped: hook.missed + hook.expired,
    delivered: 0,
  })[state]

const sum = (counts: ReadonlyMap<DeliveryState, DeliveryCount>, tab: Tab): DeliveryCount => {
  const chosen = [...counts].flatMap(([state, one]) =>
    tab === 'all' || tab === state ? [one] : [],
  )
  return {
    deliveries: chosen.reduce((total, { deliveries }) => total + deliveries, 0),
    isCut: chosen.some(({ isCut }) => isCut),
  }
}

const shownCount = (context: Context, { deliveries, isCut }: DeliveryCount): string =>
  isCut ? context.texts.atLeast(number(context, deliveries)) : number(context, deliveries)

/** What matches is sent again; what has arrived once before only after a second look. */
function againForm(
  context: Context,
  hook: HookReport,
  asked: Asked,
  tab: Tab,
  counts: DeliveryPage['counts'],
): Html | false {
  const counted = sum(counts, tab)
  const arrived = tab === 'all' || tab === 'delivered' ? counts.get('delivered') : undefined
  const { found } = context.texts
  if (!hook.active || counted.deliveries === 0) return false
  const shown = shownCount(context, counted)
  const sent = form(
    context,
    hookPath(hook.id, '/redeliver'),
    html`${hiddenFields(pairsOf(asked, { state: tab }))}${button(found.again(counted.deliveries, shown))}`,
  )
  const atMost =
    counted.isCut && html`<p class="muted">${found.atMost(number(context, redeliveredMax))}</p>`
  if (!arrived || (arrived.deliveries === 0 && !arrived.isCut))
    return html`<div class="actions">${sent}${atMost}</div>`
  return html`<details><summary>${found.againOpen}</summary><p>${found.againAsk}</p>${atMost}${sent}</details>`
}

/** Test events are counted nowhere, so where only they failed the other button is missing. */
function dismissTests(context: Context, hook: HookReport, tab: Tab, rows: Rows): Html | false {
  const { webhooks } = context.texts
  const hasTests = rows.some(({ cursor }) => cursor < 0)
  if (tab !== 'failed' || !hasTests || missedCount(hook) > 0) return false
  return html`<details><summary>${webhooks.dismissTests}</summary><p>${webhooks.dismissTestsText}</p>
${form(
  context,
  hookPath(hook.id, '/dismiss'),
  html`<input type="hidden" name="shown" value="0"><input type="hidden" name="tests" value="yes">${button(webhooks.dismissSure, 'danger')}`,
)}</details>`
}

const tabs: Tab[] = ['all', ...deliveryStates]

type Listed = Pick<DeliveryPage, 'rows' | 'next'> & { counts: DeliveryPage['counts'] | null }

/** Without a filter a page costs no more than its rows. */
async function listed(context: Context, hook: HookReport, asked: Asked, tab: Tab): Promise<Listed> {
  const { database } = context
  const limit = deliveriesPerPage
  const { before } = asked
  const state = tab === 'all' ? null : tab
  if (state === null || isFiltered(asked)) {
    const page = await findDeliveries(database, hook.id, filterOf(asked), { state, before, limit })
    return { ...page, counts: isFiltered(asked) ? page.counts : null }
  }
  const rows = await listDeliveries(database, { subscription_id: hook.id, state, before, limit })
  const last = rows.length === limit ? rows.at(-1) : undefined
  return { rows, next: last?.cursor ?? null, counts: null }
}

/** What needs the owner first, then what is under way. */
function usualTab({ failures, waiting }: HookReport): Tab {
  if (failures > 0) return 'failed'
  return waiting > 0 ? 'pending' : 'delivered'
}

/** `lately`: why attempts failed in the time that the page shows. */
export async function deliveries(
  context: Context,
  hook: HookReport,
  lately: readonly string[],
): Promise<Html> {
  const { texts, url } = context
  const { webhooks, delivery, found } = texts
  const asked = readAsked(url.searchParams)
  const filtered = isFiltered(asked)
  const shown = asked.state ?? (filtered ? 'all' : usualTab(hook))
  const [{ rows, next: further, counts }, sent] = await Promise.all([
    listed(context, hook, asked, shown),
    sentAgain(context, hook),
  ])
  const path = `${hookPath(hook.id)}?`
  const tab = (one: Tab) => {
    const count = counts ? sum(counts, one).deliveries : countOf(hook, one)
    const text = counts
      ? shownCount(context, sum(counts, one))
      : countUpTo(context, Number(count), countMax)
    const name = one === 'all' ? webhooks.allStates : delivery.states[one]
    return html`<li><a href="${path}${queryOf(asked, { state: one })}#deliveries"${one === shown && html` aria-current="true"`}>${name}${Number(count) > 0 && ` (${text})`}</a></li>\n`
  }
  const none = filtered ? noneFound(context, asked) : noneYet(context, hook, shown)
  const isFull = rows.length === deliveriesPerPage
  return html`<h2 id="deliveries">${webhooks.deliveries}</h2>
${filterForm(context, hook, asked, lately)}
<div data-live id="live-deliveries">${sent}
<nav aria-label="${webhooks.filter}"><ul class="tabs">${tabs.map(tab)}</ul></nav>
${counts && againForm(context, hook, asked, shown, counts)}
${table(context, hook, shown, rows, none)}
${dismissTests(context, hook, shown, rows)}
${shown === 'pending' && inTurn(context, hook)}
${rows.length > 0 && html`<p><a href="${hookPath(hook.id, '/export')}?${queryOf(asked, { state: shown })}">${found.export}</a> <span class="muted">${found.exportMax(number(context, rowsMax))}</span></p>`}
${further !== null && html`<p><a href="${path}${queryOf(asked, { state: shown, before: String(further) })}#deliveries">${isFull ? texts.older : found.further}</a></p>`}
</div>`
}
