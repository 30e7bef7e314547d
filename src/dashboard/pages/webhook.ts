// One webhook: how it fares and why, what the owner can do about it, its deliveries.
import { type DeliveryState, listDeliveries } from '../../operations/deliveries.ts'
import { countMax, getHookReport, type HookReport } from '../../operations/overview.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { countUpTo, eventCell, eventName, form, moment, nameOf, number, reason } from '../parts.ts'
import { hookState, stateBadge } from './webhooks.ts'

const deliveriesPerPage = 25
const states: DeliveryState[] = ['failed', 'pending', 'skipped', 'delivered']

export const pathOf = (hook: Pick<HookReport, 'id'>, action = ''): string =>
  `/dashboard/webhooks/${hook.id}${action}`

const button = (text: string, kind = ''): Html =>
  html`<button class="small ${kind}">${text}</button>`

function why(context: Context, hook: HookReport): Html | false {
  const { texts } = context
  if (!hook.failure_at) return false
  return html`<dt>${texts.webhooks.why}</dt><dd>${reason(texts, hook.failure_status, hook.failure_class)}
${hook.failure_excerpt && html`<br><q>${hook.failure_excerpt.slice(0, 200)}</q>`}
<a href="/dashboard/deliveries/${hook.failure_delivery_id}">${texts.more}</a></dd>`
}

const missedText = (context: Context, { skipped }: HookReport): string => {
  const { webhooks } = context.texts
  return skipped === 1 ? webhooks.missedOne : webhooks.missed(countUpTo(context, skipped, countMax))
}

/** What is wrong, since when, why, and the buttons that mend it. */
function trouble(context: Context, hook: HookReport): Html | false {
  const { texts } = context
  const { webhooks } = texts
  if (hook.active && hook.consecutive_failures === 0 && hook.skipped === 0) return false
  const missedForm = html`<div class="actions">${form(context, pathOf(hook, '/deliver-missed'), button(webhooks.deliverMissed))}</div>
<p><small>${webhooks.deliverMissedText}</small></p>`
  if (hook.active && hook.consecutive_failures === 0)
    return html`<section class="notice warn"><p>${missedText(context, hook)}</p>${missedForm}</section>`
  const facts = html`<dl class="facts"><dt>${webhooks.since}</dt><dd>${moment(context, hook.failing_since ?? hook.paused_at)}</dd>${why(context, hook)}</dl>`
  if (hook.active)
    return html`<section class="notice bad"><h2>${webhooks.failingTitle}</h2>
<p>${webhooks.failingText(hook.consecutive_failures)}</p>${facts}${missedForm}</section>`
  return html`<section class="notice bad"><h2>${webhooks.pausedTitle}</h2>
<p>${webhooks.pausedText} ${hook.skipped > 0 && missedText(context, hook)}</p>${facts}
<div class="actions">
${form(context, pathOf(hook, '/reactivate-deliver'), button(webhooks.reactivateMissed))}
${form(context, pathOf(hook, '/reactivate'), button(webhooks.reactivate, 'secondary outline'))}
</div></section>`
}

function facts(context: Context, hook: HookReport): Html {
  const { texts } = context
  const { webhooks } = texts
  return html`<dl class="facts">
<dt>${texts.keys.state}</dt><dd>${stateBadge(context, hook)}</dd>
<dt>${webhooks.target}</dt><dd>${hook.target_url}</dd>
<dt>${webhooks.types}</dt><dd>${hook.event_types.map(type => eventName(texts, type)).join(', ')}</dd>
<dt>${webhooks.source}</dt><dd>${hook.source}</dd>
<dt>${webhooks.created}</dt><dd>${moment(context, hook.created_at)}</dd>
<dt>${webhooks.last}</dt><dd>${moment(context, hook.delivered_at)}</dd>
<dt>${webhooks.pending}</dt><dd>${countUpTo(context, hook.pending, countMax)}</dd>
<dt>${webhooks.skipped}</dt><dd>${countUpTo(context, hook.skipped, countMax)}</dd>
${hook.catch_up_cursor !== null && html`<dt>Cursor</dt><dd><code>/events?after=${hook.catch_up_cursor}</code><br><small class="muted">${webhooks.cursor}</small></dd>`}
</dl>`
}

