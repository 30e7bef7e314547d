// What REST and the tools share: authentication by Bearer key (spec part 5), the rate limit, the scope. Fails closed: a client
// that is not recognised gets an error.
import type { Database } from '../../db/database.ts'
import { ApiError } from '../../errors.ts'
import type { HookSettings } from '../../model/hook.ts'
import type { Scope } from '../../model/scope.ts'
import type { Log } from '../../observability/log.ts'
import { type ApiKey, allows, type KeyRing } from '../../operations/key_ring.ts'
import { type Permit, type RateLimit, windowSeconds } from '../../operations/rate_limit.ts'
import type { AnswerBytes, Holder } from './answer_bytes.ts'
import type { Throttle } from './throttle.ts'

export type Authentication = { keyRing: KeyRing; throttle: Throttle }

/** What both faces need of the running service. */
export type Service = {
  database: Database
  authentication: Authentication
  rateLimit: RateLimit
  answerBytes: AnswerBytes
  log: Log
  hookSettings: HookSettings
  /** The client a request counts for. */
  clientOf(request: Request): string
  /** After this long a request is given up as internal_error; half of it is for its body to arrive. */
  requestTimeoutMs: number
}

export const bodyTimeoutOf = ({ requestTimeoutMs }: Service) => requestTimeoutMs / 2

/** What the response and the log line need to know about a request. */
export type Progress = Holder & {
  keyId?: string
  tool?: string
  code?: string
  /** Query parameters that its path does not have. */
  ignored?: string[]
  headers: Record<string, string>
}

const bearer = /^bearer(?: +(.*))?$/i

const missingToken = () =>
  new ApiError('missing_token', 'Send the API key as "Authorization: Bearer <API_KEY>".', {
    headers: { 'www-authenticate': 'Bearer realm="workspace-data-api"' },
  })

const invalidToken = (sentence = 'The API key is unknown, expired or revoked.') =>
  new ApiError('invalid_token', sentence, {
    headers: { 'www-authenticate': 'Bearer realm="workspace-data-api", error="invalid_token"' },
  })

const throttled = (waitSeconds: number) =>
  new ApiError('rate_limited', `Too many failed authentications; try again in ${waitSeconds} s.`, {
    headers: { 'retry-after': String(waitSeconds) },
  })

// What settings make of a key that is pasted with its scheme or with quotes.
const misspelt = /^(bearer\b|["'])/i

/**
 * The token of an Authorization header. No header, no token and other schemes count as missing; a scheme given twice and quotes
 * are no try of a key, so they do not count towards the throttle.
 */
function readToken(header: string | null): string {
  const token = header === null ? undefined : bearer.exec(header.trim())?.[1]?.trim()
  if (!token) throw missingToken()
  if (misspelt.test(token)) throw invalidToken('Send the API key once, without quotes.')
  return token
}

function refuseThrottled({ throttle }: Authentication, client: string) {
  const waitSeconds = throttle.waitSeconds(client)
  if (waitSeconds > 0) throw throttled(waitSeconds)
}

async function admitUnknown(
  authentication: Authentication,
  token: string,
  client: string,
): Promise<ApiKey> {
  const { keyRing, throttle } = authentication
  refuseThrottled(authentication, client)
  const key = await keyRing.findFresh(token)
  if (key) return key
  // Of many at once, those beyond the limit learn no more than those after it.
  refuseThrottled(authentication, client)
  throttle.recordTry(client)
  throw invalidToken()
}

/**
 * The key of a request. A known key is never throttled. `client` is asked for only when the key is unknown.
 * Throws missing_token, invalid_token, rate_limited.
 */
export async function authenticate(
  authentication: Authentication,
  header: string | null,
  client: () => string,
): Promise<ApiKey> {
  const token = readToken(header)
  return (
    (await authentication.keyRing.find(token)) ??
    (await admitUnknown(authentication, token, client()))
  )
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

/** Throws missing_scope. */
export function requireScope(key: ApiKey, scope: Scope): void {
  if (allows(key, scope)) return
  throw new ApiError('missing_scope', `This key lacks the scope ${scope}.`, {
    headers: {
      'www-authenticate': `Bearer realm="workspace-data-api", error="insufficient_scope", scope="${scope}"`,
    },
  })
}

/**
 * What `work` comes to, for the key of a request. The claim of the permit is on its way when work begins: a read shares its trip
 * to the database, and its result is dropped where the limit refuses the request. `permitted` is for work that must not begin
 * before. Throws missing_token, invalid_token, rate_limited first, then as work does.
 */
export async function authorized<Outcome>(
  { authentication, rateLimit, clientOf }: Service,
  request: Request,
  progress: Progress,
  work: (key: ApiKey, permitted: Promise<void>) => Promise<Outcome>,
): Promise<Outcome> {
  const header = request.headers.get('authorization')
  const key = await authenticate(authentication, header, () => clientOf(request))
  progress.keyId = key.id
  const heed = (permit: Permit) => {
    Object.assign(progress.headers, limitHeaders(rateLimit, permit), {
      'x-key-scopes': [...key.scopes].join(' '),
    })
    if (!permit.granted) throw rateLimited(permit, rateLimit.permitsMax)
  }
  const claimed = rateLimit.claim(key.id)
  // A refusal that still stands: no work begins.
  if (!(claimed instanceof Promise)) heed(claimed)
  const permitted = Promise.resolve(claimed).then(heed)
  const outcome = work(key, permitted)
  // It may fail before the limit answers.
  outcome.catch(() => {})
  await permitted
  return await outcome
}
