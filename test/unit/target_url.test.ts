// What a subscription's target URL may be, judged by its text.
import { expect, test } from 'bun:test'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { readTargetUrl } from '../../src/model/target_url.ts'

const isUri = fullFormats.uri as (text: string) => boolean
const list = (text: string) => text.trim().split(/\s+/)

const refusalOf = (text: string, allowed: string[] = []) => {
  const target = readTargetUrl(text, allowed)
  return 'refused' in target ? target.refused : undefined
}

const forbidden: Record<string, string[]> = {
  'a private or reserved address':
    list(`127.0.0.1 127.1 127.0.1 0 0.0.0.0 2130706433 017700000001 0x7f000001 0x7f.1
    0x7F.0x0.0x0.0x1 0177.0.0.1 0177.1 127.0.0.1. 127.0.0.1:8443 １２７.0.0.1 １２７。０。０。１ 127｡0｡0｡1 ①②⑦.0.0.1
    %31%32%37.0.0.1 127.0.0.%31 10.0.0.1 10.1 167772161 0xa.0.0.1 012.0.0.1 172.16.0.1 172.31.255.254 192.168.0.1
    192.168.257 0xc0a80001 100.64.0.1 169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.254.43518
    168.63.129.16 192.0.0.192 100.100.100.200 224.0.0.1 255.255.255.255 240.0.0.1 192.0.2.1 198.18.0.1 [::] [::1]
    [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::1]:443 [::ffff:127.0.0.1] [::ffff:7f00:1]
    [::FFFF:10.0.0.1] [0:0:0:0:0:ffff:a9fe:a9fe] [::127.0.0.1] [::7f00:1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1]
    [64:ff9b::a00:1] [64:ff9b:1::1] [2002:7f00:1::] [2002:a9fe:a9fe::1] [2001::1] [2001:db8::1] [fc00::1]
    [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1] [100::1] [5f00::1]`),
  'this machine':
    list(`localhost LOCALHOST localhost. LocalHost:8443 a.localhost a.b.localhost. localhost.localdomain
    ip6-localhost ip6-loopback ｌｏｃａｌｈｏｓｔ loc%61lhost ⓛocalhost loc\u00adalhost local\u200bhost`),
  'a metadata server':
    list(`metadata.google.internal METADATA.Google.Internal metadata.google.internal. metadata.goog
    metadata instance-data Instance-Data. instance-data.ec2.internal metadata.google.internal:443
    metadata%2Egoogle%2Einternal metadata。google。internal`),
  'a host with its domain': list(
    'intranet INTRANET intranet. intranet:8443 notlocalhost ｉｎｔｒａｎｅｔ intra_net xn--mnchen-3ya',
  ),
  'name a host': list(`example.com.. a..example.com .example.com .. -a.example.com a-.example.com
    ${'a'.repeat(64)}.example.com ${'a.'.repeat(127)}example.com ex*mple.com a!b.example.com`),
  'port 0': list('example.com:0 example.com:00000 [2606:4700::1111]:0'),
  'a user name or password': list(`user@example.com user:secret@example.com :secret@example.com
    127.0.0.1@example.com example.com%2f@127.0.0.1 example.com:443@127.0.0.1`),
  'spaces, control characters': [
    ...[
      'exa\tmple.com',
      'local\thost',
      'example.com\n',
      'example.com/a b',
      'example.com\\@127.0.0.1',
    ],
    ...[
      'example.com/\0',
      'example.com/\x7f',
      'example.com\r\nX: y',
      'example.com/\u00a0',
      'a\u2028',
    ],
  ],
  'encode its host with %': list('ex%61mple.com example%2Ecom example.com%2e'),
  'must be a URL':
    list(`example.com:65536 example.com:x 256.256.256.256 1.2.3.4.5 [::1 [::1%25eth0] exa<mple.com xn--a
    a.example.0x7f [::1]. %00.example.com ? # @`),
}

test.each(Object.entries(forbidden))('refused for %s', (reason, hosts) => {
  for (const host of hosts) {
    expect([host, refusalOf(`https://${host}`)]).toEqual([host, expect.stringContaining(reason)])
    expect([host, refusalOf(`HttpS://${host}/hooks?a=b#c`)]).toEqual([host, expect.any(String)])
  }
})

