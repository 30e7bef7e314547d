// Which client a failed authentication counts for: the socket, unless TRUSTED_PROXIES says otherwise.
import { expect, test } from 'bun:test'
import {
  clientAddressReader,
  clientReader,
  throttleGroup,
} from '../../src/api/http/client_address.ts'

const trusted = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8']

// The trusted proxies, the socket, X-Forwarded-For and the client.
test.each<[proxies: string[], socket: string, forwarded: string | null, client: string]>([
  // Without proxies the socket decides, and the header is not read.
  [[], '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  [[], '127.0.0.1', '198.51.100.1', '127.0.0.1'],
  // A socket that is no trusted proxy is the client, whatever it claims.
  [trusted, '192.0.2.2', '198.51.100.1', '192.0.2.2'],
  [trusted, '', '198.51.100.1', ''],
  // The last address before the trusted ones, not what the client wrote itself.
  [trusted, '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  [trusted, '10.1.2.3', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  [trusted, '10.1.2.3', '10.7.7.7, 198.51.100.1, 192.0.2.1,10.9.9.9', '198.51.100.1'],
  [trusted, 'fd12::1', '2001:db8::5', '2001:db8::5'],
  // A port that the proxy writes is left out.
  [trusted, '10.1.2.3', '192.0.2.1, 198.51.100.77:40000', '198.51.100.77'],
  [trusted, '10.1.2.3', '[2001:db8::9]:443', '2001:db8::9'],
  [trusted, '10.1.2.3', '[2001:db8::9]', '2001:db8::9'],
  // A chain of proxies alone ends at the first; of an endless one the last 32 hops are read.
  [trusted, '10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  [trusted, '10.1.2.3', ['198.51.100.1', ...Array(40).fill('10.0.0.9')].join(), '10.0.0.9'],
  // A hop that cannot be read leaves the proxy that reported it.
  ...[null, '', 'unknown', '198.51.100.1:x', '[198.51', '_hidden', '999.1.1.1', ', ,'].map(
    (hop): [string[], string, string | null, string] => [trusted, '10.1.2.3', hop, '10.1.2.3'],
  ),
])('behind %j, from %p with %p the client is %p', (proxies, socket, forwarded, client) => {
  expect(clientAddressReader(proxies)(socket, forwarded)).toBe(client)
})

test.each(
  Object.entries({
    '203.0.113.7': '203.0.113.7',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:0DB8:0001:0002::': '2001:db8:1:2::/64',
    '2001:db8:1:3::9': '2001:db8:1:3::/64',
    '2001:db8::9': '2001:db8:0:0::/64',
    '2001:db8:0:0:1::': '2001:db8:0:0::/64',
    '2001::2:3:4:5:6:7': '2001:0:2:3::/64',
    '::2:3:4:5:6:7:8': '0:2:3:4::/64',
    '1:2::4:5:6:192.0.2.1': '1:2:0:4::/64',
    '1:2:3:4:5:6:192.0.2.1': '1:2:3:4::/64',
    '::1': '0:0:0:0::/64',
    '::': '0:0:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    // Not every address that ends like a mapped one is mapped.
    '::ffff:1:203.0.113.7': '0:0:0:0::/64',
    '::fffe:203.0.113.7': '0:0:0:0::/64',
    '1::ffff:203.0.113.7': '1:0:0:0::/64',
    '::203.0.113.7': '0:0:0:0::/64',
    '': '',
  }),
)('failures of %p count for %p', (address, group) => {
  expect(throttleGroup(address)).toBe(group)
})

const mapped = `::ffff:203.0.113.7 ::FFFF:203.0.113.7 ::ffff:cb00:7107 ::FFFF:CB00:7107 0:0:0:0:0:ffff:203.0.113.7
  0:0:0:0:0:ffff:cb00:7107 0000:0000:0000:0000:0000:ffff:cb00:7107 0::ffff:203.0.113.7 ::0:ffff:203.0.113.7`

test.each(mapped.split(/\s+/))('an IPv4 address mapped to IPv6 is that address: %s', address => {
  expect(throttleGroup(address)).toBe('203.0.113.7')
  expect(clientAddressReader([])(address, null)).toBe('203.0.113.7')
  expect(clientAddressReader(['10.0.0.0/8'])('10.0.0.1', address)).toBe('203.0.113.7')
  expect(clientAddressReader(['203.0.113.7'])(address, '198.51.100.1')).toBe('198.51.100.1')
})

test.each(['x-forwarded-for', 'forwarded', 'x-real-ip'])(
  'the header %s of a proxy is reported once, where none is trusted',
  name => {
    for (const [proxies, reported] of [
      [[], [name]],
      [trusted, []],
    ] as const) {
      const seen: string[] = []
      const clients = clientReader([...proxies], header => seen.push(header))
      for (const headers of [{}, { [name]: '198.51.100.1' }, { [name]: '198.51.100.1' }])
        clients.note(new Request('http://test/', { headers } as RequestInit), () => '127.0.0.1')
      expect(seen).toEqual([...reported])
    }
  },
)
