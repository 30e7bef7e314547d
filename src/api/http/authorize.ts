// What REST and the tools share: authentication, then the rate limit. Scope and validation are checked by each.
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import type { HookSettings } from '../../model/hook.ts'
import type { Scope } from '../../model/scope.ts'
import type { Log } from '../../observability/log.ts'
import type { ApiKey } from '../../operations/key_ring.ts'
import { type Permit, type RateLimit, windowSeconds } from '../../operations/rate_limit.ts'
import type { AnswerBytes, Holder } from './answer_bytes.ts'
import { type Authentication, authenticate, requireLive } from './auth.ts'
import type { KeySlots } from './key_slots.ts'
import { refuseAbsent } from './presence.ts'

/** What both faces need of the running service. */
export type Service = {
  database: Database
  authentication: Authentication
  rateLimit: RateLimit
  slots: KeySlots
  answerBytes: AnswerBytes
  log: Log
  hookSettings: HookSettings
  /** The client a request counts for. */
  clientOf(request: Request): string
  /** After this long a request is given up as internal_error; half of it is for its body to arrive. */
  requestTimeoutMs: number
  /** A request was given up. */
  onTimeout(): void
}

export const bodyTimeoutOf = ({ requestTimeoutMs }: Service) => requestTimeoutMs / 2

/** What the response and the log line need to know about a request. */
export type Progress = Holder & {
  keyId?: string
  tool?: string
  code?: string
  /** What it made is being taken back, or could not be. */
  isTakingBack?: boolean
  headers: Record<string, string>
}

/** What a key is granted, as the header RateLimit-Policy has it. */
export const ratePolicy = (permitsMax: number) => `"default";q=${permitsMax};w=${windowSeconds}`

function limitHeaders(rateLimit: RateLimit, { remaining, waitSeconds }: Permit) {
  return {
    'ratelimit-policy': ratePolicy(rateLimit.permitsMax),
    ratelimit: `"default";r=${remaining};t=${waitSeconds || windowSeconds}`,
  }
}

const rateLimited = ({ waitSeconds }: Permit, permitsMax: number) =>
  new ApiError(
    'rate_limited',
    `More than ${permitsMax} requests in ${windowSeconds} s with this key; try again in ${waitSeconds} s.`,
    { headers: { 'retry-after': String(waitSeconds) } },
  )

export const missingScope = (scope: Scope) =>
  new ApiError('missing_scope', `This key lacks the scope ${scope}.`, {
    headers: {
      'www-authenticate': `Bearer realm="workspace-data-api", error="insufficient_scope", scope="${scope}"`,
    },
  })

export type Authorized = {
  key: ApiKey
  /** Resolves when the limit lets the request through; fails with rate_limited. */
  permitted: Promise<void>
  /**
   * Runs what asks the database once the key has a slot there, if the client is still connected. Without askedAt it counts as
   * asked with the request.
   */
  inSlot<Value>(work: () => Promise<Value>, askedAt?: number): Promise<Value>
}

/**
 * Who asks, and whether the limit lets the request through. The permit is on its way when this resolves, so
 * work that starts now shares its trip to the database. Throws missing_token, invalid_token, rate_limited.
 */
export async function authorize(
  { authentication, rateLimit, slots, clientOf }: Service,
  request: Request,
  progress: Progress,
): Promise<Authorized> {
  const requestedAt = performance.now()
  const header = request.headers.get('authorization')
  const key = await authenticate(authentication, header, () => clientOf(request))
  progress.keyId = key.id
  const heed = (permit: Permit) => {
    progress.headers = {
      ...limitHeaders(rateLimit, permit),
      'x-key-scopes': [...key.scopes].join(' '),
    }
    if (!permit.granted) throw rateLimited(permit, rateLimit.permitsMax)
  }
  const claimed = rateLimit.claim(key.id)
  // A refusal that still stands: no work begins.
  if (!(claimed instanceof Promise)) heed(claimed)
  const permitted = Promise.resolve(claimed).then(heed)
  const inSlot: Authorized['inSlot'] = (work, askedAt = requestedAt) => {
    const begin = async (waited: boolean) => {
      // Its client may have left while it waited; if it asks again, it must not wait for this one.
      refuseAbsent(request)
      if (waited) await requireLive(authentication, header)
      return await work()
    }
    return slots.use(key.id, permitted, begin, askedAt)
  }
  return { key, permitted, inSlot }
}

/** Returns the result once the limit permits the request. The limit's error wins; the result is then dropped. */
export async function afterPermit<Outcome>(
  permitted: Promise<void>,
  work: Promise<Outcome>,
): Promise<Outcome> {
  work.catch(() => {})
  await permitted
  return await work
}
