// One webhook: how it fares and why, what the owner can do about it, its deliveries.
import { getNewestTest } from '../../operations/deliveries.ts'
import { getHealth, type Health, isPeriod, type Period, periods } from '../../operations/health.ts'
import { countMax, getHookReport, type HookReport } from '../../operations/overview.ts'
import { chart } from '../chart.ts'
import type { Context, Page } from '../context.ts'
import { doneNotice } from '../done.ts'
import { hookPath } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import {
  button,
  countUpTo,
  eventName,
  facts,
  form,
  nameOf,
  number,
  percent,
  reason,
  tableOf,
  took,
  tookWords,
  toTheMinute,
  when,
} from '../parts.ts'
import { deliveryStatePart } from './delivery.ts'
import { deliveries } from './webhook_deliveries.ts'
import { trouble } from './webhook_trouble.ts'
import { hookStatePart, lastDelivered } from './webhooks.ts'

function untriedFact(context: Context, { untried, due_since }: HookReport): Html {
  const { webhooks } = context.texts
  const since =
    (untried ?? 0) > 0 &&
    due_since &&
    html` <small class="muted">(${webhooks.oldest} ${when(context, due_since)})</small>`
  return html`${countUpTo(context, untried ?? 0, countMax)}${since}`
}

/** Of two kinds, one of which nothing brings back. */
function missedFact(context: Context, { missed, expired }: HookReport): Html {
  const { ofThemExpired } = context.texts.webhooks
  const shown = countUpTo(context, missed + expired, countMax)
  if (expired === 0) return html`${shown}`
  return html`${shown} <small class="muted">(${ofThemExpired(countUpTo(context, expired, countMax))})</small>`
}

type Test = Awaited<ReturnType<typeof getNewestTest>>

/** Lists have test events after all others. */
const testFact = (context: Context, hook: HookReport, test: NonNullable<Test>): Html =>
  html`${deliveryStatePart(context, test, hook)} ${when(context, test.ended_at ?? test.created_at)} <a href="${hookPath(hook.id, `/deliveries/${test.cursor}`)}">${context.texts.webhooks.lookAtTest}</a>`

function numbers(context: Context, hook: HookReport, test: Test): Html {
  const { webhooks, keys } = context.texts
  const upTo = (count: number) => countUpTo(context, count, countMax)
  return facts([
    [keys.state, hookStatePart(context, hook)],
    [webhooks.last, lastDelivered(context, hook)],
    test !== null && [webhooks.lastTest, testFact(context, hook, test)],
    [webhooks.facts.untried, untriedFact(context, hook)],
    [webhooks.facts.waiting, upTo(hook.waiting)],
    hook.catching_up !== null &&
      hook.catching_up > 0 && [webhooks.facts.catchingUp, upTo(hook.catching_up)],
    [webhooks.facts.failures, upTo(hook.failures)],
    [webhooks.facts.missed, missedFact(context, hook)],
  ])
}

function setUp(context: Context, hook: HookReport): Html {
  const { texts } = context
  const { webhooks } = texts
  return html`<div class="head"><h2>${webhooks.setUp}</h2><div class="actions"><a class="button" href="${hookPath(hook.id, '/edit')}">${webhooks.change}</a></div></div>
<div id="live-set-up" data-live>${facts([
    [webhooks.target, hook.target_url, 'wide'],
    [webhooks.types, hook.event_types.map(type => eventName(texts, type)).join(', '), 'wide'],
    [
      webhooks.source,
      webhooks.sources[hook.source as keyof typeof webhooks.sources] ?? hook.source,
    ],
    [webhooks.created, toTheMinute(context, hook.created_at)],
    hook.catch_up_cursor !== null && [
      webhooks.forDevelopers,
      html`<code>/events?after=${hook.catch_up_cursor}</code><br><small class="muted">${webhooks.cursor}</small>`,
      'wide',
    ],
  ])}</div>`
}

/** Of a reason as it is counted: a status, else an error class. */
function reasonText({ texts }: Context, counted: string): string {
  const status = /^\d+$/.test(counted) ? Number(counted) : null
  return reason(texts, status, status === null ? counted : 'status')
}

function reasonsTable(context: Context, { reasons }: Health): Html | false {
  const { webhooks } = context.texts
  if (reasons.length === 0) return false
  const columns = [
    webhooks.why,
    { name: webhooks.attempts, kind: 'number' as const },
    webhooks.first,
    webhooks.latest,
  ]
  const rows = reasons.slice(0, 5).map(
    ({ reason: counted, attempts, first_at, last_at }) => html`<tr>
<th scope="row">${reasonText(context, counted)}</th>
<td class="number" data-name="${webhooks.attempts}">${number(context, attempts)}</td>
<td data-name="${webhooks.first}">${when(context, first_at)}</td>
<td data-name="${webhooks.latest}">${when(context, last_at)}</td>
</tr>
`,
  )
  return html`<h3>${webhooks.reasons}</h3>${tableOf(webhooks.reasons, columns, rows)}`
}

