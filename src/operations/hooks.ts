// Webhook subscriptions: subscribe, end, see how they fare, reactivate, rotate the secret. A signing secret leaves
// this file once, in the answer that makes it.
import { randomUUID } from 'node:crypto'
import type { Database, JsonPage } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import type { EventType } from '../model/event_type.ts'
import type { HookSource } from '../model/hook.ts'
import { makeSigningSecret, type SecretKeys, sealSecret } from '../model/signing_secret.ts'
import { readTargetUrl } from '../model/target_url.ts'
import { within } from '../within.ts'

/** What subscribing depends on besides the database. */
export type Subscribing = {
  subscriptionsMax: number
  /** Private networks that may be subscribed all the same. */
  allowedNetworks: readonly string[]
  /** Encrypt signing secrets; none when there is nowhere to keep one. */
  secretsKeys: SecretKeys
  /** Whether a host leads to an address that nothing may be sent to. */
  isBlocked(hostname: string): Promise<boolean>
}

export type CreateHook = {
  target_url: string
  event_types: EventType[]
  label: string | null
  source: HookSource
}

// A name server that takes longer says nothing; every delivery looks again.
const lookupTimeoutMs = 2_000

/** HookSubscription[], newest first. */
export const listHooks = (database: Database): Promise<JsonPage> =>
  database.listJson('listHooks', {})

/** The canonical form. A name that leads nowhere yet is accepted. Throws invalid_subscription. */
async function readTarget(text: string, subscribing: Subscribing): Promise<string> {
  const target = readTargetUrl(text, subscribing.allowedNetworks)
  if ('refused' in target) throw new ApiError('invalid_subscription', `${target.refused}.`)
  const looked = subscribing.isBlocked(new URL(target.url).hostname)
  if (await within(looked, lookupTimeoutMs).catch(() => false))
    throw new ApiError(
      'invalid_subscription',
      'target_url must not lead to a private or reserved address.',
    )
  return target.url
}

/** HookSubscription with its signing_secret, the only time it is shown. Throws invalid_subscription. */
export async function createHook(
  database: Database,
  input: CreateHook,
  subscribing: Subscribing,
): Promise<string> {
  const { secretsKeys, subscriptionsMax } = subscribing
  const target_url = await readTarget(input.target_url, subscribing)
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
    throw new ApiError(
      'invalid_subscription',
      `There are ${subscriptionsMax} subscriptions already, which is the most; delete one first.`,
    )
  return JSON.stringify({ ...JSON.parse(inserted.subscription), signing_secret })
}

/** Ends a subscription: nothing is sent to it from now on. Throws not_found. */
export async function deleteHook(database: Database, id: string): Promise<void> {
  const [deleted] = await database.rows('deleteHook', { id })
  if (!deleted) throw new ApiError('not_found', 'There is no subscription with this id.')
}

export const listHookStates = (database: Database) => database.list('listHookStates', {})

/** False: there is no such subscription, or it is not paused. */
export async function reactivateHook(database: Database, id: string): Promise<boolean> {
  return (await database.rows('updateHookReactivated', { id })).length > 0
}

const overlapSeconds = 24 * 60 * 60

/**
 * Gives a subscription a new signing secret and returns it: the only time it is shown. Both sign for 24 hours,
 * the old one in the header that holds one signature. Null: there is no such subscription.
 */
export async function rotateSecret(
  database: Database,
  id: string,
  keys: SecretKeys,
): Promise<string | null> {
  const secret = makeSigningSecret()
  const args = { id, secret: sealSecret(secret, keys, id), overlap_seconds: overlapSeconds }
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
