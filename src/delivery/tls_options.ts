// How connections to subscribers are made: only to addresses that were checked, only to whom a trusted
// authority vouches for.
import type { LookupFunction } from 'node:net'
import { createSecureContext, rootCertificates } from 'node:tls'
import { type Lookup, resolveTarget } from '../net/resolve.ts'

export type TrustOptions = {
  allowedNetworks: readonly string[]
  /** PEM; trusted beside the usual authorities. */
  ca?: string | undefined
  /** How names are resolved; only tests change it. */
  lookup?: Lookup | undefined
}

/** Why no connection was tried. */
export class NoAddressError extends Error {
  readonly errorClass: 'dns' | 'blocked'

  constructor(errorClass: 'dns' | 'blocked') {
    super(errorClass)
    this.errorClass = errorClass
  }
}

/** net.connect's own way to resolve a name: it connects to nothing but what this gives it. */
const checkedLookup =
  (allowed: readonly string[], lookup: Lookup | undefined): LookupFunction =>
  (hostname, { all }, callback) => {
    void resolveTarget(hostname, allowed, lookup).then(resolution => {
      if ('errorClass' in resolution) return callback(new NoAddressError(resolution.errorClass), [])
      const [first] = resolution.addresses
      return all
        ? callback(null, resolution.addresses)
        : callback(null, first?.address ?? '', first?.family)
    })
  }

export function tlsOptions({ allowedNetworks, ca, lookup }: TrustOptions) {
  const authorities = [...rootCertificates, ...(ca === undefined ? [] : [ca])]
  return {
    lookup: checkedLookup(allowedNetworks, lookup),
    // Read once, not at every handshake; `ca` is for runtimes that know no secureContext.
    secureContext: createSecureContext({ ca: authorities }),
    ca: authorities,
    ALPNProtocols: ['http/1.1'],
    // Whatever the environment says (NODE_TLS_REJECT_UNAUTHORIZED).
    rejectUnauthorized: true,
  }
}
