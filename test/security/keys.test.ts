// What opens the API: one header, one form, one live key, and its scopes. That each route and tool asks for its own:
// test/rest/refusals, test/mcp/faces.
import { expect, test } from 'bun:test'
import { tools } from '../../src/api/mcp/tools.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { routes } from '../../src/operations/contract.ts'
import { sendTo, useService } from '../support/http/service.ts'

const api = useService({ TRUSTED_PROXIES: '127.0.0.1,::1' })
let client = 0

/** Failures are counted by address, and that is another test's. */
const ask = (path: string, headers: Record<string, string>) => {
  client += 1
  return sendTo(api.base, path, {
    headers: { ...headers, 'x-forwarded-for': `198.51.100.${client}` },
  })
}

test.each([
  'Bearer KEY',
  'bearer KEY',
  'BEARER KEY',
  'Bearer  KEY',
  ' Bearer KEY  ',
  'Bearer KEY\t',
])('the header "%s" opens it', async form => {
  const authorization = form.replace('KEY', api.key)
  expect((await ask('/signals', { authorization })).status).toBe(200)
})

test.each([
  ...['', 'Bearer', 'KEY', 'Basic KEY', 'BearerKEY', 'Bearer: KEY', 'Bearer\tKEY', 'Token KEY'],
  ...['Token Bearer KEY', 'Bearer%20KEY'],
])('the header "%s" holds no token', async form => {
  const { status, body, headers } = await ask('/signals', {
    authorization: form.replace('KEY', api.key),
  })
  expect([status, body.error.code]).toEqual([401, 'missing_token'])
  expect(headers.get('www-authenticate')).toBe('Bearer realm="workspace-data-api"')
})

test.each([
  ...[
    'Bearer "KEY"',
    'Bearer KEY,',
    'Bearer KEY KEY',
    'Bearer KEY, Bearer KEY',
    'Bearer Bearer KEY',
  ],
  ...['Bearer KEY0', 'Bearer undefined', 'Bearer \u00fc\u00ff', `Bearer ${'a'.repeat(100_000)}`],
])('the header "%.30s" holds no key', async form => {
  const { status, body, text } = await ask('/signals', {
    authorization: form.replaceAll('KEY', api.key),
  })
  expect([status, body.error.code]).toEqual([401, 'invalid_token'])
  expect(text).not.toContain(api.key)
})

test('a part of a key, another one, and a key in another place open nothing', async () => {
  const { key } = api
  for (const one of [key.slice(0, -1), key.slice(0, 12), key.toLowerCase(), makeApiKey()])
    expect((await ask('/signals', { authorization: `Bearer ${one}` })).status).toBe(401)
  for (const name of ['x-api-key', 'x-authorization', 'proxy-authorization', 'cookie'])
    expect((await ask('/signals', { [name]: `authorization=Bearer ${key}` })).status).toBe(401)
  for (const name of ['key', 'api_key', 'access_token', 'token', 'authorization']) {
    const { body, text } = await ask(`/signals?${name}=${key}`, {})
    expect([body.error.code, text.includes(key)]).toEqual(['missing_token', false])
  }
})

test('a scope opens what the contract has, and no other does', () => {
  const opened: Record<string, string> = {
    'read:leads': '/leads /leads/{leadId} search_leads get_lead',
    'read:analyses': '/leads/{leadId}/analysis /schemas/analysis get_lead_analysis',
    'read:kontakte':
      '/kontakte /kontakte/{key} /kontakte/{key}/haushalt list_kontakte get_haushalt',
    'read:appointments': '/appointments list_appointments',
    'read:meetings': '/meetings/{meetingId}/intelligence get_meeting_intelligence',
    'read:signals': '/signals',
    'read:events': '/events list_events',
    'write:hooks': '/hooks /hooks /hooks/{hookId} /hooks/sample',
  }
  const all = [...routes, ...tools.map(({ name, scope }) => ({ path: name, scope }))]
  const found = Object.entries(Object.groupBy(all, ({ scope }) => scope))
  expect(
    Object.fromEntries(found.map(([scope, of]) => [scope, of?.map(one => one.path).join(' ')])),
  ).toEqual(opened)
})
