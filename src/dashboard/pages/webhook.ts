// One webhook: how it fares and what mends it, its deliveries, how it is set up.
import { healthOf } from '../../model/hook_health.ts'
import * as operations from '../../operations/deliveries.ts'
import { listEventsAtCursors } from '../../operations/events.ts'
import { listAttemptHours } from '../../operations/overview.ts'
import { readPlainInteger } from '../../operations/parameters.ts'
import { chart } from '../chart.ts'
import type { Context, DashboardPage, ShownHook } from '../context.ts'
import {
  hookForm,
  isUnderRepair,
  missingPart,
  quoted,
  reasonText,
  shortAnswer,
  tones,
} from '../hook_parts.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { toTheMinute, when } from '../times.ts'
import { addressForm, type Sent, setUpCards, testForm } from './webhook_set_up.ts'

const { countMax, deliveryStates } = operations

function reactivateForms(context: Context, hook: ShownHook): Html {
  const { webhooks } = context.texts
  const { missing } = hook.health
  const fromHead = html`${ui.hidden('from', 'head')}${ui.button(webhooks.fromHeadSure)}`
  return html`<p>${missing > 0 ? ui.countText(context, webhooks.undelivered, missing, countMax) : webhooks.nothingMissing}</p>
${hookForm(context, hook, 'reactivate', ui.button(webhooks.reactivate, 'primary'))}
${ui.folded(webhooks.fromHead, html`<p>${webhooks.fromHeadText}</p>${hookForm(context, hook, 'reactivate', fromHead)}`)}`
}

function causes(context: Context, hook: ShownHook): Html {
  const { webhooks } = context.texts
  const { health, pause_reason, excerpt, tried_cursor } = hook
  const why = html`${reasonText(context, hook)}${quoted(excerpt)} <a href="/dashboard/events/${tried_cursor}">${webhooks.lookAtIt}</a>`
  return ui.facts([
    health.since !== null && [webhooks.since, toTheMinute(context, health.since)],
    [webhooks.last, when(context, hook.delivered_at)],
    health.missing > 0 && [webhooks.missing, missingPart(context, hook)],
    pause_reason !== null && pause_reason !== '' && [webhooks.pauseReason, pause_reason, 'wide'],
    health.reason !== null && isUnderRepair(hook) && [webhooks.why, why, 'wide'],
  ])
}

/** The address, a test, and the switch, in this order: each with what came of it. */
function repairSteps(context: Context, hook: ShownHook, sent: Sent): Html {
  const { webhooks } = context.texts
  const hint = hook.health.next === 'address' && html`<p>${webhooks.addressHint}</p>`
  const step = (title: string, content: Html) => html`<li><h3>${title}</h3>${content}</li>\n`
  return html`<ol class="repair">
${step(webhooks.addressStep, html`${hint}${addressForm(context, hook, sent)}`)}
${step(webhooks.testStep, html`<span id="test"></span>${testForm(context, hook, sent)}`)}
${hook.active ? step(webhooks.waitStep, html`<p>${webhooks.waitText}</p>`) : step(webhooks.reactivateStep, reactivateForms(context, hook))}</ol>`
}

/** What failed for good, or expired: it does not arrive by itself any more. */
function leftOver(context: Context, hook: ShownHook): Html {
  const { webhooks } = context.texts
  const { failed, missed_to } = hook
  const sendAgain = ui.countText(context, webhooks.sendAgainAll, failed, countMax)
  const again = html`${ui.hidden('all', 'yes')}${ui.button(sendAgain, 'primary')}`
  const dismiss = ui.button(webhooks.dismissSure, 'danger')
  return html`${failed > 0 && html`<p>${ui.countText(context, webhooks.failures, failed, countMax)}</p>`}
${missed_to !== null && html`<p>${webhooks.expired}</p>`}
${failed > 0 && hookForm(context, hook, 'redeliver', again)}
${ui.folded(webhooks.dismiss, html`<p>${webhooks.dismissText}</p>${hookForm(context, hook, 'dismiss', dismiss)}`)}`
}

const starts = ['reactivated', 'sent_again', 'replayed']

/** What the owner has just let go on is on its way: what failed before is no news. */
const isStarted = ({ done }: Context, { active, health }: ShownHook): boolean =>
  active && health.state !== 'failing' && starts.includes(done?.name ?? '')

function healthCard(context: Context, hook: ShownHook, sent: Sent): Html {
  const { webhooks } = context.texts
  const { state, missing } = hook.health
  if (isStarted(context, hook))
    return html`<section class="notice good" id="repair"><h2>${webhooks.started}</h2>
${ui.doneNotice(context, webhooks.hookDone)}
${missing > 0 && ui.facts([[webhooks.missing, missingPart(context, hook)]])}</section>`
  // Where it fails again, nothing follows.
  const { reactivated: _, ...known } = webhooks.hookDone
  const isCatchingUp = hook.active && state === 'well' && missing > 0
  const text = isCatchingUp
    ? ui.countText(context, webhooks.catchingUp, missing, countMax)
    : webhooks.verdicts[state]
  return html`<section class="notice ${tones[state]}" id="repair"><h2>${webhooks.states[state]}</h2>
<p>${text}</p>
${ui.doneNotice(context, known)}
${causes(context, hook)}
${state === 'incomplete' && leftOver(context, hook)}
${isUnderRepair(hook) && repairSteps(context, hook, sent)}</section>`
}

const perPage = 25
type Delivery = operations.ListedDelivery

