// How a webhook fares, as several pages show it.
import { type FailureReason, failureReason, type HookState } from '../model/hook_health.ts'
import { countMax } from '../operations/deliveries.ts'
import type { ShownHook, Visit } from './context.ts'
import { type Html, html } from './html.ts'
import { countUpTo, state } from './parts.ts'
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

export const stateAndReason = (reader: Reader, hook: ShownHook): Html => {
  const { reason, since } = hook.health
  const short = shortReason(reader, reason)
  return html`${statePart(reader, hook)}${short !== null && html` <span class="muted">${short}</span>`}${since !== null && html` <small class="muted">${when(reader, since)}</small>`}`
}

export const missingPart = (reader: Reader, { health }: ShownHook, max = countMax): string =>
  health.missing === 0 ? '–' : countUpTo(reader, health.missing, max)
