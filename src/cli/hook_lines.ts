// The lines of hooks list and hooks deliveries: one subscription or delivery each, two spaces separate the columns.
import { finalFailuresMax } from '../model/delivery_rules.ts'
import { targetHost } from '../model/target_url.ts'
import type { listDeliveries } from '../operations/deliveries.ts'
import { countMax, type HookReport } from '../operations/overview.ts'
import { printable } from './output.ts'

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

function stateOf({ paused_at, pause_reason, consecutive_failures }: HookReport): string {
  if (paused_at && pause_reason === null)
    return `paused ${paused_at}, ${finalFailuresMax} final failures in a row`
  if (paused_at)
    return `paused ${paused_at}, by the owner${pause_reason && `: ${printable(pause_reason)}`}`
  if (consecutive_failures === 0) return 'active'
  return `active, ${counted(consecutive_failures, 'failure')} in a row`
}

export const upTo = (count: number): string =>
  count < countMax ? String(count) : `${countMax} or more`

/** A paused one misses what comes as well: it is a range once it is switched on again. */
const missedOf = ({ missed, expired, catching_up_of, paused_at, untried }: HookReport): string =>
  [
    `${paused_at === null ? missed : upTo(missed + (untried ?? 0))} missed`,
    expired > 0 && `${expired} expired`,
    catching_up_of > 0 && `catching up with ${catching_up_of}`,
  ]
    .filter(Boolean)
    .join(', ')

type Rotation = Pick<HookReport, 'old_secret_until' | 'old_secret_leads'>

const isRotating = ({ old_secret_until }: Rotation): boolean =>
  old_secret_until !== null && Date.parse(old_secret_until) > Date.now()

function rotationOf(hook: Rotation): string {
  if (!isRotating(hook)) return 'one secret'
  return `two secrets until ${hook.old_secret_until}, the ${hook.old_secret_leads ? 'old' : 'new'} one leads`
}

export const hookColumns =
  'id  state  host  event types  last delivered  failed  pending  missed  catch up  secrets  label'

export const hookLine = (hook: HookReport): string =>
  [
    hook.id,
    stateOf(hook),
    targetHost(hook.target_url) ?? 'no address',
    hook.event_types.join(','),
    `delivered ${hook.delivered_at ?? 'none on record'}`,
    `${upTo(hook.failures)} failed`,
    `${upTo(hook.waiting)} pending`,
    missedOf(hook),
    hook.catch_up_cursor === null ? 'nothing missing' : `catch up after=${hook.catch_up_cursor}`,
    rotationOf(hook),
    printable(hook.label ?? ''),
  ].join('  ')

type Delivery = Awaited<ReturnType<typeof listDeliveries>>[number]

export const deliveryColumns =
  'cursor  state  event type  event id  attempts  last answer  ended, due or created'

const answerOf = ({ attempts, status, error_class }: Delivery): string => {
  if (attempts === 0) return 'not tried'
  return String(status ?? error_class)
}

export const deliveryLine = (found: Delivery): string =>
  [
    found.cursor,
    found.state,
    found.event_type,
    found.event_id ?? 'erased',
    counted(found.attempts, 'attempt'),
    answerOf(found),
    found.ended_at ?? found.due_at ?? found.created_at,
  ].join('  ')
