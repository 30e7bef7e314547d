// Webhook subscriptions: what clients may do about them, and what else the owner may. A signing secret leaves this file
// once, in the answer that makes it.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { type EventType, eventTypes, isEventType } from '../model/event_type.ts'
import { type HookSettings, type HookSource, hookSources, labelLengthMax } from '../model/hook.ts'
import samples from '../model/sample_events.json' with { type: 'json' }
import { makeSigningSecret, type SecretKeys, sealSecret } from '../model/signing_secret.ts'
import { readTargetUrl, type TargetRefusal } from '../model/target_url.ts'
import type { Reply } from '../sending/sender.ts'
import { openSigner, traceOf, traceparentOf } from '../sending/signature.ts'

type CreateHook = {
  target_url: string
  event_types: EventType[]
  label: string | null
  source: HookSource
}

const isAbsent = (value: unknown) => value === undefined || value === null

/** Names a wrong entry by its index: the entry itself may be anything. */
function readEventTypes(value: unknown): EventType[] {
  const list: unknown[] = Array.isArray(value) ? value : []
  const wrong = list.findIndex(type => !isEventType(type))
  if (list.length > 0 && wrong === -1) return [...new Set(list as EventType[])]
  const expected = `one or more of ${eventTypes.join(', ')}.`
  throw new ApiError(
    'invalid_event_types',
    wrong === -1
      ? `event_types must be an array of ${expected}`
      : `event_types[${wrong}] is no event type: event_types must be an array of ${expected}`,
  )
}

/** Counted as JSON Schema counts: a character outside the basic plane is one. */
const isLabel = (text: string) =>
  [...text].length <= labelLengthMax && text.isWellFormed() && !text.includes('\0')

function readLabel(value: unknown): string | null {
  if (isAbsent(value)) return null
  if (typeof value === 'string' && isLabel(value)) return value
  throw new ApiError(
    'invalid_request',
    `label must be text of at most ${labelLengthMax} characters, without NUL or a lone surrogate.`,
  )
}

function readSource(value: unknown): HookSource {
  const source = isAbsent(value) ? 'api' : hookSources.find(one => one === value)
  if (source !== undefined) return source
  throw new ApiError('invalid_request', `source must be one of ${hookSources.join(', ')}.`)
}

/**
 * The body of POST /hooks. Throws missing_target_url, invalid_event_types, invalid_request, invalid_subscription, in this
 * order.
 */
export function readHookBody(body: unknown): CreateHook {
  // JSON that is no object has none of these members: target_url is what it lacks first.
  const { target_url, event_types, label, source }: Record<string, unknown> = Object(body)
  if (isAbsent(target_url) || target_url === '')
    throw new ApiError(
      'missing_target_url',
      'target_url is missing: the body must be a JSON object with target_url and event_types.',
    )
  const wanted = {
    event_types: readEventTypes(event_types),
    label: readLabel(label),
    source: readSource(source),
  }
  if (typeof target_url !== 'string')
    throw new ApiError('invalid_subscription', 'target_url must be a text.')
  return { target_url, ...wanted }
}

type HookRefusal = TargetRefusal | 'too_many'

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

const unknownHook = () => new ApiError('not_found', 'There is no subscription with this id.')

/** Ends a subscription: nothing is sent to it from now on. Throws not_found. */
export async function deleteHook(database: Database, id: string): Promise<void> {
  const [deleted] = await database.rows('updateHookDeleted', { id })
  if (!deleted) throw unknownHook()
}

// The owner's changes begin here.

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

/** Pauses, or acknowledges a pause after failures. False: there is no such subscription. */
export const pauseHook = async (database: Database, id: string, reason: string): Promise<boolean> =>
  (await database.rows('updateHookPaused', { id, reason })).length > 0

/**
 * With all that came since, or from the head on: then GET /events gives the gap after `gapAfter`. Null: no paused
 * subscription has this id.
 */
