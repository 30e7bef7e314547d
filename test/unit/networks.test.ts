// Which addresses are no place on the public internet.
import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import { isForbidden } from '../../src/model/networks.ts'

// First and last of each network, with the neighbours outside.
const edges: [forbidden: string[], open: string[]][] = [
  [['0.0.0.0', '0.255.255.255'], ['1.0.0.0']],
  [
    ['10.0.0.0', '10.255.255.255'],
    ['9.255.255.255', '11.0.0.0'],
  ],
  [
    ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
    ['100.63.255.255', '100.128.0.0'],
  ],
  [
    ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
    ['126.255.255.255', '128.0.0.0'],
  ],
  [['168.63.129.16'], ['168.63.129.15', '168.63.129.17']],
  [
    ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
    ['169.253.255.255', '169.255.0.0'],
  ],
  [
    ['172.16.0.0', '172.31.255.255'],
    ['172.15.255.255', '172.32.0.0'],
  ],
  [
    ['192.0.0.0', '192.0.0.192', '192.0.0.255'],
    ['191.255.255.255', '192.0.1.0'],
  ],
  [
    ['192.0.2.0', '192.0.2.255'],
    ['192.0.1.255', '192.0.3.0'],
  ],
  [
    ['192.88.99.0', '192.88.99.255'],
    ['192.88.98.255', '192.88.100.0'],
  ],
  [
    ['192.168.0.0', '192.168.255.255'],
    ['192.167.255.255', '192.169.0.0'],
  ],
  [
    ['198.18.0.0', '198.19.255.255'],
    ['198.17.255.255', '198.20.0.0'],
  ],
  [
    ['198.51.100.0', '198.51.100.255'],
    ['198.51.99.255', '198.51.101.0'],
  ],
  [
    ['203.0.113.0', '203.0.113.255'],
    ['203.0.112.255', '203.0.114.0'],
  ],
  [['224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255'], ['223.255.255.255']],
  // Nothing below 2000:: and above 3fff:: is routed: loopback to NAT64, and ULA, link-local, multicast.
  [['::', '::1', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], ['2000::']],
  [['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'], ['3ffe:ffff::']],
  [['fc00::', 'fd00:ec2::254', 'fdff::1', 'fe80::1', 'febf::1', 'fec0::1', 'feff::1'], []],
  [['ff00::', 'ff02::1', 'ff0e::1', '100::1', '5f00::1', '::8.8.8.8', '::ffff:0:808:808'], []],
  [
    ['2001::', '2001:0:4136:e378::1', '2001:10::1', '2001:20::1', '2001:1ff:ffff::'],
    ['2001:200::'],
  ],
  [
    ['2001:db8::', '2001:db8:ffff:ffff::1'],
    ['2001:db7:ffff::', '2001:db9::'],
  ],
  [['3fff::', '3fff:fff:ffff::1'], ['3fff:1000::']],
  [['64:ff9b:1::808:808', '64:ff9b:0:0:0:1::1', '64:ff9a::1'], []],
]

test.each(edges)('%j are forbidden, %j next to them are not', (forbidden, open) => {
  expect(forbidden.filter(address => !isForbidden(address, []))).toEqual([])
  expect(open.filter(address => isForbidden(address, []))).toEqual([])
})

const hex = (ipv4: string) =>
  ipv4
    .split('.')
    .map(byte => Number(byte).toString(16).padStart(2, '0'))
    .join('')
    .replace(/^(....)/, '$1:')

const carrying: [name: string, carry: (ipv4: string) => string][] = [
  ['mapped', ipv4 => `::ffff:${ipv4}`],
  ['mapped, in hexadecimal', ipv4 => `::FFFF:${hex(ipv4).toUpperCase()}`],
  ['mapped, written out', ipv4 => `0:0:0:0:0:ffff:${hex(ipv4)}`],
  ['NAT64', ipv4 => `64:ff9b::${ipv4}`],
  ['NAT64, in hexadecimal', ipv4 => `0064:FF9B::${hex(ipv4)}`],
  ['6to4', ipv4 => `2002:${hex(ipv4)}::1`],
]

