// What the owner does to a webhook. Each answers with where to go next, or with the page as it is then.

import { ApiError } from '../../errors.ts'
import type { EventType } from '../../model/event_type.ts'
import { SealedSecretError } from '../../model/signing_secret.ts'
import { dismissFailures, redeliver, redeliverFailed } from '../../operations/deliveries.ts'
import {
  deleteHook,
  pauseHook,
  reactivateHook,
  replayHook,
  rotateSecret,
  switchSecret,
  updateHook,
} from '../../operations/hooks.ts'
import type { Context, DashboardPage, Next, ShownHook } from '../context.ts'
import { html } from '../html.ts'
import * as ui from '../parts.ts'
import { webhookPage } from './webhook.ts'
import type { Sent } from './webhook_set_up.ts'
import { chosenTypes, mistakesOf, targetMistake } from './webhooks.ts'

type Outcome = Promise<DashboardPage | Next | null>
/** Runs for a webhook that is there. */
type Run = (context: Context, hook: ShownHook, fields: URLSearchParams) => Outcome

const ofHook =
  (run: Run) =>
  async (context: Context, fields: URLSearchParams): Outcome => {
    const hook = context.hooks.find(({ id }) => id === context.parameters.id)
    return hook ? await run(context, hook, fields) : null
  }

const done = ({ id }: ShownHook, name: string, count = 0, place = '#repair'): Next => ({
  path: ui.hookPath(id, place),
  done: { name, count },
})

const again = (context: Context, sent: Sent): Outcome => webhookPage(context, sent)

export const changeAddress = ofHook(async (context, hook, fields) => {
  const { database, serving } = context
  const target = (fields.get('target_url') ?? '').trim()
  const target_url = targetMistake(context, target)
  if (target_url !== undefined) return await again(context, { target, mistakes: { target_url } })
  const { label } = hook
  const event_types = hook.event_types as EventType[]
  const change = { target_url: target, event_types, label }
  if (!(await updateHook(database, hook.id, change, serving.hookSettings))) return null
  await context.note('hook_changed', hook.id)
  return done(hook, 'address_changed')
})

export const changeEvents = ofHook(async (context, hook, fields) => {
  const { database, serving, texts } = context
  const label = (fields.get('label') ?? '').trim()
  const types = chosenTypes(fields)
  const mistakes = mistakesOf(context, label, types)
  // The form was filled in for another state of it, perhaps in another window.
  if (fields.get('version') !== String(hook.version) && !ui.hasMistakes(mistakes))
    return await again(context, { label, types, mistakes: { types: texts.hookForm.changed } })
  if (ui.hasMistakes(mistakes)) return await again(context, { label, types, mistakes })
  const change = { target_url: hook.target_url, event_types: types, label: label || null }
  if (!(await updateHook(database, hook.id, change, serving.hookSettings))) return null
  await context.note('hook_changed', hook.id)
  return done(hook, 'changed', 0, '')
})

export const sendTest = ofHook(async (context, hook, fields) => {
  try {
    const test = await context.serving.sendTest(hook.id, fields.get('type'))
    return test && (await again(context, { test }))
  } catch (error) {
    if (error instanceof SealedSecretError) return done(hook, 'refused_secret')
    if (error instanceof ApiError) return done(hook, 'refused_type')
    throw error
  }
})

export const reactivate = ofHook(async (context, hook, fields) => {
  const fromHead = fields.get('from') === 'head'
  const reactivated = await reactivateHook(context.database, hook.id, { fromHead })
  if (!reactivated) return done(hook, 'refused_active')
  await context.note('hook_reactivated', hook.id)
  return fromHead
    ? done(hook, 'reactivated_head', reactivated.gapAfter)
    : done(hook, 'reactivated', hook.health.missing)
})

const reasonLengthMax = 500

