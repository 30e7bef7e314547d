// Which client a request counts for when authentication fails. The socket says so; X-Forwarded-For only
// where the socket's other end is a proxy that TRUSTED_PROXIES names.
import { isIP } from 'node:net'
import { ipv4Of, ipv6NetworkOf, isInNetworks } from '../../model/networks.ts'

// A longer chain of proxies than this was made up.
const hopsMax = 32

// Some proxies write 203.0.113.7:50211 or [2001:db8::9]:443.
const portOf = /^(?:(\d+\.\d+\.\d+\.\d+)|\[(.+)\])(?::\d+)?$/
const withoutPort = (hop: string) => hop.replace(portOf, '$1$2')
// ::ffff:203.0.113.7 has other spellings, such as ::ffff:cb00:7107.
const unmapped = (address: string) => ipv4Of(address) ?? address

/** An IPv4 address, or the first 64 bits of an IPv6 address: one customer's line. */
export const throttleGroup = (address: string): string =>
  ipv4Of(address) ?? ipv6NetworkOf(address) ?? address

/** Reads the client's address: the last one in the chain that is no trusted proxy. */
export function clientAddressReader(trustedProxies: string[]) {
  const isTrusted = isInNetworks(trustedProxies)
  return (socketAddress: string, forwardedFor: string | null): string => {
    let address = unmapped(socketAddress)
    if (trustedProxies.length === 0 || forwardedFor === null) return address
    const hops = forwardedFor
      .split(',')
      .slice(-hopsMax)
      .map(hop => unmapped(withoutPort(hop.trim())))
    while (isTrusted(address)) {
      const hop = hops.pop()
      if (hop === undefined || isIP(hop) === 0) return address
      address = hop
    }
    return address
  }
}

export type Clients = ReturnType<typeof clientReader>

/** The client of a request: the runtime knows the socket, TRUSTED_PROXIES which proxies are believed beyond it. */
export function clientReader(trustedProxies: string[]) {
  const sockets = new WeakMap<Request, () => string>()
  const read = clientAddressReader(trustedProxies)
  const isTrusted = isInNetworks(trustedProxies)
  const socketOf = (request: Request) => sockets.get(request)?.() ?? ''
  return {
    note: (request: Request, socket: () => string) => void sockets.set(request, socket),
    clientOf: (request: Request) =>
      throttleGroup(read(socketOf(request), request.headers.get('x-forwarded-for'))),
    /** A proxy that is believed says that the client's connection to it is encrypted. */
    isForwardedSecurely: (request: Request) =>
      request.headers.get('x-forwarded-proto') === 'https' && isTrusted(socketOf(request)),
  }
}
