// From a host to addresses that may be called. Whoever connects must connect to an address it got here:
// asked a second time, a name may answer differently.
import { lookup as systemLookup } from 'node:dns/promises'
import { isForbidden } from '../model/networks.ts'
import { literalAddress } from '../model/target_url.ts'

export type ResolvedAddress = { address: string; family: number }

/** As node:dns resolves a name, all addresses of both families. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>

export type Resolution = { addresses: ResolvedAddress[] } | { errorClass: 'dns' | 'blocked' }

const lookupAll: Lookup = hostname => systemLookup(hostname, { all: true, order: 'verbatim' })

async function addressesOf(hostname: string, lookup: Lookup): Promise<ResolvedAddress[]> {
  const literal = literalAddress(hostname)
  if (literal !== undefined) return [{ address: literal, family: literal.includes(':') ? 6 : 4 }]
  return lookup(hostname).catch(() => [])
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
