// How a webhook subscription fares, why, and what the owner does next: codes for every page, command and notice.
import type { FailureReason } from './failure_names.ts'

export type HookState =
  /** After ten final failures in a row. */
  | 'paused'
  | 'pausedByOwner'
  | 'failing'
  /** What was tried last is tried again by itself. */
  | 'retrying'
  /** Events have waited for longer than a minute. */
  | 'behind'
  /** All goes well now, but something failed for good, or expired. */
  | 'incomplete'
  | 'new'
  | 'well'

/** What mends it: the address, the receiver itself, or a button here. */
type NextStep = 'address' | 'receiver' | 'reactivate' | 'send_again' | 'wait'

export type Reported = {
  active: boolean
  pause_reason: string | null
  paused_at: string | null
  consecutive_failures: number
  failing_since: string | null
  waiting: number
  failed: number
  behind: number
  behind_since: string | null
  missed_to: number | null
  delivered_at: string | null
  status: number | null
  error_class: string | null
}

export type HookHealth = {
  state: HookState
  /** Of the last attempt; null: it was accepted, or there was none. */
  reason: FailureReason | null
  next: NextStep | null
  /** When the state began; null: it has no beginning that is known. */
  since: string | null
  /** Events that did not arrive so far. */
  missing: number
}

const reasonsByStatus: Record<number, FailureReason> = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'not_found',
  410: 'gone',
  429: 'overloaded',
}

/** Null: it was accepted. */
export function failureReason(
  status: number | null,
  errorClass: string | null,
): FailureReason | null {
  if (errorClass === null) return null
  if (errorClass !== 'status' || status === null) return errorClass as FailureReason
  const family = status >= 500 ? 'server_error' : status >= 400 ? 'rejected' : 'redirect'
  return reasonsByStatus[status] ?? family
}

const aboutAddress: readonly (FailureReason | null)[] = [
  'dns',
  'blocked',
  'redirect',
  'not_found',
  'gone',
]

const behindMs = 60_000
// Positions are stored every ten seconds while attempts end: what is newer is on its way.
export const onItsWayMs = 15_000

const isBehind = ({ behind_since }: Reported, now: number, ms: number): boolean =>
  behind_since !== null && now - Date.parse(behind_since) > ms

function stateOf(hook: Reported, now: number): HookState {
  if (!hook.active) return hook.pause_reason === null ? 'paused' : 'pausedByOwner'
  if (hook.consecutive_failures > 0) return 'failing'
  if (hook.waiting > 0 && hook.error_class !== null) return 'retrying'
  if (isBehind(hook, now, behindMs)) return 'behind'
  if (hook.failed > 0 || hook.missed_to !== null) return 'incomplete'
  return hook.delivered_at === null ? 'new' : 'well'
}

const since = (hook: Reported): Partial<Record<HookState, string | null>> => ({
  paused: hook.paused_at,
  pausedByOwner: hook.paused_at,
  failing: hook.failing_since,
  behind: hook.behind_since,
})

function nextOf(state: HookState, reason: FailureReason | null, failed: number): NextStep | null {
  if (state === 'pausedByOwner') return 'reactivate'
  if (state === 'incomplete') return failed > 0 ? 'send_again' : null
  if (state === 'well' || state === 'new') return null
  if (aboutAddress.includes(reason)) return 'address'
  if (state === 'retrying' || state === 'behind') return 'wait'
  return reason === null ? 'reactivate' : 'receiver'
}

// What failed before such a state began is no reason of it.
const withoutReason: readonly HookState[] = ['new', 'well', 'behind']

export function healthOf(hook: Reported, now = Date.now()): HookHealth {
  const state = stateOf(hook, now)
  const failure = failureReason(hook.status, hook.error_class)
  const reason = withoutReason.includes(state) ? null : failure
  const isOnItsWay = hook.active && !isBehind(hook, now, onItsWayMs)
  return {
    state,
    reason,
    next: nextOf(state, reason, hook.failed),
    since: since(hook)[state] ?? null,
    missing: hook.waiting + hook.failed + (isOnItsWay ? 0 : hook.behind),
  }
}

const urgency: readonly HookState[] = ['paused', 'failing', 'incomplete', 'retrying', 'behind']

/** 0 is the most urgent; those without a problem are equal. */
export const urgencyOf = ({ state }: HookHealth): number => {
  const place = urgency.indexOf(state)
  return place === -1 ? urgency.length : place
}

/** Nothing mends it by itself. */
export const needsOwner = ({ state }: HookHealth): boolean =>
  state === 'paused' || state === 'failing' || state === 'incomplete'
