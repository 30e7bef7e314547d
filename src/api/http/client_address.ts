// Which client a request counts for when authentication fails. The socket says so; X-Forwarded-For only
// where the socket's other end is a proxy that TRUSTED_PROXIES names.
import { BlockList, isIP } from 'node:net'
import { ipv4Of } from '../../model/networks.ts'

// A longer chain of proxies than this was made up.
const hopsMax = 32

function blockList(networks: string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(
      address,
      bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits),
      family,
    )
  }
  return list
}

// Some proxies write 203.0.113.7:50211 or [2001:db8::9]:443.
const portOf = /^(?:(\d+\.\d+\.\d+\.\d+)|\[(.+)\])(?::\d+)?$/
const withoutPort = (hop: string) => hop.replace(portOf, '$1$2')
// ::ffff:203.0.113.7 has other spellings, such as ::ffff:cb00:7107.
const unmapped = (address: string) => ipv4Of(address) ?? address
// The last two groups may be written as an IPv4 address; they are beyond the first 64 bits.
const dottedTail = /\d+\.\d+\.\d+\.\d+$/

/** An IPv4 address, or the first 64 bits of an IPv6 address: one customer's line. */
export function throttleGroup(address: string): string {
  const plain = unmapped(address)
  if (isIP(plain) !== 6) return plain
  const [head = '', tail = ''] = (plain.split('%')[0] ?? '').replace(dottedTail, '0:0').split('::')
  const left = head.split(':').filter(part => part !== '')
  const right = tail.split(':').filter(part => part !== '')
  const zeros = plain.includes('::')
    ? Array(Math.max(0, 8 - left.length - right.length)).fill('0')
    : []
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return `${groups.map(group => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** Whether an address is one of these networks'. */
function trustedAddresses(networks: string[]): (address: string) => boolean {
  const trusted = blockList(networks)
  return address => {
    const plain = unmapped(address)
    return isIP(plain) !== 0 && trusted.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Reads the client's address: the last one in the chain that is no trusted proxy. */
export function clientAddressReader(trustedProxies: string[]) {
  const isTrusted = trustedAddresses(trustedProxies)
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

const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip']

/**
 * The client of a request: the runtime knows the socket, TRUSTED_PROXIES which proxies are believed beyond it.
 * `onUntrusted` is called once, with the first header of a proxy when no proxy is to be believed.
 */
export function clientReader(trustedProxies: string[], onUntrusted: (header: string) => void) {
  const sockets = new WeakMap<Request, () => string>()
  const read = clientAddressReader(trustedProxies)
  const isTrusted = trustedAddresses(trustedProxies)
  const socketOf = (request: Request) => sockets.get(request)?.() ?? ''
  let watches = trustedProxies.length === 0

  function watchFor(request: Request) {
    const header = proxyHeaders.find(name => request.headers.has(name))
    if (header === undefined) return
    watches = false
    onUntrusted(header)
  }

  return {
    note(request: Request, socket: () => string) {
      sockets.set(request, socket)
      if (watches) watchFor(request)
    },
    clientOf: (request: Request) =>
      throttleGroup(read(socketOf(request), request.headers.get('x-forwarded-for'))),
    /** A proxy that is believed says that the client's connection to it is encrypted. */
    isForwardedSecurely: (request: Request) =>
      request.headers.get('x-forwarded-proto') === 'https' && isTrusted(socketOf(request)),
  }
}
