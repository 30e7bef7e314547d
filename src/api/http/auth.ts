// Authentication by Bearer key (spec part 5). Fails closed: a client that is not recognised gets an error.
import { ApiError } from '../../errors.ts'
import type { ApiKey, KeyRing } from '../../operations/key_ring.ts'
import type { Throttle } from './throttle.ts'

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

export type Authentication = { keyRing: KeyRing; throttle: Throttle }

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

/** The key was live a moment ago: if it is no longer, that is no failed try of its client. Throws invalid_token. */
export async function requireLive(
  { keyRing }: Authentication,
  header: string | null,
): Promise<void> {
  const token = readToken(header)
  const key = (await keyRing.find(token)) ?? (await keyRing.findFresh(token))
  if (!key) throw invalidToken()
}
