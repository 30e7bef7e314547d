// Which addresses are no place on the public internet.
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import { isForbidden } from '../../src/model/networks.ts'

const list = (text: string) => text.trim().split(/\s+/)

// First and last of each network, some in between, and behind a bar the neighbours outside.
const edges = `
  0.0.0.0 0.255.255.255 | 1.0.0.0
  10.0.0.0 10.255.255.255 | 9.255.255.255 11.0.0.0
  100.64.0.0 100.100.100.200 100.127.255.255 | 100.63.255.255 100.128.0.0
  127.0.0.0 127.0.0.1 127.255.255.255 | 126.255.255.255 128.0.0.0
  168.63.129.16 | 168.63.129.15 168.63.129.17
  169.254.0.0 169.254.169.254 169.254.255.255 | 169.253.255.255 169.255.0.0
  172.16.0.0 172.31.255.255 | 172.15.255.255 172.32.0.0
  192.0.0.0 192.0.0.192 192.0.0.255 | 191.255.255.255 192.0.1.0
  192.0.2.0 192.0.2.255 | 192.0.1.255 192.0.3.0
  192.88.99.0 192.88.99.255 | 192.88.98.255 192.88.100.0
  192.168.0.0 192.168.255.255 | 192.167.255.255 192.169.0.0
  198.18.0.0 198.19.255.255 | 198.17.255.255 198.20.0.0
  198.51.100.0 198.51.100.255 | 198.51.99.255 198.51.101.0
  203.0.113.0 203.0.113.255 | 203.0.112.255 203.0.114.0
  224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.255 | 223.255.255.255
  :: ::1 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ::8.8.8.8 ::ffff:0:808:808 100::1 | 2000::
  4000:: 5f00::1 fc00:: fd00:ec2::254 fdff::1 fe80::1 febf::1 fec0::1 feff::1 | 3ffe:ffff::
  ff00:: ff02::1 ff0e::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff |
  2001:: 2001:0:4136:e378::1 2001:10::1 2001:20::1 2001:1ff:ffff:: | 2001:200::
  2001:db8:: 2001:db8:ffff:ffff::1 | 2001:db7:ffff:: 2001:db9::
  3fff:: 3fff:fff:ffff::1 | 3fff:1000::
  64:ff9b:1::808:808 64:ff9b:0:0:0:1::1 64:ff9a::1 |`
const networks = edges
  .trim()
  .split('\n')
  .map(line => line.split('|').map(list)) as [forbidden: string[], open: string[]][]
const [forbidden, open] = [0, 1].map(side =>
  networks.flatMap(one => one[side]?.filter(Boolean) ?? []),
) as [string[], string[]]

test.each(networks)('%j are forbidden, %j next to them are not', (inside, outside) => {
  expect(inside.filter(address => !isForbidden(address, []))).toEqual([])
  expect(outside.filter(address => address && isForbidden(address, []))).toEqual([])
})

const hex = (ipv4: string) =>
  Buffer.from(ipv4.split('.').map(Number))
    .toString('hex')
    .replace(/^(....)/, '$1:')

const carrying: Record<string, (ipv4: string) => string> = {
  mapped: ipv4 => `::ffff:${ipv4}`,
  'mapped, in hexadecimal': ipv4 => `::FFFF:${hex(ipv4).toUpperCase()}`,
  'mapped, written out': ipv4 => `0:0:0:0:0:ffff:${hex(ipv4)}`,
  NAT64: ipv4 => `64:ff9b::${ipv4}`,
  'NAT64, in hexadecimal': ipv4 => `0064:FF9B::${hex(ipv4)}`,
  '6to4': ipv4 => `2002:${hex(ipv4)}::1`,
}

test.each(Object.entries(carrying))(
  'an IPv4 address carried by IPv6 is judged itself: %s',
  (_name, carry) => {
    const isIpv4 = (address: string) => isIP(address) === 4
    for (const address of forbidden.filter(isIpv4)) {
      const judged = [[], ['8.8.8.8'], [address]].map(allowed =>
        isForbidden(carry(address), allowed),
      )
      expect([carry(address), ...judged]).toEqual([carry(address), true, true, false])
    }
    expect(open.filter(isIpv4).filter(address => isForbidden(carry(address), []))).toEqual([])
  },
)

const noAddress = [
  ...list(`localhost 1 1.2.3 1.2.3.4.5 8.8.8.08 010.8.8.8 8.8.8.256 0x8.8.8.8 8.8.8.8/32 8,8.8.8 ٨.8.8.8
    2606:4700::1111%eth0 [2606:4700::1111] 2606:4700 2606:4700:::1111 2606::4700::1111 2606:47001::1 1:2:3:4:5:6:7
    1:2:3:4:5:6:7:8:9 2606:1:2:3:4:5:6::7:8 2606::8.8.8 2606:8.8.8.8:: 2606:g::1 :2606::1 2606::1: 2606:-1::`),
  ...['', ' ', '8.8.8.8 ', '2606: 1::'],
]

test('what is no address is forbidden, whatever is allowed', () => {
  const passes = (text: string) =>
    [[], ['0.0.0.0/0', '::/0']].some(allowed => !isForbidden(text, allowed))
  expect(noAddress.filter(passes)).toEqual([])
})

// An address, the network that is allowed, and whether that opens it.
test.each(
  `10.1.2.3 10.0.0.0/8 opened
  10.1.2.3 10.1.2.3 opened
  10.1.2.3 10.1.2.3/32 opened
  10.1.2.3 10.9.9.9/8 opened
  169.254.169.254 0.0.0.0/0 opened
  127.0.0.1 ::ffff:127.0.0.0/104 opened
  fd12::1 fd00::/8 opened
  ::1 ::1 opened
  ::1 ::1/128 opened
  fe80::1 fe80::%eth0/10 opened
  64:ff9b:1::a00:1 64:ff9b:1::/48 opened
  10.1.2.3 10.1.2.4 not
  10.1.2.3 10.1.2.0/31 not
  fd12::1 fd00::/16 not
  ::1 127.0.0.0/8 not
  ::1 0.0.0.0/0 not
  fd00::1 0.0.0.0/0 not`
    .split('\n')
    .map(list),
)('%s, allowed %s: %s', (address = '', network = '', outcome) => {
  expect(isForbidden(address, [])).toBe(true)
  expect(isForbidden(address, ['192.0.2.1', network])).toBe(outcome === 'not')
})

test('random addresses are judged as node:net judges them, in any spelling', () => {
  const blocked = new BlockList()
  for (const network of list(`0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12
    192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`)) {
    const [address = '', bits] = network.split('/')
    blocked.addSubnet(address, Number(bits), 'ipv4')
  }
  for (let count = 0; count < 5_000; count += 1) {
    const ipv4 = [...randomBytes(4)].join('.')
    const expected = blocked.check(ipv4, 'ipv4')
    expect([ipv4, isForbidden(ipv4, [])]).toEqual([ipv4, expected])
    expect(isForbidden(`64:ff9b::${hex(ipv4)}`, [])).toBe(expected)
    const groups = Array.from({ length: 8 }, () =>
      Math.random() < 0.5 ? '0' : randomBytes(2).toString('hex'),
    )
    const written = groups.join(':').toUpperCase()
    const short = new URL(`https://[${written}]/`).hostname.slice(1, -1)
    // Allowed alone, an address opens itself in every spelling and no other.
    expect([isForbidden(short, [written]), isForbidden(written, [short])]).toEqual([false, false])
    expect(isForbidden('fe80::1', [written])).toBe(true)
  }
})