test.each(carrying)('an IPv4 address carried by IPv6 is judged itself: %s', (_name, carry) => {
  for (const [forbidden, open] of edges) {
    const isIpv4 = (address: string) => isIP(address) === 4
    for (const address of forbidden.filter(isIpv4)) {
      expect([carry(address), isForbidden(carry(address), [])]).toEqual([carry(address), true])
      expect(isForbidden(carry(address), [address])).toBe(false)
      expect(isForbidden(carry(address), ['8.8.8.8'])).toBe(true)
    }
    for (const address of open.filter(isIpv4)) expect(isForbidden(carry(address), [])).toBe(false)
  }
})

test.each([
  ...['', ' ', 'localhost', '1', '1.2.3', '1.2.3.4.5', '8.8.8.08', '010.8.8.8', '8.8.8.256'],
  ...['8.8.8.8 ', '0x8.8.8.8', '8.8.8.8/32', '8,8.8.8', '٨.8.8.8', '2606:4700::1111%eth0'],
  ...['[2606:4700::1111]', '2606:4700', '2606:4700:::1111', '2606::4700::1111', '2606:47001::1'],
  ...[
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '2606:1:2:3:4:5:6::7:8',
    '2606::8.8.8',
    '2606:8.8.8.8::',
  ],
  ...['2606:g::1', ':2606::1', '2606::1:', '2606:-1::', '2606: 1::'],
])('what is no address is forbidden, whatever is allowed: %j', text => {
  expect(isForbidden(text, [])).toBe(true)
  expect(isForbidden(text, ['0.0.0.0/0', '::/0'])).toBe(true)
})

describe('allowed networks', () => {
  test.each([
    ['10.1.2.3', '10.0.0.0/8'],
    ['10.1.2.3', '10.1.2.3'],
    ['10.1.2.3', '10.1.2.3/32'],
    ['10.1.2.3', '10.9.9.9/8'],
    ['169.254.169.254', '0.0.0.0/0'],
    ['127.0.0.1', '::ffff:127.0.0.0/104'],
    ['fd12::1', 'fd00::/8'],
    ['::1', '::1'],
    ['::1', '::1/128'],
    ['fe80::1', 'fe80::%eth0/10'],
    ['64:ff9b:1::a00:1', '64:ff9b:1::/48'],
  ])('%s is open where %s is allowed', (address, network) => {
    expect(isForbidden(address, [])).toBe(true)
    expect(isForbidden(address, ['192.0.2.1', network])).toBe(false)
  })

  test.each([
    ['10.1.2.3', '10.1.2.4'],
    ['11.0.0.0', '10.0.0.0/8'],
    ['10.1.2.3', '10.1.2.0/31'],
    ['fd12::1', 'fd00::/16'],
    ['::1', '127.0.0.0/8'],
    ['::1', '0.0.0.0/0'],
    ['fd00::1', '0.0.0.0/0'],
  ])('%s is not opened by %s', (address, network) => {
    expect(isForbidden(address, [network])).toBe(isForbidden(address, []))
  })
})

test('random addresses are judged as node:net judges them, in any spelling', () => {
  const list = new BlockList()
  for (const network of [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32'],
    ...['169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24'],
    ...['192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  ]) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), 'ipv4')
  }
  for (let count = 0; count < 20_000; count += 1) {
    const ipv4 = [...randomBytes(4)].join('.')
    const expected = list.check(ipv4, 'ipv4')
    expect([ipv4, isForbidden(ipv4, [])]).toEqual([ipv4, expected])
    expect(isForbidden(`64:ff9b::${hex(ipv4)}`, [])).toBe(expected)
  }
})

test('random IPv6 addresses in their many spellings are read as the URL parser reads them', () => {
  for (let count = 0; count < 5_000; count += 1) {
    const groups = Array.from({ length: 8 }, () =>
      Math.random() < 0.5 ? '0' : randomBytes(2).toString('hex'),
    )
    const written = groups.join(':').toUpperCase()
    const short = new URL(`https://[${written}]/`).hostname.slice(1, -1)
    // Allowed alone, an address opens itself in every spelling and no other.
    expect(isForbidden(short, [written])).toBe(false)
    expect(isForbidden(written, [short])).toBe(false)
    expect(isForbidden('fe80::1', [written])).toBe(true)
  }
})