export async function reactivateHook(
  database: Database,
  id: string,
  { fromHead = false }: { fromHead?: boolean } = {},
): Promise<{ gapAfter: number } | null> {
  const [reactivated] = await database.rows('updateHookReactivated', { id, from_head: fromHead })
  return reactivated?.gap_after == null ? null : { gapAfter: reactivated.gap_after }
}

/** Exactly one of both. */
type ReplayStart = { after?: number; since?: Date }

/** The position moves from `reached` back to `after`: what follows is sent again. */
type Replay = { after: number; reached: number }

/** Between 1970 and now: PostgreSQL has no year 0. */
export const isPast = (moment: Date): boolean =>
  moment.getTime() >= 0 && moment.getTime() < Date.now()

/** Throws not_found, invalid_cursor (below the horizon of the feed, or beyond the position), invalid_request. */
export async function replayHook(
  database: Database,
  id: string,
  { after = undefined, since = undefined }: ReplayStart,
): Promise<Replay> {
  const isMoment = since !== undefined && isPast(since)
  if ((after === undefined) !== isMoment)
    throw new ApiError(
      'invalid_request',
      'A replay takes one start: a cursor (after) or a moment in the past (since), such as 2026-03-01T09:00:00Z.',
    )
  const args = { id, after: after ?? null, since: since ?? null }
  const [replayed] = await database.rows('updateHookReplayed', args)
  if (replayed?.reached == null) throw unknownHook()
  const { reached, lowest, after: from } = replayed
  if (from === null || lowest === null) throw new Error('the feed has no row')
  if (from < lowest)
    throw new ApiError(
      'invalid_cursor',
      `Events up to cursor ${lowest} have expired: replay after ${lowest} or a later cursor.`,
    )
  if (from > reached)
    throw new ApiError(
      'invalid_cursor',
      `The subscription stands at cursor ${reached}, and what follows is still to come: replay after a cursor up to ${reached}, or since an earlier moment.`,
    )
  return { after: from, reached }
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

/** The example of a type, as if it had just occurred. */
export function exampleEvent(event_type: string) {
  const sample = samples.find(one => one.event_type === event_type)
  if (!sample) throw new Error(`there is no example of ${event_type}`)
  return { ...sample, id: randomUUID(), occurred_at: new Date().toISOString().replace('Z', '000Z') }
}

/** An example of the wanted type, or of the first one listed. Throws unknown_event_type. */
function exampleOf(listed: readonly string[], wanted: string | null) {
  const event_type = wanted ?? listed[0]
  if (event_type !== undefined && listed.includes(event_type)) return exampleEvent(event_type)
  throw new ApiError(
    'unknown_event_type',
    `The subscription does not list this event type; it lists ${listed.join(', ')}.`,
  )
}

/**
 * Sends a test event at once, signed and sent as a delivery is but over a connection of its own, also to a paused subscription;
 * records nothing. Null: there is no such subscription. Throws unknown_event_type; a SealedSecretError where no key opens the
 * secret.
 */
export async function sendTestEvent(
  database: Database,
  { allowedNetworks, secretsKeys, ca }: Omit<HookSettings, 'subscriptionsMax'>,
  id: string,
  eventType: string | null = null,
): Promise<Reply | null> {
  const [hook] = await database.rows('getHookTarget', { id })
  if (!hook) return null
  const event = exampleOf(hook.event_types, eventType)
  const body = JSON.stringify(event)
  const headers = {
    ...openSigner(secretsKeys)(hook, event.id, body),
    traceparent: traceparentOf(traceOf(event.id)),
    'webhook-test': 'true',
  }
  // The HTTP client is slow to load, and few processes send a test.
  const { openSender } = await import('../sending/sender.ts')
  const sender = openSender({ allowedNetworks, ca })
  try {
    return await sender.send({ url: hook.target_url, group: id, headers, body })
  } finally {
    sender.close()
  }
}
