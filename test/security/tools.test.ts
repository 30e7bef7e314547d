// The tool server: who may call it from a browser, and messages that no client sends.
import { expect, test } from 'bun:test'
import { useService } from '../support/http/service.ts'
import { deep, post, rpc } from '../support/http/tool_calls.ts'
import { attacks } from './attacks.ts'

const api = useService()

const origins = [
  ...[
    'https://evil.example',
    'http://evil.example',
    'null',
    'file://',
    'https://localhost.evil.example',
  ],
  ...['https://127.0.0.1.evil.example', 'http://127.0.0.2', 'http://0.0.0.0', 'https://[::2]'],
  ...[
    'http://user@evil.example',
    'evil.example',
    '*',
    'http://',
    'chrome-extension://a',
    'http://10.0.0.1',
  ],
]

const call = rpc('tools/call', { name: 'search_leads', arguments: { query: 'Anna' } })

const messages: unknown[] = [
  ...[null, true, 0, '', 'tools/call', [], [call], [call, call], {}, { jsonrpc: '2.0' }],
  ...[
    { ...call, jsonrpc: '1.0' },
    { ...call, id: null },
    { ...call, id: {} },
    { ...call, id: 1.5 },
  ],
  ...[
    { ...call, method: 5 },
    { ...call, method: '__proto__' },
    { ...call, params: [] },
  ],
  ...['__proto__', 'constructor', 'toString', '', 'search_leads\0', 'SEARCH_LEADS'].map(name =>
    rpc('tools/call', { name, arguments: {} }),
  ),
  ...[
    null,
    [],
    'x',
    { __proto__: null, query: {} },
    { query: ['a'] },
    { query: 'a', limit: '5' },
  ].map(given => rpc('tools/call', { name: 'search_leads', arguments: given })),
  rpc('tools/call', { name: 'search_leads', arguments: { query: '\0' } }),
  rpc('tools/call', { name: 'search_leads', arguments: { query: 'a'.repeat(300) } }),
  rpc('resources/read', { uri: 'file:///etc/passwd' }),
  rpc('completion/complete', {}),
  rpc('logging/setLevel', { level: 'debug' }),
  rpc('notifications/cancelled', { requestId: 1 }),
]

const texts = [
  ...['', '{', 'null', deep(10_000), '{"jsonrpc":"2.0","id":1e999,"method":"ping"}'],
  ...['{"__proto__":{"jsonrpc":"2.0","method":"tools/list","id":1}}', '\ufeff{}', '{"a":1}{"b":2}'],
]

const attack = attacks('tools', origins.length + messages.length + texts.length)

test('no website but ours and those of the machine may call the tools', async () => {
  for (const origin of origins) {
    const { status, text } = await post(api, JSON.stringify(call), { origin })
    expect([origin, status]).toEqual([origin, 403])
    expect(text).not.toContain('evil')
    attack.held()
  }
})

test('no message is a fault of ours, leaves something behind, or is answered outside of JSON', async () => {
  for (const body of [...messages.map(message => JSON.stringify(message)), ...texts]) {
    const { status, headers, text } = await post(api, body)
    expect([body.slice(0, 80), status < 500]).toEqual([body.slice(0, 80), true])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).not.toMatch(/passwd|at .*\.ts:\d+/)
    attack.held()
  }
  expect(({} as Record<string, unknown>).jsonrpc).toBeUndefined()
  expect((await post(api, JSON.stringify(call))).status).toBe(200)
})
