// The headers by which a receiver knows that a delivery is ours: spec part 5, and next to them those of
// Standard Webhooks, whose libraries verify them unchanged.
import { openSecret, type SecretKeys, secretBytes } from '../model/signing_secret.ts'
import { hmacSha256 } from '../runtime/hmac.ts'

/** What one secret signs with: its text as it is shown for the spec's header, its decoded bytes for the others. */
type SigningKeys = { spec: Buffer; standard: Buffer }

type SignatureInput = {
  eventId: string
  /** Exactly what is sent; a text as UTF-8. */
  body: string | Buffer
  /** Unix seconds, of this attempt. */
  timestamp: number
  /** Signs the spec's header, which holds one signature. */
  primary: SigningKeys
  /** Of every secret a receiver may verify with, the primary one included. */
  live: readonly SigningKeys[]
}

export const signingKeys = (secret: string): SigningKeys => ({
  spec: Buffer.from(secret),
  standard: secretBytes(secret),
})

/** All headers that a delivery of ours is known by, names as they are written on the wire. */
export function signedHeaders(input: SignatureInput): Record<string, string> {
  const { eventId, body, timestamp, primary, live } = input
  const start = `${timestamp}.`
  const standardStart = `${eventId}.${start}`
  const standard = live.map(
    keys => `v1,${hmacSha256(keys.standard, [standardStart, body], 'base64')}`,
  )
  return {
    'X-Service-Signature': `v1=${hmacSha256(primary.spec, [start, body], 'hex')}`,
    'X-Service-Timestamp': String(timestamp),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  }
}

/** A subscription's secrets, encrypted as they are stored. */
type SealedSecrets = {
  id: string
  secret: string
  /** Signs as well until then. */
  old_secret: string | null
  old_secret_until: string | null
  /** Whether the spec's header is still signed with the old one. */
  old_secret_leads: boolean
}

type OpenedSecrets = { current: SigningKeys; old: SigningKeys | undefined }

/** Throws when a secret cannot be opened with these keys. */
export type Signer = (
  subscription: SealedSecrets,
  eventId: string,
  body: string | Buffer,
) => Record<string, string>

/**
 * Signs with the secrets of a row, opened once for each row. `keys` are those of SECRETS_KEY: a secret names the one it was
 * made with.
 */
export function openSigner(keys: SecretKeys): Signer {
  const opened = new WeakMap<SealedSecrets, OpenedSecrets>()
  const open = (sealed: string, id: string) => signingKeys(openSecret(sealed, keys, id))

  return (row, eventId, body) => {
    const { id, secret, old_secret, old_secret_until, old_secret_leads } = row
    const isRotating = Date.parse(old_secret_until ?? '') > Date.now()
    const known = opened.get(row) ?? {
      current: open(secret, id),
      old: old_secret !== null && isRotating ? open(old_secret, id) : undefined,
    }
    opened.set(row, known)
    const { current } = known
    const old = isRotating ? known.old : undefined
    return signedHeaders({
      eventId,
      body,
      timestamp: Math.floor(Date.now() / 1_000),
      primary: old !== undefined && old_secret_leads ? old : current,
      live: old === undefined ? [current] : [current, old],
    })
  }
}

/** W3C Trace Context, hexadecimal. */
type Trace = { trace_id: string; span_id: string }

/** The trace id is the event's UUID, so all attempts for an event share one trace; each has a span of its own. */
export function traceOf(eventId: string): Trace {
  const random = crypto.randomUUID()
  return {
    trace_id: eventId.replaceAll('-', ''),
    // Of a UUID these digits are all random.
    span_id: random.slice(0, 8) + random.slice(24, 32),
  }
}

/** Sampled: the log holds every attempt, and a receiver that follows the flag is to keep its side too. */
export const traceparentOf = ({ trace_id, span_id }: Trace): string =>
  `00-${trace_id}-${span_id}-01`
