// What opens the API: one header, one form, one live key, and its own scopes.
import { expect, test } from 'bun:test'
import { makeApiKey } from '../../src/model/api_key.ts'
import { type Scope, scopes } from '../../src/model/scope.ts'
import { bearer, sendTo, useService } from '../support/http/service.ts'
import { callTool } from '../support/http/tool_calls.ts'
import { attacks } from './attacks.ts'

const api = useService()

const forms: ((key: string) => Record<string, string>)[] = [
  key => ({ authorization: key }),
  key => ({ authorization: `Basic ${btoa(`:${key}`)}` }),
  key => ({ authorization: `Bearer${key}` }),
  key => ({ authorization: `Bearer: ${key}` }),
  key => ({ authorization: `Bearer "${key}"` }),
  key => ({ authorization: `Bearer ${key},` }),
  key => ({ authorization: `Bearer ${key} ${key}` }),
  key => ({ authorization: `Bearer ${key}, Bearer ${key}` }),
  key => ({ authorization: `Token ${key}` }),
  key => ({ authorization: `Bearer ${key.slice(0, -1)}` }),
  key => ({ authorization: `Bearer ${key}0` }),
  key => ({ authorization: `Bearer ${key.toLowerCase()}` }),
  key => ({ authorization: `Bearer ${key.slice(0, 12)}` }),
  key => ({ authorization: `Bearer%20${key}` }),
  key => ({ 'x-api-key': key }),
  key => ({ 'x-authorization': `Bearer ${key}` }),
  key => ({ 'proxy-authorization': `Bearer ${key}` }),
  key => ({ cookie: `authorization=Bearer ${key}; key=${key}` }),
  () => ({ authorization: `Bearer ${makeApiKey()}` }),
  () => ({ authorization: 'Bearer undefined' }),
]

const queries = ['key', 'api_key', 'access_token', 'token', 'authorization']

const attack = attacks('keys', forms.length + queries.length + 60)

test.each(forms.map((form, index) => [index, form] as const))(
  'form %i of a key is none',
  async (_, form) => {
    // Failures are counted by address, and that is another test's.
    const { status, body } = await sendTo(api.base, '/signals', { headers: form(api.key) })
    expect([status, body.error.code.replace(/^(missing|invalid)_token$/, 'no key')]).toEqual([
      401,
      'no key',
    ])
    attack.held()
  },
)

test('a key in the address opens nothing', async () => {
  for (const name of queries) {
    const reply = await sendTo(api.base, `/signals?${name}=${api.key}`)
    expect([reply.status, reply.body.error.code]).toEqual([401, 'missing_token'])
    expect(reply.text).not.toContain(api.key)
    attack.held()
  }
})

const paths: [scope: Scope, path: string, tool?: [name: string, args: object]][] = [
  ['read:leads', '/leads', ['search_leads', { query: 'Anna' }]],
  ['read:appointments', '/appointments', ['list_appointments', {}]],
  ['read:signals', '/signals'],
  ['read:events', '/events', ['list_events', {}]],
  ['write:hooks', '/hooks'],
]

test('no scope opens what another one guards, by REST or by tools', async () => {
  for (const [scope, path, tool] of paths)
    for (const other of scopes) {
      const key = await api.makeKey(other)
      const { status } = await sendTo(api.base, path, bearer(key))
      expect([other, path, status]).toEqual([other, path, other === scope ? 200 : 403])
      attack.held()
      if (!tool) continue
      const headers = { authorization: `Bearer ${key}` }
      const { isError, envelope } = await callTool(api, tool[0], tool[1], headers)
      const code = isError ? envelope.error.code : 'open'
      expect([other, tool[0], code]).toEqual([
        other,
        tool[0],
        other === scope ? 'open' : 'missing_scope',
      ])
      attack.held()
    }
})
