// One webhook: how it fares and what mends it, its deliveries, how it is set up.
import { isEventType } from '../../model/event_type.ts'
import { type HookState, healthOf } from '../../model/hook_health.ts'
import { countMax, getHookReport } from '../../operations/deliveries.ts'
import type { SentTest } from '../../operations/hooks.ts'
import { listAttemptHours } from '../../operations/overview.ts'
import { chart } from '../chart.ts'
import type { Context, DashboardPage, ShownHook } from '../context.ts'
import { missingPart, reasonText, tones } from '../hook_parts.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { duration, toTheMinute, when } from '../times.ts'
import { deliveries } from './webhook_deliveries.ts'
import { type Sent, setUpCards } from './webhook_set_up.ts'
import { targetField } from './webhooks.ts'

const excerptMax = 300

const quoted = (excerpt: string | null): Html | false => {
  const text = ui.plainExcerpt(excerpt ?? '').slice(0, excerptMax)
  return text !== '' && html`<br><q>${text}</q>`
}

function addressForm(context: Context, hook: ShownHook, { mistakes = {}, target }: Sent): Html {
  const { hookForm, webhooks } = context.texts
  return html`${ui.doneNotice(context, { address_changed: webhooks.addressChanged })}
${ui.form(
  context,
  ui.hookPath(hook.id, '/address'),
  html`${targetField(context, target ?? hook.target_url, mistakes.target_url)}
${ui.button(hookForm.saveAddress)}`,
)}`
}

/** What the receiver answered, next to the button. */
function testOutcome(
  context: Context,
  { status, errorClass, excerpt, headers, durationMs }: SentTest,
): Html {
  const { texts } = context
  const { webhooks } = texts
  const reason = reasonText(context, status, errorClass)
  const took = duration(context, durationMs)
  const text =
    reason === null
      ? html`<strong>${webhooks.testArrived}</strong> ${texts.answered(status ?? 0)} (${took})`
      : html`<strong>${webhooks.testFailed}</strong> ${reason}${quoted(excerpt)}`
  return html`${ui.notice(reason === null ? 'good' : 'bad', text, true)}
${headers !== null && ui.folded(texts.answerHeaders, ui.copyable(context, headers, texts.answerHeaders))}`
}

/** Sent at once, whether the webhook is paused or not, and counted nowhere. */
function testForm(context: Context, hook: ShownHook, { test }: Sent): Html {
  const { webhooks } = context.texts
  const types = hook.event_types
    .filter(isEventType)
    .map(type => ({ value: type, text: ui.eventName(context.texts, type) }))
  return html`${test && testOutcome(context, test)}
${ui.form(
  context,
  ui.hookPath(hook.id, '/test'),
  html`<div class="row">${ui.select(webhooks.testType, 'type', types)}${ui.button(webhooks.test)}</div>`,
)}`
}

function reactivateForms(context: Context, hook: ShownHook): Html {
  const { webhooks } = context.texts
  const { id, health } = hook
  return html`<p>${health.missing > 0 ? ui.countText(context, webhooks.undelivered, health.missing, countMax) : webhooks.nothingMissing}</p>
${ui.form(context, ui.hookPath(id, '/reactivate'), ui.button(webhooks.reactivate, 'primary'))}
${ui.folded(
  webhooks.fromHead,
  html`<p>${webhooks.fromHeadText}</p>
${ui.form(context, ui.hookPath(id, '/reactivate'), html`${ui.hidden('from', 'head')}${ui.button(webhooks.fromHeadSure)}`)}`,
)}
${
  health.state === 'paused' &&
  ui.folded(
    webhooks.keepPaused,
    html`<p>${webhooks.keepPausedText}</p>${ui.form(context, ui.hookPath(id, '/pause'), html`${ui.hidden('rest', 'yes')}${ui.button(webhooks.keepPaused)}`)}`,
  )
}`
}

function causes(context: Context, hook: ShownHook, isOpen: boolean): Html {
  const { texts } = context
  const { webhooks } = texts
  const { health, pause_reason, status, error_class, excerpt, tried_cursor } = hook
  const reason = isOpen ? reasonText(context, status, error_class) : null
  const why = html`${reason}${quoted(excerpt)} <a href="/dashboard/events/${tried_cursor}">${webhooks.lookAtIt}</a>`
  return ui.facts([
    health.since !== null && [webhooks.since, toTheMinute(context, health.since)],
    [webhooks.last, when(context, hook.delivered_at)],
    health.missing > 0 && [webhooks.missing, missingPart(context, hook)],
    pause_reason !== null && pause_reason !== '' && [webhooks.pauseReason, pause_reason, 'wide'],
    reason !== null && [webhooks.why, why, 'wide'],
  ])
}

/** The address, a test, and the switch, in this order: each with what came of it. */
function repairSteps(context: Context, hook: ShownHook, sent: Sent): Html {
  const { webhooks } = context.texts
  const isFirst = hook.health.next === 'address' || ui.hasMistakes(sent.mistakes ?? {})
  const step = (title: string, content: Html) => html`<li><h3>${title}</h3>${content}</li>\n`
  return html`<ol class="repair">
${step(webhooks.addressStep, html`${isFirst && html`<p>${webhooks.addressHint}</p>`}${addressForm(context, hook, sent)}`)}
${step(webhooks.testStep, html`<span id="test"></span>${testForm(context, hook, sent)}`)}
${hook.active ? step(webhooks.waitStep, html`<p>${webhooks.waitText}</p>`) : step(webhooks.reactivateStep, reactivateForms(context, hook))}</ol>`
}

