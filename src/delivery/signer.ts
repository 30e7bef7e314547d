// The headers a delivery goes out with, signed by the secrets its subscription has at that moment.
import { openSecret } from '../model/signing_secret.ts'
import type { Delivery } from './claimed.ts'
import { type SigningKeys, signedHeaders, signingKeys } from './signature.ts'

export type Signable = Delivery & { event_id: string; body: string }

/** Throws when a secret cannot be opened with these keys. */
export type Signer = (delivery: Signable) => Record<string, string>

// Far more than there are subscriptions; rotated secrets are not worth a cleverer rule.
const keptMax = 1_000

/** Remembers opened secrets. `keys` are those of SECRETS_KEY: a secret names the one it was made with. */
export function openSigner(keys: readonly Buffer[]): Signer {
  // Of opened secrets by their encrypted form, which is different for every subscription and every rotation.
  const kept = new Map<string, SigningKeys>()

  function open(sealed: string, subscriptionId: string): SigningKeys {
    const known = kept.get(sealed)
    if (known) return known
    const opened = signingKeys(openSecret(sealed, keys, subscriptionId))
    if (kept.size >= keptMax) kept.clear()
    kept.set(sealed, opened)
    return opened
  }

  return ({ subscription_id, secret, old_secret, old_secret_leads, event_id, body }) => {
    const current = open(secret, subscription_id)
    const old = old_secret === null ? undefined : open(old_secret, subscription_id)
    return signedHeaders({
      eventId: event_id,
      body,
      timestamp: Math.floor(Date.now() / 1_000),
      primary: old !== undefined && old_secret_leads ? old : current,
      live: old === undefined ? [current] : [current, old],
    })
  }
}
