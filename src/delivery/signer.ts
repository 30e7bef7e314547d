// The headers a delivery goes out with, signed by the secrets its subscription has at that moment.
import { openSecret } from '../model/signing_secret.ts'
import { type SigningKeys, signedHeaders, signingKeys } from './signature.ts'
import type { Target } from './subscription.ts'

/** Throws when a secret cannot be opened with these keys. */
export type Signer = (target: Target, eventId: string, body: string) => Record<string, string>

// Far more than there are subscriptions; rotated secrets are not worth a cleverer rule.
const rememberedMax = 4_000

/** Remembers opened secrets. `keys` are those of SECRETS_KEY: a secret names the one it was made with. */
export function openSigner(keys: readonly Buffer[]): Signer {
  // Of opened secrets by their encrypted form, which is different for every subscription and every rotation.
  const remembered = new Map<string, SigningKeys>()

  function open(sealed: string, subscriptionId: string): SigningKeys {
    const known = remembered.get(sealed)
    if (known) return known
    const opened = signingKeys(openSecret(sealed, keys, subscriptionId))
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(sealed, opened)
    return opened
  }

  return ({ id, secret, old_secret, old_secret_leads }, eventId, body) => {
    const current = open(secret, id)
    const old = old_secret === null ? undefined : open(old_secret, id)
    return signedHeaders({
      eventId,
      body,
      timestamp: Math.floor(Date.now() / 1_000),
      primary: old !== undefined && old_secret_leads ? old : current,
      live: old === undefined ? [current] : [current, old],
    })
  }
}
