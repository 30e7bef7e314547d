// The TLS options of every connection: only to addresses that were checked, only to servers whose certificate a
// trusted authority signed.
import type { LookupFunction } from 'node:net'
import { createSecureContext, rootCertificates } from 'node:tls'
import { type Lookup, resolveTarget } from '../net/resolve.ts'

export type TrustOptions = {
  /** Private networks that may be called all the same. */
  allowedNetworks: readonly string[]
  /** PEM; trusted in addition to the usual authorities. */
  ca?: string | undefined
  /** How names are resolved; only tests change it. */
  lookup?: Lookup | undefined
}

/** No connection was tried. */
export class NoAddressError extends Error {
  readonly errorClass: 'dns' | 'blocked'

  constructor(errorClass: 'dns' | 'blocked') {
    super(errorClass)
    this.errorClass = errorClass
  }
}

/** A `lookup` for net.connect, which connects only to the addresses it returns. */
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
    // Parsed once, not at every handshake; `ca` is for runtimes that ignore secureContext.
    secureContext: createSecureContext({ ca: authorities }),
    ca: authorities,
    ALPNProtocols: ['http/1.1'],
    // NODE_TLS_REJECT_UNAUTHORIZED must not switch it off.
    rejectUnauthorized: true,
  }
}
