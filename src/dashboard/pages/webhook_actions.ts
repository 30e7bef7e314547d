// What the owner does to a webhook. Each answers with where to go next; a new secret with the page that shows it once.

import {
  deliverMissed,
  dismissUpTo,
  getDelivery,
  redeliver,
  sendTestEvent,
} from '../../operations/deliveries.ts'
import { redeliverFound } from '../../operations/found_deliveries.ts'
import {
  deleteHook,
  pauseHook,
  reactivateHook,
  rotateSecret,
  switchSecret,
} from '../../operations/hooks.ts'
import { countMax, getHookReport } from '../../operations/overview.ts'
import { readPlainInteger } from '../../operations/parameters.ts'
import type { Context, Next, Page } from '../context.ts'
import { hookOf, hookPath } from '../hooks.ts'
import { html } from '../html.ts'
import { button, copyable, form, mistakeNotice, nameOf } from '../parts.ts'
import { filterOf, isFiltered, queryOf, readAsked } from './delivery_filter.ts'
import { lacking } from './webhooks.ts'

const idOf = ({ parameters }: Context) => parameters.id ?? ''
/** One that is gone has no page: the list says so. */
const done = (id: string, name: string, count = 0, action = ''): Next => ({
  path: name === 'refused_gone' ? '/dashboard/webhooks' : hookPath(id, action),
  done: { name, count },
})

/** Why nothing can be sent. Null: something can. */
function notReadyReason(context: Context, id: string): string | null {
  const hook = hookOf(context, id)
  if (!hook) return 'refused_gone'
  return hook.active ? null : 'refused_paused'
}

export async function deliver(context: Context): Promise<Next> {
  const id = idOf(context)
  const count = await deliverMissed(context.database, id)
  if (count === null) return done(id, notReadyReason(context, id) ?? 'refused_paused')
  await context.note('hook_caught_up', id)
  return done(id, 'missed', count)
}

/** No more than the page asked about, unless it had stopped counting. */
export async function dismiss(context: Context, fields: URLSearchParams): Promise<Next> {
  const id = idOf(context)
  const shown = readPlainInteger(fields.get('shown') ?? '') ?? 0
  const most = shown < countMax ? shown : null
  const [found] = await dismissUpTo(context.database, id, most)
  if (!found) return done(id, 'refused_gone')
  if (found.deliveries === null) return done(id, 'refused_more', found.missed)
  // Sending a test event is not noted either.
  if (fields.has('tests') && found.deliveries === 0) return done(id, 'dismissed_tests')
  await context.note('hook_dismissed', id)
  return done(id, 'dismissed', found.deliveries)
}

export async function reactivate(context: Context): Promise<Next> {
  const id = idOf(context)
  if (!(await reactivateHook(context.database, id)))
    return done(id, hookOf(context, id) ? 'refused_active' : 'refused_gone')
  await context.note('hook_reactivated', id)
  const report = await getHookReport(context.database, id)
  return done(id, 'reactivated', report ? report.failures + report.missed : 0)
}

/** The two clicks of a repair end here: on, and all that was missed on its way. */
export async function reactivateAndDeliver(context: Context): Promise<Next> {
  const id = idOf(context)
  const before = await getHookReport(context.database, id)
  // Where it was not paused any more, it may not have got what it missed.
  if (!(await reactivateHook(context.database, id, { deliverMissed: true })))
    return await deliver(context)
  await context.note('hook_reactivated_delivering', id)
  return done(id, before && lacking(before) > 0 ? 'caught_up' : 'reactivated')
}

const reasonLengthMax = 500

/** One that failures paused is paused by the owner from then on: no banner asks for the owner. */
export async function pause(context: Context, fields: URLSearchParams): Promise<Next> {
  const id = idOf(context)
  const reason = [...(fields.get('reason') ?? '').trim()].slice(0, reasonLengthMax).join('')
  // The form of a paused webhook leaves one that another tab switched on as it is.
  const isPausedOnly = fields.has('rest')
  if (!(await pauseHook(context.database, id, reason.toWellFormed(), { isPausedOnly })))
    return done(id, hookOf(context, id) ? 'refused_resumed' : 'refused_gone')
  await context.note('hook_paused', id)
  return done(id, 'paused')
}

/** As a person reads and types it: a page shows any white space as one space. */
const plain = (name: string): string => name.normalize('NFKC').replace(/\s+/gu, ' ').trim()

// A phone writes a capital where a field begins.
const isSame = (typed: string, name: string): boolean =>
  plain(typed).toLowerCase() === plain(name).toLowerCase()

// Typing more is no safer, and on a phone a name of two lines is rarely typed without a mistake.
const typedMax = 40

