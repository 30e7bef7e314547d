// How a webhook fares, as several pages show it.
import { failureReason, type HookState, needsOwner } from '../model/hook_health.ts'
import { targetHost } from '../model/target_url.ts'
import { countMax } from '../operations/deliveries.ts'
import type { Context, Reader, ShownHook } from './context.ts'
import { type Html, html } from './html.ts'
import { countUpTo, form, hookPath, plainExcerpt, state, table } from './parts.ts'
import { when } from './times.ts'

export const tones = {
  paused: 'bad',
  failing: 'bad',
  incomplete: 'warn',
  retrying: 'warn',
  behind: 'warn',
  pausedByOwner: 'calm',
  new: 'calm',
  well: 'good',
} as const satisfies Record<HookState, string>

/** The address and the test of such a one stand in its card. */
export const isUnderRepair = ({ health }: Pick<ShownHook, 'health'>): boolean =>
  ['paused', 'pausedByOwner', 'failing', 'retrying'].includes(health.state)

type Ended = { status: number | null; error_class: string | null }

/** What came of an attempt, in a few words. */
export function shortAnswer({ texts }: Reader, { status, error_class }: Ended): string {
  const reason = failureReason(status, error_class)
  const said = [status, reason && texts.shortReasons[reason]]
  return said.filter(one => one !== null).join(': ') || '–'
}

/** For an owner who is no developer; null: it was accepted. */
export function reasonText({ texts }: Reader, { status, error_class }: Ended): string | null {
  const reason = failureReason(status, error_class)
  if (reason === null) return null
  const text = texts.reasons[reason]
  return status === null ? text : `${texts.answered(status)} ${text}`
}

const excerptMax = 300

/** What a receiver said. */
export const quoted = (excerpt: string | null): Html | false => {
  const text = plainExcerpt(excerpt ?? '').slice(0, excerptMax)
  return text !== '' && html`<br><q>${text}</q>`
}

/** A form that does something to a webhook. */
export const hookForm = (
  context: Pick<Context, 'csrf'>,
  { id }: Pick<ShownHook, 'id'>,
  action: string,
  content: Html,
  kind = '',
): Html => form(context, hookPath(id, `/${action}`), content, kind)

function stateAndReason(reader: Reader, { health }: ShownHook): Html {
  const { shortReasons, webhooks } = reader.texts
  const { state: named, reason, since } = health
  return html`${state(tones[named], webhooks.states[named])}${reason !== null && html` <span class="muted">${shortReasons[reason]}</span>`}${since !== null && html` <small class="muted">${when(reader, since)}</small>`}`
}

export const missingPart = (reader: Reader, { health }: ShownHook, max = countMax): string =>
  health.missing === 0 ? '–' : countUpTo(reader, health.missing, max)

// Each page counts what is missing: enough for a list.
export const countedMax = 100

/** Webhooks, with what mends each. */
export function hookTable(reader: Reader, hooks: readonly ShownHook[], none = ''): Html {
  const { texts } = reader
  const { webhooks } = texts
  const name = ({ id, name, target_url }: ShownHook) =>
    html`<a href="${hookPath(id)}">${name}</a><br><small class="muted">${targetHost(target_url)}</small>`
  const repair = ({ id, name, health }: ShownHook) =>
    needsOwner(health) &&
    html`<a href="${hookPath(id, '#repair')}" aria-label="${webhooks.repair}: ${name}">${webhooks.repair}</a>`
  return table<ShownHook>(
    texts.pages.webhooks,
    hooks,
    [
      [webhooks.name, name, 'head'],
      [texts.state, hook => stateAndReason(reader, hook)],
      [webhooks.last, hook => when(reader, hook.delivered_at), 'named'],
      [webhooks.missing, hook => missingPart(reader, hook, countedMax), 'number'],
      [texts.action, repair, 'act'],
    ],
    none,
  )
}
