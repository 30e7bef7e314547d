// Which client a failed authentication counts for: the socket, unless TRUSTED_PROXIES says otherwise.
import { expect, test } from 'bun:test'
import { clientAddressReader, throttleGroup } from '../../src/api/http/client_address.ts'

const proxies = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8']

/** By what holds: the socket | X-Forwarded-For | the client. */
const clients: Record<string, string> = {
  'an IPv4-mapped socket address is the IPv4 address': `
    ::ffff:203.0.113.7 | | 203.0.113.7
    ::FFFF:203.0.113.7 | 198.51.100.1 | 203.0.113.7`,
  'a socket that is no trusted proxy is the client, whatever it claims': `
    203.0.113.7 | 198.51.100.1 | 203.0.113.7
    192.0.2.2 | 198.51.100.1 | 192.0.2.2
    127.0.0.1 | 198.51.100.1 | 127.0.0.1
    | 198.51.100.1 |`,
  'the last address before the trusted ones is the client, and what it wrote itself does not count': `
    10.1.2.3 | 198.51.100.1 | 198.51.100.1
    10.1.2.3 | 198.51.100.1, 192.0.2.1,10.9.9.9 | 198.51.100.1
    10.1.2.3 | 1.1.1.1, 198.51.100.1 | 198.51.100.1
    10.1.2.3 | 10.7.7.7, 198.51.100.1 | 198.51.100.1
    fd12::1 | 2001:db8::5 | 2001:db8::5
    ::ffff:10.1.2.3 | ::ffff:198.51.100.1 | 198.51.100.1`,
  'a chain of nothing but trusted proxies ends at the first of them, or of the last 32': `
    10.1.2.3 | 10.0.0.1, 10.0.0.2 | 10.0.0.1
    10.1.2.3 | 198.51.100.1${',10.0.0.9'.repeat(40)} | 10.0.0.9`,
  'a port that the proxy writes is left out': `
    10.1.2.3 | 198.51.100.77:40000 | 198.51.100.77
    10.1.2.3 | [2001:db8::9]:443 | 2001:db8::9
    10.1.2.3 | [2001:db8::9] | 2001:db8::9
    10.1.2.3 | 192.0.2.1, 198.51.100.1:443 | 198.51.100.1`,
  'an unreadable hop, or none, leaves the proxy that reported it': ['', 'unknown']
    .concat(['198.51.100.1:x', '[198.51', '_hidden', '999.1.1.1', ', ,'])
    .map(hop => `10.1.2.3 | ${hop} | 10.1.2.3`)
    .join('\n'),
}

test.each(Object.entries(clients))('%s', (_, table) => {
  for (const line of table.trim().split('\n')) {
    const [socket = '', header = '', client = ''] = line.split('|').map(cell => cell.trim())
    for (const forwardedFor of header === '' ? ['', null] : [header])
      expect([line, clientAddressReader(proxies)(socket, forwardedFor)]).toEqual([line, client])
  }
})

test('without trusted proxies the socket decides and X-Forwarded-For is not read', () => {
  for (const socket of ['203.0.113.7', '127.0.0.1', '10.1.2.3'])
    expect(clientAddressReader([])(socket, '198.51.100.1')).toBe(socket)
})

const mapped = `::ffff:203.0.113.7 ::FFFF:203.0.113.7 ::ffff:cb00:7107 ::FFFF:CB00:7107 0:0:0:0:0:ffff:203.0.113.7
  0:0:0:0:0:ffff:cb00:7107 0000:0000:0000:0000:0000:ffff:cb00:7107 0::ffff:203.0.113.7 ::0:ffff:203.0.113.7`

// An IPv4 address counts alone, in whatever IPv6 spelling; an IPv6 address for its /64.
test.each([
  ['203.0.113.7', `203.0.113.7 ${mapped}`],
  ['2001:db8:1:2::/64', '2001:db8:1:2:3:4:5:6 2001:0DB8:0001:0002:: 2001:db8:1:2::9'],
  ['2001:db8:1:3::/64', '2001:db8:1:3::1'],
  ['2001:db8:0:0::/64', '2001:db8::9 2001:db8:0:0:1::'],
  ['2001:0:2:3::/64', '2001::2:3:4:5:6:7'],
  ['0:2:3:4::/64', '::2:3:4:5:6:7:8'],
  ['1:2:0:4::/64', '1:2::4:5:6:192.0.2.1'],
  ['1:2:3:4::/64', '1:2:3:4:5:6:192.0.2.1'],
  ['0:0:0:0::/64', '::1 :: ::ffff:1:203.0.113.7 ::fffe:203.0.113.7 ::203.0.113.7'],
  ['1:0:0:0::/64', '1::ffff:203.0.113.7'],
  ['fe80:0:0:0::/64', 'fe80::1%eth0'],
  ['', ''],
])('failures are counted for "%s"', (group, addresses) => {
  for (const address of addresses.split(/\s+/))
    expect([address, throttleGroup(address)]).toEqual([address, group])
})

test('an IPv4 address mapped to IPv6 is that address, as a client and as a proxy', () => {
  for (const address of mapped.split(/\s+/)) {
    expect(clientAddressReader(['10.0.0.0/8'])('10.0.0.1', address)).toBe('203.0.113.7')
    expect(clientAddressReader(['203.0.113.7'])(address, '198.51.100.1')).toBe('198.51.100.1')
  }
})
