// Whether all is well, and if not, with which webhook: what waits for the owner first, then what goes on by itself.
import {
  countMax,
  type getOverview,
  type HookBehind,
  type HookName,
  isWorkerMissing,
} from '../../operations/overview.ts'
import { inTrouble, shortened, stoppedText } from '../banner.ts'
import type { Context } from '../context.ts'
import { hookPath, pausedBy } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import { hasActiveHook, needingOwner, unseenText } from '../layout.ts'
import { countText, nameOf, toTheMinute } from '../parts.ts'

export type Overview = Awaited<ReturnType<typeof getOverview>>

const shortName = ({ texts }: Context, hook: HookName): string => shortened(nameOf(texts, hook))

export const link = (context: Context, hook: HookName): Html =>
  html`<a href="${hookPath(hook.id)}">${shortName(context, hook)}</a>`

function needingLine(context: Context, hook: HookName): Html {
  const { overview } = context.texts
  const { active, consecutive_failures, failing_since, paused_at, has_missed, has_expired } = hook
  const isOpen = active && consecutive_failures === 0
  const open = html`${has_missed && overview.missed} ${has_expired && overview.expired}`
  const trouble = html`${active ? overview.failing : overview.paused} ${toTheMinute(context, active ? failing_since : paused_at)}`
  return html`<li>${link(context, hook)}: ${isOpen ? open : trouble}</li>\n`
}

/** A receiver that refuses does answer. */
function behindText(context: Context, hook: HookName, behind: HookBehind): Html {
  const { overview } = context.texts
  const say = hook.is_retrying ? overview.behindRetrying : overview.behind
  const text = countText(context, say, behind.pending, countMax)
  return html`${text} ${toTheMinute(context, behind.due_since)}`
}

/** Active webhooks that get nothing at the moment, or only late; the others in trouble are named already. */
function stalledLines(context: Context, late: readonly HookBehind[]): [HookName, Html][] {
  const troubled = new Set(inTrouble(context))
  return context.hooks
    .filter(hook => hook.active && !troubled.has(hook))
    .flatMap((hook): [HookName, Html][] => {
      const behind = late.find(({ id }) => id === hook.id)
      if (!behind && !hook.is_retrying) return []
      const text = behind ? behindText(context, hook, behind) : context.texts.overview.retrying
      return [[hook, html`<li>${link(context, hook)}: ${text}</li>\n`]]
    })
}

export const pausedByOwnerCount = ({ hooks }: Context): number =>
  hooks.filter(hook => pausedBy(hook) === 'owner').length

/** Without a problem: that no worker runs, that all is well, or what the owner paused and what catches up. */
function noTrouble(context: Context): Html {
  const { overview } = context.texts
  const { hooks } = context
  if (hooks.length === 0) return html``
  if (context.worker !== 'works' && hasActiveHook(context))
    return html`<p class="notice warn">${unseenText(context)}</p>`
  const byOwner = pausedByOwnerCount(context)
  const catchingUp = hooks.filter(hook => hook.active && hook.is_catching_up).length
  return byOwner + catchingUp === 0
    ? html`<p class="notice good"><strong>${overview.well}</strong> ${overview.wellText}</p>`
    : html`<p class="notice calm"><strong>${overview.calm}</strong> ${catchingUp > 0 && overview.catchingUp(catchingUp)} ${byOwner > 0 && overview.byOwner(byOwner)}</p>`
}

function group(context: Context, title: string, lines: Html[], kind: string, first?: HookName) {
  const { overview } = context.texts
  return html`<div class="notice ${kind}"><p><strong>${title}</strong></p>
<ul>
${lines}</ul>
${first && html`<div class="actions"><a class="button primary" href="${hookPath(first.id)}">${overview.repair(shortName(context, first))}</a></div>`}</div>`
}

export function verdict(context: Context, found: Overview, late: readonly HookBehind[]): Html {
  const { overview } = context.texts
  const needing = needingOwner(context)
  const stalled = stalledLines(context, late)
  const idle = isWorkerMissing(found) && html`<p class="notice bad">${stoppedText(context)}</p>`
  if (needing.length + stalled.length === 0) return idle || noTrouble(context)
  const kind = inTrouble(context).length > 0 ? 'bad' : 'warn'
  const needs = () =>
    group(
      context,
      overview.trouble(needing.length),
      needing.map(hook => needingLine(context, hook)),
      kind,
      needing[0],
    )
  const stalls = () =>
    group(
      context,
      overview.stalled(stalled.length),
      stalled.map(([, line]) => line),
      'warn',
      // One button in a view leads on.
      needing.length === 0 ? stalled[0]?.[0] : undefined,
    )
  return html`${idle}${needing.length > 0 && needs()}${stalled.length > 0 && stalls()}`
}
