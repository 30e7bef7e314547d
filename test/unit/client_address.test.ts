// Which client a failed authentication counts for: the socket, unless TRUSTED_PROXIES says otherwise.
import { describe, expect, test } from 'bun:test'
import { clientAddressReader, throttleGroup } from '../../src/api/http/client_address.ts'

describe('without trusted proxies', () => {
  const read = clientAddressReader([])

  test('the socket decides and X-Forwarded-For is not read', () => {
    expect(read('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7')
    expect(read('127.0.0.1', '198.51.100.1')).toBe('127.0.0.1')
  })

  test('an IPv4-mapped socket address is the IPv4 address', () => {
    expect(read('::ffff:203.0.113.7', null)).toBe('203.0.113.7')
    expect(read('::FFFF:203.0.113.7', null)).toBe('203.0.113.7')
  })
})

describe('behind trusted proxies', () => {
  const read = clientAddressReader(['10.0.0.0/8', '192.0.2.1', 'fd00::/8'])

  test('a socket that is no trusted proxy is the client, whatever it claims', () => {
    expect(read('203.0.113.7', '198.51.100.1')).toBe('203.0.113.7')
    expect(read('192.0.2.2', '198.51.100.1')).toBe('192.0.2.2')
  })

  test('the last address before the trusted ones is the client', () => {
    expect(read('10.1.2.3', '198.51.100.1')).toBe('198.51.100.1')
    expect(read('10.1.2.3', '198.51.100.1, 192.0.2.1,10.9.9.9')).toBe('198.51.100.1')
    expect(read('fd12::1', '2001:db8::5')).toBe('2001:db8::5')
    expect(read('::ffff:10.1.2.3', '::ffff:198.51.100.1')).toBe('198.51.100.1')
  })

  test.each([
    ['198.51.100.77:40000', '198.51.100.77'],
    ['[2001:db8::9]:443', '2001:db8::9'],
    ['[2001:db8::9]', '2001:db8::9'],
    ['192.0.2.1, 198.51.100.1:443', '198.51.100.1'],
  ])('a port that the proxy writes is left out: %s', (forwardedFor, client) => {
    expect(read('10.1.2.3', forwardedFor)).toBe(client)
  })

  test('what the client wrote into X-Forwarded-For itself does not count', () => {
    expect(read('10.1.2.3', '1.1.1.1, 198.51.100.1')).toBe('198.51.100.1')
    expect(read('10.1.2.3', '10.7.7.7, 198.51.100.1')).toBe('198.51.100.1')
  })

  test('a chain of nothing but trusted proxies ends at the first of them', () => {
    expect(read('10.1.2.3', '10.0.0.1, 10.0.0.2')).toBe('10.0.0.1')
  })

  test.each(['', 'unknown', '198.51.100.1:x', '[198.51', '_hidden', '999.1.1.1', ', ,'])(
    'an unreadable hop leaves the proxy that reported it: "%s"',
    forwardedFor => {
      expect(read('10.1.2.3', forwardedFor)).toBe('10.1.2.3')
    },
  )

  test('no header leaves the proxy itself', () => {
    expect(read('10.1.2.3', null)).toBe('10.1.2.3')
  })

  test('of an endless chain only the last 32 hops are read', () => {
    const chain = ['198.51.100.1', ...Array(40).fill('10.0.0.9')].join(',')
    expect(read('10.1.2.3', chain)).toBe('10.0.0.9')
  })

  test('an address of an unknown socket is no trusted proxy', () => {
    expect(read('', '198.51.100.1')).toBe('')
  })
})

describe('the group failures are counted for', () => {
  test('an IPv4 address stands alone', () => {
    expect(throttleGroup('203.0.113.7')).toBe('203.0.113.7')
    expect(throttleGroup('::ffff:203.0.113.7')).toBe('203.0.113.7')
  })

  test.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['2001::2:3:4:5:6:7', '2001:0:2:3::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['1:2::4:5:6:192.0.2.1', '1:2:0:4::/64'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('an IPv6 address counts for its /64: %s', (address, group) => {
    expect(throttleGroup(address)).toBe(group)
  })

  test('neighbouring /64 networks are counted apart', () => {
    expect(throttleGroup('2001:db8:1:2::1')).not.toBe(throttleGroup('2001:db8:1:3::1'))
  })

  test('an unknown address is a group of its own', () => {
    expect(throttleGroup('')).toBe('')
  })
})

describe('an IPv4 address mapped to IPv6', () => {
  const spellings = [
    '::ffff:203.0.113.7',
    '::FFFF:203.0.113.7',
    '::ffff:cb00:7107',
    '::FFFF:CB00:7107',
    '0:0:0:0:0:ffff:203.0.113.7',
    '0:0:0:0:0:ffff:cb00:7107',
    '0000:0000:0000:0000:0000:ffff:cb00:7107',
    '0::ffff:203.0.113.7',
    '::0:ffff:203.0.113.7',
  ]

  test.each(spellings)('is that address: %s', address => {
    expect(throttleGroup(address)).toBe('203.0.113.7')
    expect(clientAddressReader(['10.0.0.0/8'])('10.0.0.1', address)).toBe('203.0.113.7')
    expect(clientAddressReader(['203.0.113.7'])(address, '198.51.100.1')).toBe('198.51.100.1')
  })

  test.each(['::ffff:1:203.0.113.7', '::fffe:203.0.113.7', '1::ffff:203.0.113.7', '::203.0.113.7'])(
    'is not every address that ends like one: %s',
    address => {
      expect(throttleGroup(address)).toEndWith('::/64')
    },
  )
})
