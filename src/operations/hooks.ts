// Webhook subscriptions: subscribe, end, see how they fare, reactivate, rotate the secret. A signing secret leaves
// this file once, in the answer that makes it.
import { randomUUID } from 'node:crypto'
import type { Database, JsonPage } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { EventType } from '../model/event_type.ts'
import type { HookSettings, HookSource } from '../model/hook.ts'
import { makeSigningSecret, type SecretKeys, sealSecret } from '../model/signing_secret.ts'
import { readTargetUrl, type TargetRefusal } from '../model/target_url.ts'

export type CreateHook = {
  target_url: string
  event_types: EventType[]
  label: string | null
  source: HookSource
}

export type HookRefusal = TargetRefusal | 'too_many'

/** Why a subscription is refused, for the owner, who reads it in other words. */
export class RefusedHook extends ApiError {
  readonly reason: HookRefusal

  constructor(reason: HookRefusal, message: string) {
    super('invalid_subscription', message)
    this.reason = reason
  }
}

/**
 * The canonical form. Checks the text alone: an answer that depended on DNS would reveal names of the owner's network. Every
 * attempt checks the address. Throws invalid_subscription.
 */
function readTarget(text: string, { allowedNetworks }: HookSettings): string {
  const target = readTargetUrl(text, allowedNetworks)
  if ('refused' in target) throw new RefusedHook(target.reason, `${target.refused}.`)
  return target.url
}

/** HookSubscription with its signing_secret, the only time it is shown. Throws invalid_subscription. */
export async function createHook(
  database: Database,
  input: CreateHook,
  hookSettings: HookSettings,
): Promise<string> {
  const { secretsKeys, subscriptionsMax } = hookSettings
  const target_url = readTarget(input.target_url, hookSettings)
  if (secretsKeys.length === 0)
    throw new Error('there is no key to encrypt signing secrets with: set SECRETS_KEY')
  const id = randomUUID()
  const signing_secret = makeSigningSecret()
  const [inserted] = await database.rows('insertHook', {
    ...input,
    id,
    target_url,
    secret: sealSecret(signing_secret, secretsKeys, id),
    subscriptions_max: subscriptionsMax,
  })
  if (!inserted)
    throw new RefusedHook(
      'too_many',
      `There are ${subscriptionsMax} subscriptions already, which is the most; delete one first.`,
    )
  return JSON.stringify({ ...JSON.parse(inserted.subscription), signing_secret })
}

export type HookChange = Pick<CreateHook, 'target_url' | 'event_types' | 'label'>

/** False: there is no such subscription. Throws invalid_subscription. */
export async function updateHook(
  database: Database,
  id: string,
  { target_url, ...change }: HookChange,
  hookSettings: HookSettings,
): Promise<boolean> {
  const target = readTarget(target_url, hookSettings)
  return (await database.rows('updateHook', { id, ...change, target_url: target })).length > 0
}

/** Pauses, or acknowledges a pause after failures; `isPausedOnly`: does only the latter. False: there was nothing to pause. */
export const pauseHook = async (
  database: Database,
  id: string,
  reason: string,
  { isPausedOnly = false } = {},
): Promise<boolean> =>
  (await database.rows('updateHookPaused', { id, reason, is_paused_only: isPausedOnly })).length > 0

/** Ends a subscription: nothing is sent to it from now on. Throws not_found. */
export async function deleteHook(database: Database, id: string): Promise<void> {
  const [deleted] = await database.rows('deleteHook', { id })
  if (!deleted) throw new ApiError('not_found', 'There is no subscription with this id.')
}

/** With what it missed, or without: that stays as missed. False: no paused subscription has this id. */
export async function reactivateHook(
  database: Database,
  id: string,
  options: { deliverMissed?: boolean } = {},
): Promise<boolean> {
  const args = { id, deliver_missed: options.deliverMissed ?? false }
  return (await database.rows('updateHookReactivated', args)).length > 0
}

const overlapSeconds = 24 * 60 * 60

/**
 * Gives a subscription a new signing secret and returns it: the only time it is shown. Both sign for 24 hours,
 * the old one in the header that holds one signature. Null: there is no such subscription, or the old secret of a rotation
 * leads and it is not to be made `again`.
 */
export async function rotateSecret(
  database: Database,
  id: string,
  keys: SecretKeys,
  again: boolean,
): Promise<string | null> {
  const secret = makeSigningSecret()
  const args = { id, secret: sealSecret(secret, keys, id), overlap_seconds: overlapSeconds, again }
  const [rotated] = await database.rows('updateHookSecret', args)
  return rotated ? secret : null
}

/** Lets the new secret lead before the overlap ends. False: the old one did not lead any more. */
export async function switchSecret(database: Database, id: string): Promise<boolean> {
  return (await database.rows('updateHookSecretSwitched', { id })).length > 0
}

/** Event[]: one example per type, or of one type; made by the triggers that make live events. */
export const listSampleEvents = (database: Database, type: EventType | null): Promise<JsonPage> =>
  database.listJson('listSampleEvents', { event_type: type })
