// How a webhook is set up: its events, its secret, what it is sent again, how it ends.
import type { SentTest } from '../../operations/hooks.ts'
import type { Context, ShownHook } from '../context.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { toTheMinute } from '../times.ts'
import { labelField, typeTicks } from './webhooks.ts'

/** What was sent, refused or tested just now: it is shown where its form stands. */
export type Sent = {
  mistakes?: ui.Mistakes
  target?: string
  label?: string
  types?: readonly string[]
  test?: SentTest
}

function eventsForm(
  context: Context,
  hook: ShownHook,
  { mistakes = {}, label, types }: Sent,
): Html {
  const { texts } = context
  const { hookForm, webhooks } = texts
  const names = hook.event_types.map(type => ui.eventName(texts, type)).join(', ')
  return html`<h3>${hookForm.types}</h3><p>${names}</p>
${ui.folded(
  webhooks.changeEvents,
  ui.form(
    context,
    ui.hookPath(hook.id, '/events'),
    html`${ui.hidden('version', hook.version)}${labelField(context, label ?? hook.label ?? '', mistakes.label)}
${typeTicks(context, types ?? hook.event_types, mistakes.types)}
${ui.button(hookForm.save, 'primary')}`,
  ),
  mistakes.types !== undefined || mistakes.label !== undefined || types !== undefined,
)}`
}

function replayForm(context: Context, hook: ShownHook, { mistakes = {} }: Sent): Html {
  const { webhooks } = context.texts
  return ui.folded(
    webhooks.replay,
    html`<p>${webhooks.replayText}</p>
${ui.form(
  context,
  ui.hookPath(hook.id, '/replay'),
  html`<div data-utc>${ui.field({ name: 'since', type: 'datetime-local', label: webhooks.replaySince, hint: webhooks.utc, isRequired: true, mistake: mistakes.since })}</div>${ui.button(webhooks.replaySure)}`,
)}`,
    mistakes.since !== undefined,
  )
}

function secretPart(context: Context, hook: ShownHook): Html {
  const { webhooks } = context.texts
  const { id, old_secret_until, old_secret_leads } = hook
  const isChanging = old_secret_until !== null && Date.parse(old_secret_until) > Date.now()
  const change = html`<div class="notice calm"><p>${webhooks.overlap} ${toTheMinute(context, old_secret_until)}. ${old_secret_leads ? webhooks.overlapLeads : webhooks.overlapSwitched}</p>
${old_secret_leads && ui.form(context, ui.hookPath(id, '/switch'), ui.button(webhooks.switch))}</div>`
  return html`<h3>${webhooks.secret}</h3><p>${webhooks.secretText}</p>
${isChanging && change}
${ui.folded(
  webhooks.rotate,
  html`<p>${webhooks.rotateKeeps} ${isChanging && webhooks.rotateAsk}</p>
${ui.form(context, ui.hookPath(id, '/rotate'), ui.button(webhooks.rotateSure, 'danger'))}`,
)}`
}

function endings(context: Context, hook: ShownHook, { mistakes = {} }: Sent): Html {
  const { webhooks } = context.texts
  const { id, active } = hook
  const sure = html`<label class="tick"><input type="checkbox" name="sure" value="yes" required>${webhooks.removeCheck(hook.name)}</label>
${mistakes.sure && html`<small class="mistake" role="alert">${mistakes.sure}</small>`}`
  return html`<h3>${webhooks.ending}</h3>
${
  active &&
  ui.folded(
    webhooks.pause,
    html`<p>${webhooks.pauseText}</p>
${ui.form(context, ui.hookPath(id, '/pause'), html`${ui.field({ name: 'reason', label: webhooks.pauseReasonAsk, lengthMax: 500, placeholder: webhooks.pauseExample })}${ui.button(webhooks.pauseSure)}`)}`,
  )
}
${ui.folded(
  webhooks.remove,
  html`<p>${webhooks.removeText}</p>
${ui.form(context, ui.hookPath(id, '/delete'), html`${sure}${ui.button(webhooks.removeSure, 'danger')}`)}`,
  mistakes.sure !== undefined,
)}`
}

export function setUpCards(context: Context, hook: ShownHook, sent: Sent): Html {
  const { webhooks } = context.texts
  const source = webhooks.sources[hook.source as keyof typeof webhooks.sources] ?? hook.source
  return html`<section class="card">${eventsForm(context, hook, sent)}</section>
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
