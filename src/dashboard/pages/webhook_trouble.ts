// What is wrong with a webhook: since when, why, what it did not get, and the buttons that mend it.

import { countMax, type HookReport } from '../../operations/overview.ts'
import type { Context } from '../context.ts'
import { hookPath, pausedBy } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import {
  button,
  countText,
  countUpTo,
  facts,
  form,
  plainExcerpt,
  reason,
  toTheMinute,
} from '../parts.ts'
import { hookState, lacking, missedCount } from './webhooks.ts'

const excerptMax = 200

function why(context: Context, hook: HookReport): Html | false {
  const { texts } = context
  if (!hook.failure_at) return false
  const excerpt = plainExcerpt(hook.failure_excerpt ?? '').slice(0, excerptMax)
  return html`${reason(texts, hook.failure_status, hook.failure_class)}
${excerpt !== '' && html`<br><q>${excerpt}</q>`}
<a href="${hookPath(hook.id, `/deliveries/${hook.failure_cursor}`)}">${texts.webhooks.lookAtIt}</a>`
}

function causes(context: Context, hook: HookReport): Html {
  const { webhooks } = context.texts
  const isFailing = hook.consecutive_failures > 0 && hook.failing_since !== null
  const { pause_reason } = hook
  const byOwner = pausedBy(hook) === 'owner'
  const found = why(context, hook)
  return facts([
    isFailing && [webhooks.failingSince, toTheMinute(context, hook.failing_since)],
    !hook.active && [webhooks.pausedSince, toTheMinute(context, hook.paused_at)],
    pause_reason !== null && pause_reason !== '' && [webhooks.byOwnerReason, pause_reason, 'wide'],
    // What the owner paused did not stop because of it.
    found !== false && [byOwner ? webhooks.lastFailure : webhooks.why, found, 'wide'],
  ])
}

const expiredLine = (context: Context, { expired }: HookReport): Html | false =>
  expired > 0 && html`<p>${countText(context, context.texts.webhooks.expired, expired)}</p>`

/** What keeps a webhook that is gone for good from asking for the owner for ever. */
const restForm = (context: Context, hook: HookReport): Html | false => {
  const { webhooks } = context.texts
  const content = html`<input type="hidden" name="rest" value="yes">${button(webhooks.keepPaused)}`
  return pausedBy(hook) === 'failures' && form(context, hookPath(hook.id, '/pause'), content)
}

/** What becomes of what waits when nothing of it is delivered. */
function withoutDelivering(context: Context, hook: HookReport): Html | false {
  const { webhooks } = context.texts
  const untried = (hook.untried ?? 0) + (hook.catching_up ?? 0)
  if (untried + hook.waiting === 0) return false
  return html`<p class="muted">${webhooks.reactivateText}
${untried > 0 && countText(context, webhooks.reactivateUntried, untried, countMax)}
${hook.waiting > 0 && countText(context, webhooks.reactivateWaiting, hook.waiting, countMax)}
${webhooks.reactivateLater}</p>`
}

function paused(context: Context, hook: HookReport): Html {
  const { webhooks } = context.texts
  const count = lacking(hook)
  const isByOwner = pausedBy(hook) === 'owner'
  const title = isByOwner ? webhooks.byOwnerTitle : webhooks.pausedTitle
  const text = isByOwner ? webhooks.byOwnerText : webhooks.pausedText
  return html`<section class="notice ${isByOwner ? 'calm' : 'bad'}"><h2>${title}</h2>
<p>${text} ${count > 0 && countText(context, webhooks.undelivered, count, countMax)}</p>
${expiredLine(context, hook)}${causes(context, hook)}
<div class="actions">
${form(context, hookPath(hook.id, '/reactivate-deliver'), button(webhooks.reactivateMissed, 'primary'))}
${form(context, hookPath(hook.id, '/reactivate'), button(webhooks.reactivate))}
${restForm(context, hook)}
</div>
${withoutDelivering(context, hook)}</section>`
}

/** What does not arrive by itself any more, until it is sent again or dismissed. */
function missed(context: Context, hook: HookReport): Html | false {
  const { webhooks } = context.texts
  const count = missedCount(hook)
  if (count === 0) return false
  const { failures } = hook
  const sendable = failures + hook.missed > 0
  const deliver = button(hook.missed === 0 ? webhooks.sendAll : webhooks.deliverMissed, 'primary')
  return html`
${failures > 0 && html`<p>${countText(context, webhooks.failures, failures, countMax)}</p>`}
${hook.missed > 0 && html`<p>${countText(context, webhooks.missed, hook.missed)}</p>`}
${expiredLine(context, hook)}
${sendable && html`<div class="actions">${form(context, hookPath(hook.id, '/deliver-missed'), deliver)}</div>`}
<details><summary>${webhooks.dismiss}</summary>
<p>${countText(context, webhooks.dismissAsk, count, countMax)} ${webhooks.dismissText}</p>
${form(
  context,
  hookPath(hook.id, '/dismiss'),
  html`<input type="hidden" name="shown" value="${count}">${button(webhooks.dismissSure, 'danger')}`,
)}</details>`
}

function active(context: Context, hook: HookReport): Html | false {
  const { webhooks } = context.texts
  const notice = (tone: string, title: string, text: string) =>
    html`<section class="notice ${tone}"><h2>${title}</h2><p>${text}</p>${causes(context, hook)}${missed(context, hook)}${tone === 'bad' && html`<p class="muted">${webhooks.repaired}</p>`}</section>`
  const state = hookState(hook)
  if (state === 'failing')
    return notice('bad', webhooks.failingTitle, webhooks.failingText(hook.consecutive_failures))
  if (state === 'retrying') return notice('warn', webhooks.retryingTitle, webhooks.retryingText)
  if (state === 'behind') return notice('warn', webhooks.behindTitle, webhooks.behindText)
  const left = missed(context, hook)
  const { failure_at, delivered_at } = hook
  const isLast = failure_at !== null && (!delivered_at || failure_at > delivered_at)
  return (
    left && html`<section class="notice warn">${isLast && causes(context, hook)}${left}</section>`
  )
}

function catchingUp(context: Context, hook: HookReport): Html | false {
  const { catching_up_of: all, catching_up: left } = hook
  if (all === 0 || left === null) return false
  const shown = context.texts.webhooks.catchingUp(
    countUpTo(context, left, countMax),
    countUpTo(context, all, Number.POSITIVE_INFINITY),
  )
  if (context.worker !== 'works')
    return html`<p class="notice warn" role="status">${shown} ${context.texts.found.stalledIdle}</p>`
  // Without a value it says that something is going on: how far is not known where the count stopped.
  const value = left < countMax && html` value="${all - left}"`
  return html`<section class="notice calm"><p id="catching-up" role="status">${shown}</p>
<progress aria-labelledby="catching-up"${value} max="${all}"></progress></section>`
}

export const trouble = (context: Context, hook: HookReport): Html =>
  hook.active ? html`${active(context, hook)}${catchingUp(context, hook)}` : paused(context, hook)
