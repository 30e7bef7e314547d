// Where a holder of write:hooks may have events sent: nowhere inside, by no spelling, and learning nothing on the way.
import { expect, test } from 'bun:test'
import { subscribe, useService } from '../support/http/service.ts'
import { attacks } from './attacks.ts'

const api = useService({ HOOKS_MAX: '10000' })

const inside = [
  ...['127.0.0.1', '127.1', '0', '0.0.0.0', '2130706433', '017700000001', '0x7f000001', '0x7f.1'],
  ...['127.0.0.1.', '１２７.0.0.1', '127。0。0。1', '%31%32%37.0.0.1', '10.0.0.1', '167772161'],
  ...['172.16.0.1', '172.31.255.254', '192.168.0.1', '0xc0a80001', '100.64.0.1', '169.254.169.254'],
  ...['2852039166', '168.63.129.16', '192.0.0.192', '224.0.0.1', '255.255.255.255', '240.0.0.1'],
  ...[
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::FFFF:10.0.0.1]',
    '[::127.0.0.1]',
  ],
  ...['[64:ff9b::127.0.0.1]', '[64:ff9b:1::1]', '[2002:7f00:1::]', '[2001::1]', '[fc00::1]'],
  ...['[fd00:ec2::254]', '[fe80::1]', '[ff02::1]', 'localhost', 'LOCALHOST.', 'a.localhost'],
  ...[
    'localhost.localdomain',
    'ⓛocalhost',
    'loc\u00adalhost',
    'metadata.google.internal',
    'metadata',
  ],
]

const outside = [
  ...['http://hooks.example.com/', 'ftp://hooks.example.com/', 'file:///etc/passwd', 'gopher://a/'],
  ...[
    'https:hooks.example.com',
    'https:/hooks.example.com',
    '//hooks.example.com/',
    'javascript:1',
  ],
  ...[
    'https://user@hooks.example.com/',
    'https://a:b@hooks.example.com/',
    'https://a.example.com:0/',
  ],
  ...['https://hooks.example.com\\@127.0.0.1/', 'https://hooks.example.com /', 'https://[::1/'],
  ...['https://hooks.example.com/\r\nHost: evil', ' https://hooks.example.com/', 'https://'],
  ...['data:text/plain,a', 'https://a..example.com/', 'https://-a.example.com/', 'https://a b/'],
]

const attack = attacks('targets', inside.length + outside.length)

test('no address of the inside is taken, however it is written', async () => {
  for (const host of inside) {
    const { status, body } = await subscribe(api, { target_url: `https://${host}/` })
    expect([host, status, body.error?.code]).toEqual([host, 400, 'invalid_subscription'])
    attack.held()
  }
})

test('nothing but an https address is taken, and a refusal repeats nothing of it', async () => {
  for (const target_url of outside) {
    const { status, body, text } = await subscribe(api, { target_url })
    expect([target_url, status, body.error?.code]).toEqual([
      target_url,
      400,
      'invalid_subscription',
    ])
    expect(text).not.toMatch(/passwd|hooks\.example|evil/)
    attack.held()
  }
  expect((await api.send('/hooks')).body.meta.count).toBe(0)
})
