// How a webhook fares, as several pages show it.
import {
  type FailureReason,
  failureReason,
  type HookState,
  needsOwner,
} from '../model/hook_health.ts'
import { targetHost } from '../model/target_url.ts'
import { countMax } from '../operations/deliveries.ts'
import type { Context, ShownHook, Visit } from './context.ts'
import { type Html, html } from './html.ts'
import { countUpTo, form, hookPath, plainExcerpt, state, table } from './parts.ts'
import { when } from './times.ts'

type Reader = Pick<Visit, 'texts'>

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

const statePart = ({ texts }: Reader, { health }: ShownHook): Html =>
  state(tones[health.state], texts.webhooks.states[health.state])

/** In a few words, next to the state. */
const shortReason = ({ texts }: Reader, reason: FailureReason | null): string | null =>
  reason === null ? null : texts.shortReasons[reason]

/** The same of one attempt. */
export function shortAnswer(
  reader: Reader,
  status: number | null,
  errorClass: string | null,
): string {
  const short = shortReason(reader, failureReason(status, errorClass))
  if (status === null) return short ?? '–'
  return short === null ? String(status) : `${status}: ${short}`
}

/** For an owner who is no developer; null: it was accepted. */
export function reasonText(
  { texts }: Reader,
  status: number | null,
  errorClass: string | null,
): string | null {
  const reason = failureReason(status, errorClass)
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

const stateAndReason = (reader: Reader, hook: ShownHook): Html => {
  const { reason, since } = hook.health
  const short = shortReason(reader, reason)
  return html`${statePart(reader, hook)}${short !== null && html` <span class="muted">${short}</span>`}${since !== null && html` <small class="muted">${when(reader, since)}</small>`}`
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
