// What the list of keys and the page of one share: whether it is valid, and what can be done about it.
import type { listApiKeys } from '../../operations/keys.ts'
import type { Context } from '../context.ts'
import { type Html, html } from '../html.ts'
import { button, form, state, toTheMinute, when } from '../parts.ts'

export type Key = Awaited<ReturnType<typeof listApiKeys>>[number]

const soonMs = 14 * 86_400_000

export const isKeyOver = ({ revoked_at, expires_at }: Key) =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) <= Date.now())

export function keyState(context: Context, key: Key): Html {
  const { keys } = context.texts
  if (key.revoked_at) return html`${state('calm', keys.revoked)} ${when(context, key.revoked_at)}`
  if (isKeyOver(key)) return html`${state('calm', keys.expired)} ${when(context, key.expires_at)}`
  if (key.expires_at === null) return state('good', keys.live)
  const isSoon = Date.parse(key.expires_at) - Date.now() < soonMs
  return html`${state(isSoon ? 'warn' : 'good', isSoon ? keys.soon : keys.until)} ${isSoon ? when(context, key.expires_at) : toTheMinute(context, key.expires_at)}`
}

/** Another one that is valid has the same name, as the successor of one that was renewed. */
export const isNameShared = (key: Key, all: readonly Key[]): boolean =>
  all.some(other => other.id !== key.id && other.label === key.label && !isKeyOver(other))

/** Renewing and revoking, with a name that only this key has; nothing for a key that opens nothing any more. */
export function keyActions(context: Context, key: Key, all: readonly Key[]): Html | false {
  const { keys } = context.texts
  const { id, prefix } = key
  const label = isNameShared(key, all) ? `${key.label} (${prefix}…)` : key.label
  if (isKeyOver(key)) return false
  const path = `/dashboard/keys/${id}`
  return html`<details><summary aria-label="${keys.rotate}: ${label}">${keys.rotate}</summary>
<p>${keys.rotateAsk(label)}</p>
${form(context, `${path}/rotate`, button(keys.rotateSure), { once: true })}</details>
<details><summary aria-label="${keys.revoke}: ${label}">${keys.revoke}</summary>
<p>${keys.revokeAsk(label)}</p>
${form(context, `${path}/revoke`, button(keys.revokeSure, 'danger'))}</details>`
}
