// Webhooks: all of them, with the state of each at a glance, those that need the owner first.

import { targetHost } from '../../model/target_url.ts'
import { type Health, listHealth } from '../../operations/health.ts'
import { behindSeconds, type HookReport, listHookReports } from '../../operations/overview.ts'
import { sparkline } from '../chart.ts'
import type { Context, Page } from '../context.ts'
import { doneNotice } from '../done.ts'
import { hookPath, isOlderThanKept, pausedBy } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import { needingOwner } from '../layout.ts'
import {
  button,
  countUpTo,
  followingAll,
  labelOf,
  nameOf,
  percent,
  state,
  tableOf,
  took,
  when,
} from '../parts.ts'
import { searchedMax, searchedOf } from './delivery_filter.ts'

type HookState =
  | 'ok'
  | 'idle'
  | 'open'
  | 'catchingUp'
  | 'catchUpIdle'
  | 'behind'
  | 'retrying'
  | 'failing'
  | 'paused'
  | 'byOwner'

/** Without a process that delivers the receiver is not the reason. */
const isBehind = ({ due_since, owned }: HookReport): boolean =>
  owned === true && due_since !== null && Date.now() - Date.parse(due_since) > behindSeconds * 1_000

export function hookState(hook: HookReport): HookState {
  if (!hook.active) return pausedBy(hook) === 'failures' ? 'paused' : 'byOwner'
  if (hook.consecutive_failures > 0) return 'failing'
  const { failure_at, delivered_at, waiting } = hook
  // What failed for good is not tried again: it is among what was missed.
  if (waiting > 0 && failure_at && (!delivered_at || failure_at > delivered_at)) return 'retrying'
  if (isBehind(hook)) return 'behind'
  if (missedCount(hook) > 0) return 'open'
  if (hook.catching_up_of > 0 && hook.catching_up !== 0) return 'catchingUp'
  return delivered_at ? 'ok' : 'idle'
}

const tones = {
  ok: 'good',
  idle: 'calm',
  quiet: 'calm',
  open: 'warn',
  catchingUp: 'calm',
  catchUpIdle: 'warn',
  behind: 'warn',
  retrying: 'warn',
  failing: 'bad',
  paused: 'bad',
  byOwner: 'calm',
} as const

function shownState(context: Context, hook: HookReport) {
  const now = hookState(hook)
  if (now === 'catchingUp' && context.worker !== 'works') return 'catchUpIdle'
  return now === 'idle' && isOlderThanKept(context, hook) ? 'quiet' : now
}

export function hookStatePart(context: Context, hook: HookReport): Html {
  const { texts } = context
  const shown = shownState(context, hook)
  return state(tones[shown], texts.webhooks.states[shown])
}

export function lastDelivered(context: Context, hook: HookReport): Html {
  const none = isOlderThanKept(context, hook) ? context.texts.webhooks.noneKept : undefined
  return when(context, hook.delivered_at, none)
}

// Of each of a hundred webhooks: counting on would take longer than all else.
const listedMax = 100

/** What it did not get, and will not get by itself. */
export const missedCount = ({ failures, missed, expired }: HookReport): number =>
  failures + missed + expired

/** Everything that one lacks that is paused, whatever the reason: nothing arrives by itself there. */
export const lacking = (hook: HookReport): number =>
  hook.failures + hook.waiting + hook.missed + (hook.catching_up ?? 0) + (hook.untried ?? 0)

const notDelivered = (hook: HookReport): number =>
  hook.active ? missedCount(hook) : lacking(hook) + hook.expired

/** The host, or where there is no name, that there is none. */
const second = ({ texts }: Context, hook: HookReport): string =>
  labelOf(hook) === '' ? texts.webhooks.unnamed : (targetHost(hook.target_url) ?? '–')

function row(context: Context, hook: HookReport, health: Health | undefined): Html {
  const { webhooks, keys } = context.texts
  return html`<tr>
<th scope="row"><a href="${hookPath(hook.id)}">${nameOf(context.texts, hook)}</a><br><small class="muted">${second(context, hook)}</small></th>
<td data-name="${keys.state}">${hookStatePart(context, hook)}</td>
<td data-name="${webhooks.rate}" class="number">${percent(context, health?.rate ?? null)}</td>
<td data-name="${webhooks.times}" class="number">${took(context, health)}</td>
<td data-name="${webhooks.facts.waiting}" class="number">${hook.active ? countUpTo(context, hook.waiting, listedMax) : '–'}</td>
<td data-name="${webhooks.notDelivered}" class="number">${countUpTo(context, notDelivered(hook), listedMax)}</td>
<td data-name="${webhooks.last}">${lastDelivered(context, hook)}</td>
<td data-name="${webhooks.day}">${health ? sparkline(context, health.steps) : '–'}</td>
</tr>
`
}

// So many are on a page at a glance, or nearly.
const glanceMax = 10

/** One letter has more than one form, and a name is found in each of them. */
const plainly = (text: string): string => text.normalize('NFKC').toLowerCase()

/** Has every word of what is searched in its name or its address. */
function isFound(context: Context, hook: HookReport, searched: string): boolean {
  const text = plainly(`${nameOf(context.texts, hook)} ${hook.target_url}`)
  return plainly(searched)
    .split(/\s+/)
    .every(word => text.includes(word))
}

function filter({ texts }: Context, searched: string): Html {
  const { found } = texts
  return html`<form method="get" action="/dashboard/webhooks"><div class="row"><label class="wide">${found.hooks}
<input name="q" type="search" maxlength="${searchedMax}" value="${searched}" autocomplete="off"></label>
${button(found.apply)}${searched !== '' && html`<a href="/dashboard/webhooks">${found.reset}</a>`}</div></form>`
}

export async function webhooksPage(context: Context): Promise<Page> {
  const { texts, database } = context
  const [reports, { byHook }] = await Promise.all([
    listHookReports(database, listedMax),
    listHealth(database),
  ])
  const { webhooks } = texts
  const numeric = (name: string) => ({ name, kind: 'number' as const })
  const columns = [
    webhooks.name,
    texts.keys.state,
    numeric(webhooks.rate),
    numeric(webhooks.times),
    numeric(webhooks.facts.waiting),
    numeric(webhooks.notDelivered),
    webhooks.last,
    webhooks.day,
  ]
  const searched = searchedOf(context.url.searchParams.get('q'))
  const urgent = new Map(needingOwner(context).map(({ id }, index) => [id, index]))
  const rank = ({ id }: HookReport) => urgent.get(id) ?? urgent.size
  const rows = reports
    .filter(hook => isFound(context, hook, searched))
    .toSorted((one, other) => rank(one) - rank(other))
    .map(hook => row(context, hook, byHook.get(hook.id)))
  const none = reports.length > 0 ? texts.found.noHooks : webhooks.empty
  return {
    title: texts.pages.webhooks,
    area: 'webhooks',
    isAboutTrouble: searched === '',
    actions: html`<a class="button primary" href="/dashboard/webhooks/new">${webhooks.make}</a>`,
    content: html`${doneNotice(context)}
<p>${webhooks.intro}</p>
${(reports.length > glanceMax || searched !== '') && filter(context, searched)}
${followingAll(
  rows.length > 0
    ? html`${tableOf(texts.pages.webhooks, columns, rows)}
<p class="muted">${webhooks.timesHint}</p>`
    : html`<p class="muted">${none}</p>`,
)}`,
  }
}
