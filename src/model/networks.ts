// Which addresses are no place on the public internet. An address is read by hand, not by node:net's
// BlockList, so that every runtime judges alike and an unforeseen form counts as forbidden.

/** 128 bits; an IPv4 address is its mapped form ::ffff:a.b.c.d, so both spellings are one address. */
type Address = bigint
type Network = { address: Address; bits: number }

const mappedPrefix = 0xffffn << 32n

function readIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  // Leading zeros mean octal to some and decimal to others.
  if (parts.length !== 4 || !parts.every(part => /^(0|[1-9]\d{0,2})$/.test(part))) return undefined
  const bytes = parts.map(Number)
  if (bytes.some(byte => byte > 255)) return undefined
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
}

const readGroups = (text: string): number[] | undefined => {
  if (text === '') return []
  const groups = text.split(':')
  return groups.every(group => /^[\da-f]{1,4}$/i.test(group))
    ? groups.map(group => Number.parseInt(group, 16))
    : undefined
}

/** The last two groups may be written as an IPv4 address. */
function withoutDots(text: string): string | undefined {
  const dotted = /[^:]*\.[^:]*$/.exec(text)?.[0]
  if (dotted === undefined) return text
  const ipv4 = readIpv4(dotted)
  if (ipv4 === undefined) return undefined
  return `${text.slice(0, -dotted.length)}${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`
}

function readIpv6(text: string): Address | undefined {
  const [head = '', tail, ...more] = withoutDots(text)?.split('::') ?? []
  const left = readGroups(head)
  const right = readGroups(tail ?? '')
  if (left === undefined || right === undefined || more.length > 0) return undefined
  const missing = 8 - left.length - right.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...left, ...Array<number>(missing).fill(0), ...right]
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n)
}

/** Zones (fe80::1%eth0) are part of no address that leaves this machine. */
function readAddress(text: string): Address | undefined {
  if (text.includes(':')) return readIpv6(text)
  const ipv4 = readIpv4(text)
  return ipv4 === undefined ? undefined : mappedPrefix | ipv4
}

/** The first 64 bits of an IPv6 address as a network; undefined for every other text. */
export function ipv6NetworkOf(text: string): string | undefined {
  const address = readIpv6(text.replace(/%.*/, ''))
  if (address === undefined) return undefined
  const groups = [112n, 96n, 80n, 64n].map(shift => (address >> shift) & 0xffffn)
  return `${groups.map(group => group.toString(16)).join(':')}::/64`
}

/** The IPv4 address that a text is, or maps to IPv6 in any spelling; undefined for every other text. */
export function ipv4Of(text: string): string | undefined {
  const address = readAddress(text)
  if (address === undefined || address >> 32n !== 0xffffn) return undefined
  return [24n, 16n, 8n, 0n].map(shift => (address >> shift) & 0xffn).join('.')
}

/** An address, or a network in CIDR form. Throws for every other text. */
export function readNetwork(text: string): Network {
  const [, written = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  // A zone belongs to an IPv6 address alone.
  const address = readAddress(written.replace(/(?<=:.*)%.+/, ''))
  const width = written.includes(':') ? 128 : 32
  const bits = 128 - width + Number(length ?? width)
  if (address === undefined || bits > 128) throw new Error(`no network: ${text}`)
  return { address, bits }
}

const contains = (network: Network, address: Address): boolean =>
  (network.address ^ address) >> BigInt(128 - network.bits) === 0n

const networks = (texts: readonly string[]): Network[] => texts.map(readNetwork)

const forbiddenIpv4 = networks([
  '0.0.0.0/8', // this network; Linux connects 0.0.0.0 to itself
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carriers' own, and Alibaba's metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16', // Azure's metadata, in the midst of public addresses
  '169.254.0.0/16', // link-local, and most clouds' metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, and Oracle's metadata
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4, withdrawn
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
])

// All of IPv6 that is routed lies in here. Outside lie loopback, unspecified, the IPv4-compatible and the
// translated form, local NAT64 (64:ff9b:1::/48), discard, SRv6, unique local, link-local, site-local, multicast.
const [globalUnicast] = networks(['2000::/3']) as [Network]

const forbiddenIpv6 = networks([
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
])

// Forms that carry an IPv4 address to which a gateway passes on: they are what that address is.
const carriers = [
  { prefix: readNetwork('::ffff:0:0/96'), shift: 0n }, // mapped
  { prefix: readNetwork('64:ff9b::/96'), shift: 0n }, // NAT64, what DNS64 answers for every IPv4-only name
  { prefix: readNetwork('2002::/16'), shift: 80n }, // 6to4
]

function carriedBy(address: Address): Address | undefined {
  const carrier = carriers.find(({ prefix }) => contains(prefix, address))
  return carrier && mappedPrefix | ((address >> carrier.shift) & 0xffff_ffffn)
}

const isIn = (list: Network[], address: Address) => list.some(network => contains(network, address))

/** Whether an address is in one of these networks. */
export function isInNetworks(texts: readonly string[]): (address: string) => boolean {
  const list = networks(texts)
  return text => {
    const address = readAddress(text)
    return address !== undefined && isIn(list, address)
  }
}

/**
 * Whether nothing may be sent to an address. What is no address is forbidden. `allowed` are addresses and
 * CIDR networks that are open all the same, in every form that carries one of their IPv4 addresses.
 */
export function isForbidden(text: string, allowed: readonly string[]): boolean {
  const address = readAddress(text)
  if (address === undefined) return true
  const carried = carriedBy(address)
  const forbidden =
    carried === undefined
      ? !contains(globalUnicast, address) || isIn(forbiddenIpv6, address)
      : isIn(forbiddenIpv4, carried)
  if (!forbidden) return false
  const open = networks(allowed)
  return !isIn(open, address) && (carried === undefined || !isIn(open, carried))
}