function healthPart(context: Context, hook: HookReport, health: Health, period: Period): Html {
  const { texts, url } = context
  const { webhooks } = texts
  const link = (one: Period) => {
    const query = new URLSearchParams(url.search)
    query.set('span', one)
    return html`<li><a href="${hookPath(hook.id)}?${query.toString()}#health"${one === period && html` aria-current="true"`}>${webhooks.periods[one]}</a></li>\n`
  }
  const tile = (name: string, value: string, hint: string) =>
    html`<div><dt>${name}</dt><dd>${value}</dd><dd class="muted">${hint}</dd></div>\n`
  return html`<section class="card" id="health"><h2>${webhooks.health}</h2>
<nav aria-label="${webhooks.period}"><ul class="tabs">${(Object.keys(periods) as Period[]).map(link)}</ul></nav>
<dl class="tiles">
${tile(webhooks.rate, percent(context, health.rate), webhooks.rateHint(number(context, health.delivered), number(context, health.failed)))}
${tile(webhooks.times, took(context, health), tookWords(context, health) ?? '')}
${tile(webhooks.retried, number(context, health.retried), webhooks.retriedHint)}
</dl>
${chart(context, health.steps)}
${reasonsTable(context, health)}</section>`
}

const testForm = (context: Context, hook: HookReport): Html => {
  const { webhooks } = context.texts
  if (!hook.active)
    return html`<section class="card" id="test" data-live><h2>${webhooks.test}</h2>
<p>${webhooks.testPaused}</p></section>`
  return html`<section class="card" id="test" data-live><h2>${webhooks.test}</h2>
<p>${webhooks.testText}</p>
${form(
  context,
  hookPath(hook.id, '/test'),
  html`<div class="row"><label>${webhooks.testType}
<select name="type">${hook.event_types.map(type => html`<option value="${type}">${eventName(context.texts, type)}</option>`)}</select></label>
${button(webhooks.test)}</div>`,
  { once: true },
)}</section>`
}

function secret(context: Context, hook: HookReport): Html {
  const { webhooks } = context.texts
  const isChanging =
    hook.old_secret_until !== null && Date.parse(hook.old_secret_until) > Date.now()
  const change = html`<div class="notice calm"><p>${webhooks.overlap} ${toTheMinute(context, hook.old_secret_until)}.
${hook.old_secret_leads ? webhooks.overlapLeads : webhooks.overlapSwitched}</p>
${hook.old_secret_leads && form(context, hookPath(hook.id, '/switch'), button(webhooks.switch))}</div>`
  return html`<section class="card"><h2>${webhooks.secret}</h2>
<p>${webhooks.secretText}</p>
${isChanging && change}
<details><summary>${webhooks.rotate}</summary><p>${webhooks.rotateKeeps} ${isChanging && webhooks.rotateAsk}</p>
${form(context, hookPath(hook.id, '/rotate'), button(webhooks.rotateSure, 'danger'), { once: true })}</details></section>`
}

function endings(context: Context, hook: HookReport): Html {
  const { webhooks } = context.texts
  const pausing = html`<details><summary>${webhooks.pause}</summary><p>${webhooks.pauseText}</p>
${form(
  context,
  hookPath(hook.id, '/pause'),
  html`<label>${webhooks.pauseReason}
<input name="reason" maxlength="500" autocomplete="off" placeholder="${webhooks.pauseExample}"></label>${button(webhooks.pauseSure)}`,
)}</details>`
  return html`<section class="card" id="live-ending" data-live><h2>${webhooks.ending}</h2>
${hook.active && pausing}
<p><a href="${hookPath(hook.id, '/delete')}">${webhooks.remove}</a></p></section>`
}

/** Null: there is no such webhook. */
export async function webhookPage(context: Context): Promise<Page | null> {
  const { database, parameters, texts, url } = context
  const asked = url.searchParams.get('span')
  const period = isPeriod(asked) ? asked : '24h'
  const id = parameters.id ?? ''
  const [hook, health, test] = await Promise.all([
    getHookReport(database, id),
    getHealth(database, id, period),
    getNewestTest(database, id),
  ])
  if (!hook) return null
  return {
    title: nameOf(texts, hook),
    area: 'webhooks',
    trail: { path: '/dashboard/webhooks', text: texts.pages.webhooks },
    // A webhook can be paused while its page is open.
    actions: html`<span id="live-test-link" data-live>${hook.active && html`<a class="button" href="#test">${texts.webhooks.test}</a>`}</span>`,
    content: html`${doneNotice(context)}
<div data-watch="${hookPath(hook.id, '/watch')}" data-live id="live-hook">
${trouble(context, hook)}
${numbers(context, hook, test)}
${healthPart(context, hook, health, period)}
</div>
${await deliveries(
  context,
  hook,
  health.reasons.map(({ reason: counted }) => counted),
)}
${setUp(context, hook)}
<div class="halves">${testForm(context, hook)}
${secret(context, hook)}
${endings(context, hook)}</div>`,
  }
}