/** What has to be typed of a name: all of it, of a long one its first words. */
function typedOf(name: string): string {
  const characters = [...plain(name)]
  if (characters.length <= typedMax) return name
  const start = characters.slice(0, typedMax).join('')
  const words = start.replace(/ [^ ]*$/, '')
  return [...words].length > typedMax / 2 ? words : start.trim()
}

function removalPage(context: Context, id: string, mistake?: string): Page | null {
  const { webhooks } = context.texts
  const hook = hookOf(context, id)
  if (!hook) return null
  const name = nameOf(context.texts, hook)
  const typed = typedOf(name)
  const ask = typed === name ? webhooks.removeName : webhooks.removeStart
  return {
    title: webhooks.removeTitle(name),
    area: 'webhooks',
    status: mistake ? 400 : 200,
    trail: { path: hookPath(id), text: name },
    content: html`<p class="notice bad">${webhooks.removeText}</p>
${mistakeNotice(mistake)}
${form(
  context,
  hookPath(id, '/delete'),
  html`<label>${ask(typed)}
<input name="name" required autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<div class="actions">${button(webhooks.removeSure, 'danger')}<a href="${hookPath(id)}">${context.texts.hookForm.cancel}</a></div>`,
)}`,
  }
}

export const removePage = async (context: Context): Promise<Page | null> =>
  removalPage(context, idOf(context))

/** With its name typed: a click alone ends nothing for good. */
export async function remove(
  context: Context,
  fields: URLSearchParams,
): Promise<Page | Next | null> {
  const { texts, database } = context
  const id = idOf(context)
  const hook = hookOf(context, id)
  if (!hook) return null
  const name = nameOf(texts, hook)
  const typed = fields.get('name') ?? ''
  if (!isSame(typed, name) && !isSame(typed, typedOf(name)))
    return removalPage(context, id, texts.webhooks.removeWrong)
  await deleteHook(database, id)
  await context.note('hook_deleted', id, name)
  return { path: '/dashboard/webhooks', done: { name: 'removed' } }
}

export async function sendTest(context: Context, fields: URLSearchParams): Promise<Next> {
  const id = idOf(context)
  const cursor = await sendTestEvent(context.database, id, fields.get('type'))
  return cursor === null
    ? done(id, notReadyReason(context, id) ?? 'refused_type')
    : done(id, 'tested', 0, `/deliveries/${cursor}`)
}

export async function switchToNew(context: Context): Promise<Next> {
  const id = idOf(context)
  if (!(await switchSecret(context.database, id)))
    return done(id, hookOf(context, id) ? 'refused_switched' : 'refused_gone')
  await context.note('hook_secret_switched', id)
  return done(id, 'switched')
}

export async function rotate(context: Context): Promise<Page | null> {
  const { database, serving, texts } = context
  const { webhooks } = texts
  const { secretsKeys } = serving.hookSettings
  const id = idOf(context)
  const hook = hookOf(context, id)
  const title = hook ? webhooks.secretTitle(nameOf(texts, hook)) : webhooks.secret
  if (secretsKeys.length === 0)
    return { title, status: 503, content: html`<p class="notice bad">${webhooks.noSecretsKey}</p>` }
  const secret = await rotateSecret(database, id, secretsKeys, true)
  if (secret === null) return null
  await context.note('hook_secret_rotated', id)
  return {
    title,
    area: 'webhooks',
    isOnce: true,
    content: html`<div class="notice good"><p><strong>${webhooks.once}</strong></p></div>
${copyable(context, secret, webhooks.secret)}
<p>${webhooks.rotateNext}</p>
<div class="actions"><a href="${hookPath(id)}" class="button primary" data-seen>${webhooks.onceDone}</a></div>`,
  }
}

/** Also what the webhook never was to get, of the types it lists. Null: there is no such event. */
export async function sendAgain(context: Context): Promise<Next | null> {
  const { database, parameters } = context
  const id = idOf(context)
  const cursor = Number(parameters.cursor)
  const path = `/deliveries/${cursor}`
  if (!(await redeliver(database, id, cursor))) {
    const found = await getDelivery(database, id, cursor)
    if (!found) return null
    const why = found.event === null ? 'refused_event' : 'refused_sending'
    return done(id, notReadyReason(context, id) ?? why, 0, path)
  }
  await context.note('delivery_sent_again', id)
  return done(id, 'redelivered', 0, path)
}

/** Sends again what a filter shows, and nothing without one. */
export async function sendFoundAgain(context: Context, fields: URLSearchParams): Promise<Next> {
  const { database } = context
  const id = idOf(context)
  const asked = readAsked(fields)
  const refused = notReadyReason(context, id)
  if (refused) return done(id, refused)
  const state = asked.state === 'all' ? null : asked.state
  const count = isFiltered(asked) ? await redeliverFound(database, id, filterOf(asked), state) : 0
  if (count > 0) await context.note('delivery_sent_again', id)
  return done(id, 'found_again', count, `?${queryOf(asked)}`)
}