/** One that failures paused is paused by the owner from then on: nothing asks for the owner. */
export const pause = ofHook(async (context, hook, fields) => {
  const reason = [...(fields.get('reason') ?? '').trim()].slice(0, reasonLengthMax).join('')
  // The form of a paused webhook leaves one that another tab switched on as it is.
  const isPausedOnly = fields.has('rest')
  if (!(await pauseHook(context.database, hook.id, reason.toWellFormed(), { isPausedOnly })))
    return done(hook, 'refused_resumed')
  await context.note('hook_paused', hook.id)
  return done(hook, 'paused')
})

export const replay = ofHook(async (context, hook, fields) => {
  const { webhooks } = context.texts
  // As browsers write it, in UTC.
  const since = new Date(`${fields.get('since') ?? ''}Z`)
  if (!(since.getTime() < Date.now()))
    return await again(context, { mistakes: { since: webhooks.badMoment } })
  try {
    await replayHook(context.database, hook.id, { since })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'not_found') throw error
    return await again(context, { mistakes: { since: webhooks.expiredMoment } })
  }
  await context.note('hook_replayed', hook.id)
  return done(hook, 'replayed')
})

/** One of which the cursor is given, or all that failed; back to the event where it was asked for. */
export const sendAgain = ofHook(async (context, hook, fields) => {
  const { database } = context
  const cursor = Number(fields.get('cursor'))
  const place = fields.get('from') === 'event' ? `/dashboard/events/${cursor}` : null
  if (!fields.has('all') && !Number.isSafeInteger(cursor)) return null
  const results = fields.has('all')
    ? await redeliverFailed(database, hook.id)
    : await redeliver(database, hook.id, [cursor])
  const sent = results.filter(({ state }) => state === 'sent').length
  const [first] = results
  if (sent > 0) await context.note('delivery_sent_again', hook.id)
  const name = sent > 0 || !first ? 'sent_again' : `refused_${first.state}`
  const next = done(hook, name, sent)
  return place === null ? next : { ...next, path: place }
})

export const dismiss = ofHook(async (context, hook) => {
  const count = await dismissFailures(context.database, hook.id)
  if (count === null) return null
  await context.note('hook_dismissed', hook.id)
  return done(hook, 'dismissed', count)
})

export const switchToNew = ofHook(async (context, hook) => {
  if (!(await switchSecret(context.database, hook.id))) return done(hook, 'refused_switched', 0, '')
  await context.note('hook_secret_switched', hook.id)
  return done(hook, 'switched', 0, '')
})

export const rotate = ofHook(async (context, hook) => {
  const { database, serving, texts } = context
  const { webhooks } = texts
  const { secretsKeys } = serving.hookSettings
  const title = webhooks.secretTitle(hook.name)
  if (secretsKeys.length === 0)
    return {
      title,
      area: 'webhooks',
      status: 503,
      content: ui.notice('bad', webhooks.noSecretsKey),
    }
  const secret = await rotateSecret(database, hook.id, secretsKeys, true)
  if (secret === null) return null
  await context.note('hook_secret_rotated', hook.id)
  return {
    title,
    area: 'webhooks',
    isOnce: true,
    content: html`<div class="notice good"><p><strong>${webhooks.once}</strong></p></div>
${ui.copyable(context, secret, webhooks.secret)}
<p>${webhooks.rotateNext}</p>
<div class="actions"><a href="${ui.hookPath(hook.id)}" class="button primary" data-seen>${webhooks.onceDone}</a></div>`,
  }
})

/** With a box ticked: a click alone ends nothing for good. */
export const remove = ofHook(async (context, hook, fields) => {
  const { webhooks } = context.texts
  if (fields.get('sure') !== 'yes')
    return await again(context, { mistakes: { sure: webhooks.removeUnsure } })
  await deleteHook(context.database, hook.id)
  await context.note('hook_deleted', hook.id, hook.name)
  return { path: '/dashboard/webhooks', done: { name: 'removed' } }
})
