// The headers by which a receiver knows that a delivery is ours: spec part 5, and beside them those of
// Standard Webhooks, whose libraries verify them unchanged.
import { createHmac } from 'node:crypto'
import { secretBytes } from '../model/signing_secret.ts'

export type Signing = {
  eventId: string
  /** The exact text that is sent. */
  body: string
  /** Unix seconds, of this attempt. */
  timestamp: number
  /** Signs the spec's header, which holds one signature. */
  primary: string
  /** Every secret a receiver may verify with, the primary one included. */
  live: readonly string[]
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8')

export function signedHeaders(signing: Signing): Record<string, string> {
  const { eventId, body, timestamp, primary, live } = signing
  const standardText = `${eventId}.${timestamp}.${body}`
  const standard = live.map(
    secret => `v1,${hmac(secretBytes(secret), standardText).digest('base64')}`,
  )
  return {
    // The key is the secret as it is shown, prefix and all.
    'X-Service-Signature': `v1=${hmac(primary, `${timestamp}.${body}`).digest('hex')}`,
    'X-Service-Timestamp': String(timestamp),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  }
}
