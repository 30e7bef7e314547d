// Resolves a host to addresses that may be called. The caller must connect to one of these addresses: asked a second
// time, a name may answer differently.

import { withTimeout } from '../lib/timeout.ts'
import { isForbidden } from '../model/networks.ts'
import { literalAddress } from '../model/target_url.ts'
import { type Lookup, lookupAll, type ResolvedAddress } from '../runtime/lookup.ts'

export type { Lookup, ResolvedAddress } from '../runtime/lookup.ts'

type Resolution = { addresses: ResolvedAddress[] } | { errorClass: 'dns' | 'blocked' }

// Leaves time to connect of the 5 s there are for both; resolvers themselves try for 10 s and longer.
const lookupMs = 3_000

async function addressesOf(hostname: string, lookup: Lookup): Promise<ResolvedAddress[]> {
  const literal = literalAddress(hostname)
  if (literal !== undefined) return [{ address: literal, family: literal.includes(':') ? 6 : 4 }]
  return withTimeout(lookup(hostname), lookupMs).catch(() => [])
}

/** Every address of a host, `dns` when there is none, `blocked` when a single one is forbidden. */
export async function resolveTarget(
  hostname: string,
  allowed: readonly string[],
  lookup: Lookup = lookupAll,
): Promise<Resolution> {
  const addresses = await addressesOf(hostname, lookup)
  if (addresses.length === 0) return { errorClass: 'dns' }
  return addresses.some(({ address }) => isForbidden(address, allowed))
    ? { errorClass: 'blocked' }
    : { addresses }
}
