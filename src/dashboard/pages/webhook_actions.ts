// What the owner does to a webhook. Each answers with where to go next, or with the page as it is then.
import { ApiError } from '../../errors.ts'
import type { EventType } from '../../model/event_type.ts'
import { pauseReasonLengthMax } from '../../model/hook.ts'
import { SealedSecretError } from '../../model/signing_secret.ts'
import { dismissFailures, redeliver } from '../../operations/deliveries.ts'
import * as operations from '../../operations/hooks.ts'
import type { Act, Context, Next, ShownHook } from '../context.ts'
import { html } from '../html.ts'
import * as ui from '../parts.ts'
import { webhookPage } from './webhook.ts'
import { chosenTypes, mistakesOf, targetMistake } from './webhooks.ts'

/** Runs for a webhook that is there. */
type Run = (context: Context, hook: ShownHook, fields: URLSearchParams) => ReturnType<Act>

const ofHook =
  (run: Run): Act =>
  async (context, fields) => {
    const hook = context.hooks.find(({ id }) => id === context.parameters.id)
    return hook ? await run(context, hook, fields) : null
  }

const done = ({ id }: ShownHook, name: string, count = 0, place = '#repair'): Next => ({
  path: ui.hookPath(id, place),
  done: { name, count },
})

async function change(
  { database, serving }: Context,
  hook: ShownHook,
  changed: Partial<operations.HookChange>,
): Promise<boolean> {
  const { target_url, label } = hook
  const event_types = hook.event_types as EventType[]
  const all = { target_url, label, event_types, ...changed }
  return await operations.updateHook(database, hook.id, all, serving.hookSettings)
}

export const changeAddress = ofHook(async (context, hook, fields) => {
  const target = (fields.get('target_url') ?? '').trim()
  const target_url = targetMistake(context, target)
  if (target_url !== undefined)
    return await webhookPage(context, { target, mistakes: { target_url } })
  return (await change(context, hook, { target_url: target }))
    ? done(hook, 'address_changed')
    : null
})

export const changeEvents = ofHook(async (context, hook, fields) => {
  const label = (fields.get('label') ?? '').trim()
  const types = chosenTypes(fields)
  const mistakes = mistakesOf(context, label, types)
  // The form was filled in for another state of it, perhaps in another window.
  if (fields.get('version') !== String(hook.version) && !ui.hasMistakes(mistakes))
    mistakes.types = context.texts.hookForm.changed
  if (ui.hasMistakes(mistakes)) return await webhookPage(context, { label, types, mistakes })
  const changed = { event_types: types, label: label || null }
  return (await change(context, hook, changed)) ? done(hook, 'changed', 0, '') : null
})

export const sendTest = ofHook(async (context, hook, fields) => {
  try {
    const { database, serving } = context
    const type = fields.get('type')
    const test = await operations.sendTestEvent(database, serving.hookSettings, hook.id, type)
    return test && (await webhookPage(context, { test }))
  } catch (error) {
    if (error instanceof SealedSecretError) return done(hook, 'refused_secret')
    if (error instanceof ApiError) return done(hook, 'refused_type')
    throw error
  }
})

/** All that is missing follows, what had failed for good as well; or nothing of it. */
export const reactivate = ofHook(async ({ database }, hook, fields) => {
  const fromHead = fields.get('from') === 'head'
  const reactivated = await operations.reactivateHook(database, hook.id, { fromHead })
  if (!reactivated) return done(hook, 'refused_active')
  if (fromHead) return done(hook, 'reactivated_head', reactivated.gapAfter)
  await redeliver(database, hook.id, null)
  return done(hook, 'reactivated', hook.health.missing)
})

/** One that failures paused is paused by the owner from then on: nothing asks for the owner. */
export const pause = ofHook(async ({ database }, hook, fields) => {
  const reason = [...(fields.get('reason') ?? '').trim()].slice(0, pauseReasonLengthMax).join('')
  const isPaused = await operations.pauseHook(database, hook.id, reason.toWellFormed())
  return isPaused ? done(hook, 'paused') : null
})

export const replay = ofHook(async (context, hook, fields) => {
  const { webhooks } = context.texts
  // As browsers write it, in UTC.
  const since = new Date(`${fields.get('since') ?? ''}Z`)
  if (!operations.isPast(since))
    return await webhookPage(context, { mistakes: { since: webhooks.badMoment } })
  try {
    await operations.replayHook(context.database, hook.id, { since })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'not_found') throw error
    return await webhookPage(context, { mistakes: { since: webhooks.expiredMoment } })
  }
  return done(hook, 'replayed')
})

/** One of which the cursor is given, or all that failed; back to the event where it was asked for. */
export const sendAgain = ofHook(async ({ database }, hook, fields) => {
  const cursor = Number(fields.get('cursor'))
  if (!fields.has('all') && !Number.isSafeInteger(cursor)) return null
  const results = await redeliver(database, hook.id, fields.has('all') ? null : cursor)
  const sent = results.filter(({ state }) => state === 'sent').length
  const [first] = results
  const next = done(hook, sent > 0 || !first ? 'sent_again' : `refused_${first.state}`, sent)
  return fields.get('from') === 'event' ? { ...next, path: `/dashboard/events/${cursor}` } : next
})

export const dismiss = ofHook(async ({ database }, hook) => {
  const count = await dismissFailures(database, hook.id)
  return count === null ? null : done(hook, 'dismissed', count)
})

export const switchToNew = ofHook(async ({ database }, hook) => {
  const isSwitched = await operations.switchSecret(database, hook.id)
  return done(hook, isSwitched ? 'switched' : 'refused_switched', 0, '')
})

export const rotate = ofHook(async (context, hook) => {
  const { database, serving, texts } = context
  const { webhooks } = texts
  const { secretsKeys } = serving.hookSettings
  const title = webhooks.secretTitle(hook.name)
  if (secretsKeys.length === 0) return done(hook, 'refused_keys')
  const secret = await operations.rotateSecret(database, hook.id, secretsKeys, true)
  if (secret === null) return null
  return ui.shownOnce(context, [webhooks.secret, secret], {
    title,
    area: 'webhooks',
    said: html`<p><strong>${webhooks.once}</strong></p>`,
    more: html`<p>${webhooks.rotateNext}</p>`,
    actions: html`<a href="${ui.hookPath(hook.id)}" class="button primary" data-seen>${webhooks.onceDone}</a>`,
  })
})

/** With a box ticked: a click alone ends nothing for good. */
export const remove = ofHook(async (context, hook, fields) => {
  const { removeUnsure } = context.texts.webhooks
  if (fields.get('sure') !== 'yes')
    return await webhookPage(context, { mistakes: { sure: removeUnsure } })
  await operations.deleteHook(context.database, hook.id)
  return { path: '/dashboard/webhooks', done: { name: 'removed' } }
})