/** What needs the owner first, then what is under way. */
const usualState = ({ failed, waiting }: ShownHook) =>
  failed > 0 ? 'failed' : waiting > 0 ? 'waiting' : 'delivered'

/** A moment that has come is none to wait for, and a paused webhook has none. */
function nextTry(context: Context, { active }: ShownHook, due: string | null): Html {
  const { webhooks } = context.texts
  const isToCome = active && due !== null && Date.parse(due) > Date.now()
  return when(context, isToCome ? due : null, active ? webhooks.soon : webhooks.onceActive)
}

function again(context: Context, hook: ShownHook, row: Delivery): Html | false {
  const { texts } = context
  const { sendAgain } = texts.webhooks
  const label = `${sendAgain}: ${ui.eventName(texts, row.event_type)} ${row.cursor}`
  const content = html`${ui.hidden('cursor', row.cursor)}${ui.button(sendAgain, 'plain', label)}`
  return row.event_id !== null && hookForm(context, hook, 'redeliver', content, 'inline')
}

async function deliveries(context: Context, hook: ShownHook): Promise<Html> {
  const { texts, url, database } = context
  const { webhooks } = texts
  const path = ui.hookPath(hook.id)
  const shown =
    deliveryStates.find(one => one === url.searchParams.get('state')) ?? usualState(hook)
  const before = readPlainInteger(url.searchParams.get('before') ?? '') ?? null
  const page = { subscription_id: hook.id, state: shown, before, row_limit: perPage }
  const rows = await operations.listDeliveries(database, page)
  const cursors = rows.map(({ cursor }) => cursor)
  const about = await listEventsAtCursors(database, cursors)
  const people = new Map(about.map(({ cursor, person }) => [cursor, person]))
  const tab = (one: operations.DeliveryState) => {
    const count = one === 'delivered' ? 0 : hook[one]
    return html`<li><a href="${path}?state=${one}#deliveries"${one === shown && html` aria-current="true"`}>${webhooks.deliveryStates[one]}${count > 0 && ` (${ui.countUpTo(context, count, countMax)})`}</a></li>\n`
  }
  const isBehind = hook.health.missing > hook.waiting + hook.failed
  const behind = hook.active ? webhooks.behind : webhooks.behindPaused
  const none =
    shown === 'delivered' && hook.behind === 0 ? webhooks.nothingDelivered : webhooks.noDeliveries
  const columns: (ui.TableColumn<Delivery> | false)[] = [
    [
      texts.event,
      ({ cursor, event_type }) =>
        html`<a href="/dashboard/events/${cursor}">${ui.eventName(texts, event_type)}</a>`,
      'head',
    ],
    [texts.about, ({ cursor }) => people.get(cursor)?.trim() || '–'],
    [webhooks.answer, row => shortAnswer(context, row), 'long'],
    [webhooks.attempts, row => ui.number(context, row.attempts), 'number'],
    shown === 'waiting'
      ? [webhooks.next, row => nextTry(context, hook, row.due_at)]
      : [texts.at, row => when(context, row.tried_at ?? row.sequenced_at)],
    shown !== 'waiting' && hook.active && [texts.action, row => again(context, hook, row), 'act'],
  ]
  return html`<section><h2 id="deliveries">${webhooks.deliveries}</h2>
<nav aria-label="${webhooks.filter}"><ul class="tabs">${deliveryStates.map(tab)}</ul></nav>
${isBehind && html`<p>${ui.countText(context, behind, hook.behind, countMax)}</p>`}
${ui.table(webhooks.deliveries, rows, columns, none)}
${rows.length === perPage && html`<p><a href="${path}?state=${shown}&amp;before=${cursors.at(-1)}#deliveries">${texts.older}</a></p>`}</section>`
}

async function attempts(context: Context, id: string): Promise<Html> {
  const { webhooks, chartNames } = context.texts
  const hours = await listAttemptHours(context.database, id)
  const isEmpty = hours.every(hour => hour.delivered + hour.retried + hour.failed === 0)
  const shown = chart(
    context,
    hours.map(hour => ({ ...hour, at: new Date(hour.hour) })),
    hour => [hour.delivered, hour.retried, hour.failed],
    chartNames,
  )
  return html`<section class="card"><h2>${webhooks.attempts24}</h2>
${isEmpty ? html`<p class="muted">${webhooks.attemptsNone}</p>` : shown}</section>`
}

/** Null: there is no such webhook. */
export async function webhookPage(
  context: Context,
  sent: Sent = {},
): Promise<DashboardPage | null> {
  const { texts, database } = context
  const known = context.hooks.find(({ id }) => id === context.parameters.id)
  // Counted to the end, unlike in the list of all.
  const report = known && (await operations.getHookReport(database, known.id))
  if (!report) return null
  const hook: ShownHook = { ...known, ...report, health: healthOf(report) }
  return {
    title: hook.name,
    area: 'webhooks',
    status: ui.hasMistakes(sent.mistakes ?? {}) ? 400 : 200,
    trail: { path: '/dashboard/webhooks', text: texts.pages.webhooks },
    liveMs: 3_000,
    content: html`${ui.doneNotice(context, texts.webhooks.done)}
${healthCard(context, hook, sent)}
${await deliveries(context, hook)}
${await attempts(context, hook.id)}
<h2 id="set-up">${texts.webhooks.setUp}</h2>
<div class="halves">${setUpCards(context, hook, sent)}</div>`,
  }
}