test('what does not begin with https:// and a host is refused, and a refusal repeats nothing', () => {
  const others = [
    ...list(`example.com //example.com http://example.com HTTP://example.com ftp://example.com https:example.com
      https:/example.com https:///example.com https:// wss://a.b javascript:alert(1) file:///etc/passwd
      https:\\\\example.com httpſ://example.com blob:https://example.com/a`),
    ...['', 'https:// ', ' https://example.com', '\thttps://example.com', 'h\nttps://example.com'],
  ]
  for (const text of others)
    expect([text, refusalOf(text)]).toEqual([text, expect.stringMatching(/https:\/\/|spaces|host/)])
  expect(refusalOf('https:///example.com')).toBe('target_url must name a host')
  expect(refusalOf('https://user:secret@127.0.0.1/token')).not.toMatch(/secret|127|token/)
})

// As given, and as kept where that is something else.
const kept = `
  https://example.com https://example.com/
  HTTPS://EXAMPLE.com/Hooks https://example.com/Hooks
  https://example.com:443/a https://example.com/a
  https://example.com:8443/a
  https://example.com:1/
  https://example.com:65535/
  https://example.com./a https://example.com/a
  https://example.com/a/../b/./c https://example.com/b/c
  https://example.com/a?b=c&d=%20
  https://example.com/a#fragment https://example.com/a
  https://example.com/# https://example.com/
  https://example.com?a=b https://example.com/?a=b
  https://münchen.example/über https://xn--mnchen-3ya.example/%C3%BCber
  https://ｅｘａｍｐｌｅ.com/ https://example.com/
  https://a_b.example.com/
  https://_dmarc.example.com/
  https://hooks.zapier.example/hooks/catch/1/a/
  https://localhost.example.com/
  https://notlocalhost.example/
  https://metadata.example.com/
  https://1.example.com/
  https://8.8.8.8/
  https://134744072/ https://8.8.8.8/
  https://172.32.0.1/
  https://[2606:4700:0:0::1111]/ https://[2606:4700::1111]/
  https://[::ffff:8.8.8.8]/ https://[::ffff:808:808]/
  https://[64:ff9b::8.8.8.8]:8443/ https://[64:ff9b::808:808]:8443/
  https://example.com/a@b:c
  https://example.com/%00%0a
  https://example.com/%zz/100% https://example.com/%25zz/100%25
  https://example.com/%%41%e2%8 https://example.com/%25%41%e2%258
  https://example.com/a|b/[x]^{y} https://example.com/a%7Cb/%5Bx%5D%5E%7By%7D
  https://example.com/?q={id}|^[0]&p=5% https://example.com/?q=%7Bid%7D%7C%5E%5B0%5D&p=5%25
  https://example.com/? https://example.com/
  https://example.com/<"'>?<"'> https://example.com/%3C%22'%3E?%3C%22%27%3E
  https://@example.com/ https://example.com/
  https://nowhere.invalid/`

test.each(kept.trim().split('\n').map(list))(
  '%s is kept as %s, and that as it is',
  (text = '', url = text) => {
    expect(readTargetUrl(text, [])).toEqual({ url })
    expect(readTargetUrl(url, [])).toEqual({ url })
    // As the published schema has it.
    expect(isUri(url)).toBe(true)
  },
)

test('2,048 characters are enough, counted as given and as kept', () => {
  const longest = `https://example.com/${'a'.repeat(2_028)}`
  expect(readTargetUrl(longest, [])).toEqual({ url: longest })
  // Kept as %C3%BC, six characters for one.
  for (const text of [`${longest}a`, `https://example.com/${'ü'.repeat(1_000)}`])
    expect(refusalOf(text)).toContain('2,048')
})

test('allowed networks open their addresses, this machine by name, and names of one label', () => {
  const isRefused = (host: string) =>
    refusalOf(`https://${host}/`, ['10.0.0.0/8', '127.0.0.1']) !== undefined
  const opened = list('10.1.2.3 [::ffff:10.1.2.3] 127.0.0.1:8443 localhost a.localhost receiver')
  const others = list('127.0.0.2 [::1] 192.168.0.1 metadata.google.internal metadata')
  expect([...opened, ...others].filter(isRefused)).toEqual(others)
})