const testForm = (context: Context, hook: HookReport): Html => {
  const { webhooks } = context.texts
  return html`<h2>${webhooks.test}</h2>
${form(
  context,
  pathOf(hook, '/test'),
  html`<label>${webhooks.testType}
<select name="type">${hook.event_types.map(type => html`<option value="${type}">${eventName(context.texts, type)} (${type})</option>`)}</select></label>
<button>${webhooks.test}</button>`,
)}`
}

function secret(context: Context, hook: HookReport): Html {
  const { webhooks } = context.texts
  const isChanging =
    hook.old_secret_until !== null && Date.parse(hook.old_secret_until) > Date.now()
  const change = html`<p class="notice calm">${webhooks.overlap} ${moment(context, hook.old_secret_until)}.
${hook.old_secret_leads ? webhooks.overlapLeads : webhooks.overlapSwitched}</p>
${hook.old_secret_leads && form(context, pathOf(hook, '/switch'), html`<button>${webhooks.switch}</button>`)}`
  return html`<h2>${webhooks.secret}</h2>
<p>${webhooks.secretText}</p>
${isChanging && change}
<details><summary>${webhooks.rotate}</summary><p>${webhooks.rotateAsk}</p>
${form(context, pathOf(hook, '/rotate'), button(webhooks.rotateSure), { once: true })}</details>`
}

type Deliveries = Awaited<ReturnType<typeof listDeliveries>>

function table(context: Context, rows: Deliveries): Html {
  const { texts } = context
  const { webhooks } = texts
  if (rows.length === 0) return html`<p class="muted">${webhooks.noDeliveries}</p>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${webhooks.deliveries}"><table class="cards">
<thead><tr><th scope="col">${webhooks.event}</th><th scope="col">${webhooks.at}</th><th scope="col">${webhooks.attempts}</th><th scope="col">${texts.delivery.title}</th></tr></thead>
<tbody>
${rows.map(
  row => html`<tr>
<th scope="row">${eventCell(texts, row.event_type)}</th>
<td data-name="${webhooks.at}">${moment(context, row.ended_at ?? row.created_at)}</td>
<td data-name="${webhooks.attempts}">${number(context, row.attempts)}</td>
<td><a href="/dashboard/deliveries/${row.id}">${texts.delivery.title} ${row.id}</a></td>
</tr>
`,
)}
</tbody></table></div>`
}

async function deliveries(context: Context, hook: HookReport): Promise<Html> {
  const { texts, url, database } = context
  const { webhooks } = texts
  const asked = states.find(state => state === url.searchParams.get('state'))
  const usual = ['ok', 'idle'].includes(hookState(hook)) ? 'delivered' : 'failed'
  const state = asked ?? usual
  const before = Number(url.searchParams.get('before')) || null
  const rows = await listDeliveries(database, {
    subscription_id: hook.id,
    state,
    before: Number.isSafeInteger(before) ? before : null,
    limit: deliveriesPerPage,
  })
  const tab = (one: DeliveryState) =>
    html`<li><a href="${pathOf(hook)}?state=${one}#deliveries"${one === state ? html` aria-current="true"` : ''}>${webhooks.deliveryStates[one]}</a></li>\n`
  const last = rows.at(-1)
  return html`<h2 id="deliveries">${webhooks.deliveries}</h2>
<nav aria-label="${webhooks.filter}"><ul class="tabs">${states.map(tab)}</ul></nav>
${table(context, rows)}
${rows.length === deliveriesPerPage && html`<p><a href="${pathOf(hook)}?state=${state}&amp;before=${last?.id}#deliveries">${texts.older}</a></p>`}`
}

function done({ texts: { webhooks }, url }: Context): Html | false {
  const { done } = webhooks
  const name = url.searchParams.get('done') ?? ''
  if (!Object.hasOwn(done, name)) return false
  const said = done[name as keyof typeof done]
  const count = url.searchParams.get('count') ?? ''
  const text = typeof said === 'string' ? said : said(/^\d{1,12}$/.test(count) ? count : '?')
  return html`<p class="notice ${name === 'refused' ? 'bad' : 'good'}" role="status">${text}</p>`
}

/** Null: there is no such webhook. */
export async function webhookPage(context: Context): Promise<Page | null> {
  const { database, parameters, texts } = context
  const hook = await getHookReport(database, parameters.id ?? '')
  if (!hook) return null
  return {
    title: nameOf(texts, hook),
    area: 'webhooks',
    content: html`${done(context)}
${trouble(context, hook)}
${facts(context, hook)}
${await deliveries(context, hook)}
${hook.active && testForm(context, hook)}
${secret(context, hook)}`,
  }
}
