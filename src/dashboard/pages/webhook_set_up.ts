// How a webhook is set up: its address, its events, its secret, what it is sent again, how it ends.
import { isEventType } from '../../model/event_type.ts'
import type { Reply } from '../../sending/sender.ts'
import type { Context, ShownHook } from '../context.ts'
import { hookForm, isUnderRepair, quoted, reasonText } from '../hook_parts.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { duration, toTheMinute } from '../times.ts'
import { labelField, targetField, typeTicks } from './webhooks.ts'

/** What was sent, refused or tested just now: it is shown where its form stands. */
export type Sent = {
  mistakes?: ui.Mistakes
  target?: string
  label?: string
  types?: readonly string[]
  test?: Reply
}

export function addressForm(
  context: Context,
  hook: ShownHook,
  { mistakes = {}, target }: Sent,
): Html {
  const { hookForm: texts, webhooks } = context.texts
  const content = html`${targetField(context, target ?? hook.target_url, mistakes.target_url)}
${ui.button(texts.saveAddress)}`
  return html`${ui.doneNotice(context, { address_changed: webhooks.addressChanged })}
${hookForm(context, hook, 'address', content)}`
}

/** What the receiver answered, next to the button. */
function testOutcome(context: Context, test: Reply): Html {
  const { answered, answerHeaders, webhooks } = context.texts
  const { status, errorClass: error_class, excerpt, headers, durationMs } = test
  const reason = reasonText(context, { status, error_class })
  const text =
    reason === null
      ? html`<strong>${webhooks.testArrived}</strong> ${answered(status ?? 0)} (${duration(context, durationMs)})`
      : html`<strong>${webhooks.testFailed}</strong> ${reason}${quoted(excerpt)}`
  return html`${ui.notice(reason === null ? 'good' : 'bad', text, true)}
${headers !== null && ui.folded(answerHeaders, ui.copyable(context, headers, answerHeaders))}`
}

/** Sent at once, whether the webhook is paused or not, and counted nowhere. */
export function testForm(context: Context, hook: ShownHook, { test }: Sent): Html {
  const { webhooks } = context.texts
  const types = hook.event_types
    .filter(isEventType)
    .map(type => ({ value: type, text: ui.eventName(context.texts, type) }))
  const content = html`<div class="row">${ui.select(webhooks.testType, 'type', types)}${ui.button(webhooks.test)}</div>`
  return html`${test && testOutcome(context, test)}
${hookForm(context, hook, 'test', content)}`
}

function eventsForm(context: Context, hook: ShownHook, sent: Sent): Html {
  const { texts } = context
  const { mistakes = {}, label, types } = sent
  const names = hook.event_types.map(type => ui.eventName(texts, type)).join(', ')
  const content = html`${ui.hidden('version', hook.version)}${labelField(context, label ?? hook.label ?? '', mistakes.label)}
${typeTicks(context, types ?? hook.event_types, mistakes.types)}
${ui.button(texts.hookForm.save, 'primary')}`
  return html`<h3>${texts.hookForm.types}</h3><p>${names}</p>
${ui.folded(texts.webhooks.changeEvents, hookForm(context, hook, 'events', content), types !== undefined)}`
}

function replayForm(context: Context, hook: ShownHook, { mistakes = {} }: Sent): Html {
  const { webhooks } = context.texts
  const since = ui.field({
    name: 'since',
    type: 'datetime-local',
    label: webhooks.replaySince,
    hint: webhooks.utc,
    isRequired: true,
    mistake: mistakes.since,
  })
  const content = html`<div data-utc>${since}</div>${ui.button(webhooks.replaySure)}`
  return ui.folded(
    webhooks.replay,
    html`<p>${webhooks.replayText}</p>${hookForm(context, hook, 'replay', content)}`,
    mistakes.since !== undefined,
  )
}

function secretPart(context: Context, hook: ShownHook): Html {
  const { webhooks } = context.texts
  const { old_secret_until, old_secret_leads } = hook
  const isChanging = old_secret_until !== null && Date.parse(old_secret_until) > Date.now()
  const change = html`<div class="notice calm"><p>${webhooks.overlap} ${toTheMinute(context, old_secret_until)}. ${old_secret_leads ? webhooks.overlapLeads : webhooks.overlapSwitched}</p>
${old_secret_leads && hookForm(context, hook, 'switch', ui.button(webhooks.switch))}</div>`
  const rotate = hookForm(context, hook, 'rotate', ui.button(webhooks.rotateSure, 'danger'))
  return html`<h3>${webhooks.secret}</h3><p>${webhooks.secretText}</p>
${isChanging && change}
${ui.folded(webhooks.rotate, html`<p>${webhooks.rotateKeeps} ${isChanging && webhooks.rotateAsk}</p>${rotate}`)}`
}

function endings(context: Context, hook: ShownHook, { mistakes = {} }: Sent): Html {
  const { webhooks } = context.texts
  const reason = ui.field({
    name: 'reason',
    label: webhooks.pauseReasonAsk,
    lengthMax: 500,
    placeholder: webhooks.pauseExample,
  })
  const pause = html`${reason}${ui.button(webhooks.pauseSure)}`
  const remove = html`${ui.sureTick(webhooks.removeCheck(hook.name), mistakes.sure)}${ui.button(webhooks.removeSure, 'danger')}`
  // One that failures paused is no trouble any more once its owner has paused it.
  const [title, text] = hook.active
    ? [webhooks.pause, webhooks.pauseText]
    : [webhooks.keepPaused, webhooks.keepPausedText]
  return html`<h3>${webhooks.ending}</h3>
${hook.health.state !== 'pausedByOwner' && ui.folded(title, html`<p>${text}</p>${hookForm(context, hook, 'pause', pause)}`)}
${ui.folded(
  webhooks.remove,
  html`<p>${webhooks.removeText}</p>${hookForm(context, hook, 'delete', remove)}`,
  mistakes.sure !== undefined,
)}`
}

export function setUpCards(context: Context, hook: ShownHook, sent: Sent): Html {
  const { webhooks } = context.texts
  const source = webhooks.sources[hook.source as keyof typeof webhooks.sources] ?? hook.source
  const settled = html`<section class="card"><h3>${webhooks.target}</h3>${addressForm(context, hook, sent)}</section>
<section class="card" id="test"><h3>${webhooks.test}</h3><p>${webhooks.testText}</p>${testForm(context, hook, sent)}</section>`
  return html`${!isUnderRepair(hook) && settled}
<section class="card">${eventsForm(context, hook, sent)}</section>
<section class="card">${secretPart(context, hook)}</section>
<section class="card">${endings(context, hook, sent)}</section>
<section class="card"><h3>${webhooks.forDevelopers}</h3>
${ui.facts([
  [webhooks.source, source],
  [webhooks.created, toTheMinute(context, hook.created_at)],
  [webhooks.id, html`<code>${hook.id}</code>`, 'wide'],
])}
${replayForm(context, hook, sent)}</section>`
}