/** What failed for good, or expired: it does not arrive by itself any more. */
function leftOver(context: Context, hook: ShownHook): Html | false {
  const { webhooks } = context.texts
  const { id, failed, missed_to, active } = hook
  if (failed === 0 && missed_to === null) return false
  const again = ui.button(
    ui.countText(context, webhooks.sendAgainAll, failed, countMax),
    active ? 'primary' : '',
  )
  return html`${failed > 0 && html`<p>${ui.countText(context, webhooks.failures, failed, countMax)}</p>`}
${missed_to !== null && html`<p>${webhooks.expired}</p>`}
${failed > 0 && active && html`<div class="actions">${ui.form(context, ui.hookPath(id, '/redeliver'), html`${ui.hidden('all', 'yes')}${again}`)}</div>`}
${ui.folded(
  webhooks.dismiss,
  html`<p>${webhooks.dismissText}</p>${ui.form(context, ui.hookPath(id, '/dismiss'), ui.button(webhooks.dismissSure, 'danger'))}`,
)}`
}

const repaired: readonly HookState[] = ['paused', 'pausedByOwner', 'failing', 'retrying', 'behind']

/** The steps stay while an address or a test of them has its outcome, so that it is seen where it was asked for. */
const isUnderRepair = ({ health }: ShownHook): boolean => repaired.includes(health.state)

function healthCard(context: Context, hook: ShownHook, sent: Sent): Html {
  const { webhooks } = context.texts
  const { health } = hook
  const isOpen = isUnderRepair(hook)
  const isCatchingUp = hook.active && health.state === 'well' && health.missing > 0
  const text = isCatchingUp
    ? ui.countText(context, webhooks.catchingUp, health.missing, countMax)
    : webhooks.verdicts[health.state]
  const tone = tones[health.state]
  return html`<section class="notice ${tone}" id="repair"><h2>${webhooks.states[health.state]}</h2>
<p>${text}</p>
${ui.doneNotice(context, healthDone(context, hook))}
${causes(context, hook, isOpen)}
${health.state === 'incomplete' && leftOver(context, hook)}
${isOpen && repairSteps(context, hook, sent)}</section>`
}

/** What was announced gives way to what came of it. */
function healthDone({ texts: { webhooks } }: Context, { health }: ShownHook) {
  const { reactivated, refused_active, ...others } = webhooks.hookDone
  const isGoingOn = health.state === 'failing' || health.state === 'paused'
  return isGoingOn ? others : { ...others, reactivated, refused_active }
}

async function attempts(context: Context, id: string): Promise<Html> {
  const { webhooks, chartNames } = context.texts
  const hours = await listAttemptHours(context.database, id)
  const steps = hours.map(({ at, delivered, retried, failed }) => ({
    at,
    counts: [delivered, retried, failed] as const,
  }))
  const isEmpty = steps.every(({ counts }) => counts.every(count => count === 0))
  return html`<section class="card"><h2>${webhooks.attempts24}</h2>
${isEmpty ? html`<p class="muted">${webhooks.attemptsNone}</p>` : chart(context, steps, chartNames)}</section>`
}

function setUp(context: Context, hook: ShownHook, sent: Sent): Html {
  const { webhooks } = context.texts
  const isSettled = !isUnderRepair(hook)
  return html`<h2 id="set-up">${webhooks.setUp}</h2>
<div class="halves">
${
  isSettled &&
  html`<section class="card"><h3>${webhooks.addressStep}</h3>${addressForm(context, hook, sent)}</section>
<section class="card" id="test"><h3>${webhooks.test}</h3><p>${webhooks.testText}</p>${testForm(context, hook, sent)}</section>`
}
${setUpCards(context, hook, sent)}
</div>`
}

/** Counted to the end, unlike in the list of all. Null: there is no such webhook. */
async function hookOf(context: Context): Promise<ShownHook | null> {
  const known = context.hooks.find(({ id }) => id === context.parameters.id)
  const report = known && (await getHookReport(context.database, known.id))
  return report ? { ...known, ...report, health: healthOf(report) } : null
}

export async function webhookPage(
  context: Context,
  sent: Sent = {},
): Promise<DashboardPage | null> {
  const { texts } = context
  const hook = await hookOf(context)
  if (!hook) return null
  return {
    title: hook.name,
    area: 'webhooks',
    status: ui.hasMistakes(sent.mistakes ?? {}) ? 400 : 200,
    trail: { path: '/dashboard/webhooks', text: texts.pages.webhooks },
    live: {
      path: ui.hookPath(hook.id, context.request.method === 'GET' ? context.url.search : ''),
      everyMs: 3_000,
    },
    content: html`${ui.doneNotice(context, texts.webhooks.done)}
${healthCard(context, hook, sent)}
${await deliveries(context, hook)}
${await attempts(context, hook.id)}
${setUp(context, hook, sent)}`,
  }
}
