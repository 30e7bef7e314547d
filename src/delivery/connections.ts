// The connections deliveries go over: kept for the next delivery to the same origin, and each opened only
// to an address that was checked. A kept one still leads where it was checked to lead.
import { Agent, type AgentOptions } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, rootCertificates } from 'node:tls'
import { type Lookup, resolveTarget } from '../net/resolve.ts'

export type ConnectionOptions = {
  allowedNetworks: readonly string[]
  /** PEM; trusted beside the usual authorities. */
  ca?: string | undefined
  /** How names are resolved; only tests change it. */
  lookup?: Lookup | undefined
  /** How long a connection is kept unused. */
  idleMs: number
  /** How long a connection is used at most, so that a name that moves is followed. */
  ageMaxMs: number
}

const keptPerOriginMax = 64

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

class Connections extends Agent {
  readonly #openedAt = new WeakMap<Duplex, number>()
  readonly #ageMaxMs: number

  constructor(options: AgentOptions, ageMaxMs: number) {
    super(options)
    this.#ageMaxMs = ageMaxMs
  }

  // The stock name holds every authority's certificate, 200 KB to build for each request. All connections
  // here are opened with the same options.
  override getName({ host, port }: { host?: string; port?: number | string } = {}): string {
    return `${host}:${port}`
  }

  override createConnection(
    ...parameters: Parameters<Agent['createConnection']>
  ): ReturnType<Agent['createConnection']> {
    const socket = super.createConnection(...parameters)
    if (socket) this.#openedAt.set(socket, performance.now())
    return socket
  }

  /** False has the connection ended instead of kept. */
  override keepSocketAlive(socket: Duplex): boolean {
    const openedAt = this.#openedAt.get(socket) ?? 0
    if (performance.now() - openedAt > this.#ageMaxMs) return false
    // The types forget what it answers.
    return super.keepSocketAlive(socket) as unknown as boolean
  }
}

export function openConnections(options: ConnectionOptions): Agent {
  const ca = [...rootCertificates, ...(options.ca === undefined ? [] : [options.ca])]
  const settings = {
    keepAlive: true,
    maxFreeSockets: keptPerOriginMax,
    timeout: options.idleMs,
    lookup: checkedLookup(options.allowedNetworks, options.lookup),
    // Read once, not at every handshake; `ca` is for runtimes that know no secureContext.
    secureContext: createSecureContext({ ca }),
    ca,
    // Whatever the environment says (NODE_TLS_REJECT_UNAUTHORIZED).
    rejectUnauthorized: true,
  }
  return new Connections(settings, options.ageMaxMs)
}
