// Übersicht: is all well, and if not: which webhook, why, one button.
import { needsOwner } from '../../model/hook_health.ts'
import { listNewestEvents } from '../../operations/events.ts'
import { getUsage } from '../../operations/key_usage.ts'
import { getNoticeSettings } from '../../operations/notices.ts'
import {
  getArrivals,
  getOverview,
  isWorkerMissing,
  type Overview,
} from '../../operations/overview.ts'
import type { Context, DashboardPage, ShownHook } from '../context.ts'
import { hookTable, reasonText } from '../hook_parts.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { eventTable } from './events.ts'

const shownEvents = 6
// Of all webhooks together: counting on would take longer than all else.
const countMax = 10_000

function verdict(context: Context, found: Overview): Html {
  const { texts, hooks } = context
  const { overview } = texts
  const [first, ...others] = hooks.filter(({ health }) => needsOwner(health))
  if (isWorkerMissing(found))
    return ui.notice('bad', html`<strong>${overview.stopped}</strong> ${overview.stoppedText}`)
  if (first)
    return html`<div class="notice bad"><p><strong>${texts.trouble(others.length + 1)}</strong></p>
<p>${first.name}: ${first.health.reason && reasonText(context, first)} ${texts.webhooks.verdicts[first.health.state]}</p>
<div class="actions"><a class="button primary" href="${ui.hookPath(first.id, '#repair')}">${overview.repair(first.name)}</a></div></div>`
  if (hooks.length === 0) return html``
  return hooks.some(isOpen)
    ? ui.notice('calm', html`<strong>${overview.calm}</strong> ${overview.calmText}`)
    : ui.notice('good', html`<strong>${overview.well}</strong> ${overview.wellText}`)
}

/** What is open now; what was repaired is not. */
function openProblems(context: Context): Html | false {
  const { overview } = context.texts
  const open = context.hooks.filter(isOpen)
  if (open.length === 0) return false
  return html`<section><h2>${overview.problems}</h2>${hookTable(context, open)}</section>`
}

const isOpen = ({ health }: ShownHook): boolean => !['well', 'new'].includes(health.state)

type Step = readonly [isDone: boolean, text: string, path: string, action: string]

/** What is left to do where all is new. */
function firstSteps(context: Context, hasKeys: boolean, hasNotices: boolean): Html | false {
  const { hooks, texts, serving } = context
  const { first } = texts
  const [hook] = hooks
  const hasDelivered = hooks.some(({ delivered_at }) => delivered_at !== null)
  const testPath = hook ? ui.hookPath(hook.id, '#test') : '/dashboard/webhooks/new'
  const steps: Step[] = [
    [hasKeys, first.key, '/dashboard/keys?preset=crm', first.keyAction],
    [hooks.length > 0, first.hook, '/dashboard/webhooks/new', first.hookAction],
    [hasDelivered, first.test, testPath, first.testAction],
    [hasNotices, first.notices, '/dashboard/system#notices', first.noticesAction],
  ]
  const needed = serving.about.notices.mailServer === null ? steps.slice(0, 3) : steps
  if (needed.every(([isDone]) => isDone)) return false
  const current = needed.findIndex(([isDone]) => !isDone)
  const step = ([isDone, text, path, action]: Step, at: number) =>
    html`<li${isDone && html` class="done"`}><b>${isDone ? '✓' : at + 1}</b><span>${text} ${!isDone && html`<a href="${path}"${at === current && html` class="button"`}>${action}</a>`}</span></li>\n`
  return html`<section class="card"><h2>${first.title}</h2>
<ol class="steps">${needed.map(step)}</ol></section>`
}

async function tiles(context: Context): Promise<Html> {
  const { texts, database, hooks } = context
  const { overview } = texts
  const arrivalsMax = Math.ceil(countMax / Math.max(1, hooks.length))
  const [{ events: all, missing: open }, { answered, refused, limited }] = await Promise.all([
    getArrivals(database, arrivalsMax),
    getUsage(database),
  ])
  const shown = (count: number) => ui.number(context, count)
  const arrived = overview.ofAll(shown(Math.max(0, all - open)), shown(all))
  const tile = (name: string, value: string, note: Html | string) =>
    html`<div><dt>${name}</dt><dd>${value}</dd><dd class="muted">${note}</dd></div>\n`
  const requests = html`${overview.requestsHint(shown(refused), shown(limited))} <a href="/dashboard/keys">${overview.toKeys}</a>`
  const missing = hooks.reduce((sum, { health }) => sum + health.missing, 0)
  return html`<dl class="tiles">
${all === 0 ? tile(overview.arrived, '–', overview.arrivedNone) : tile(overview.arrived, arrived, overview.arrivedHint)}
${tile(overview.missing, shown(missing), missing === 0 ? overview.missingNone : overview.missingHint)}
${tile(overview.requests, shown(answered + refused + limited), requests)}
</dl>`
}

export async function overviewPage(context: Context): Promise<DashboardPage> {
  const { database, texts, serving } = context
  await serving.recordUsage()
  const [found, counts, events, notices] = await Promise.all([
    getOverview(database),
    tiles(context),
    listNewestEvents(database, { types: [], before: null, limit: shownEvents }),
    getNoticeSettings(database, serving.about.notices),
  ])
  const { overview } = texts
  return {
    title: texts.pages.overview,
    area: 'overview',
    liveMs: 10_000,
    content: html`${verdict(context, found)}
${openProblems(context)}
${firstSteps(context, found.has_keys, notices.mailTo.length > 0)}
${counts}
<section><h2>${overview.events}</h2>${eventTable(context, events, texts.events.empty)}</section>`,
  }
}
