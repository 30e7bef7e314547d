// The log: one line per request, with ids and no word of a person.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { makeApiKey } from '../../src/model/api_key.ts'
import { allowedTargets, bearer, sendTo, useService } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import { type ServingProgram, startProgram } from '../support/process/program.ts'
import { until } from '../support/until.ts'

const api = useService()
let program: ServingProgram
let base = ''

beforeAll(async () => {
  await api.sql`insert into leads (name, email) values ('Canary Vogel', 'canary@example.org')`
  const env = { DATABASE_URL: api.url, SECRETS_KEY: secretsKey, ...allowedTargets }
  program = await startProgram('Bun', env)
  base = `${program.url}/api/v1`
}, 30_000)
afterAll(() => program.stop())

const lines = () =>
  program
    .output()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))

test('every request is one line with its id, route pattern, status and key id; nothing personal appears', async () => {
  const headers = { authorization: `Bearer ${api.key}`, 'x-request-id': 'canary-request' }
  const asked = [
    '/leads?search=Canary&canary=1',
    '/kontakte/canary%40example.org',
    '/kontakte/Canary',
    '/leads/canary-vogel',
    '/canary/path?canary=1',
    '/leads?limit=canary',
  ]
  for (const path of asked) await sendTo(base, path, { headers })
  const subscribed = await sendTo(base, '/hooks', {
    headers,
    method: 'POST',
    body: JSON.stringify({
      target_url: 'https://192.0.2.7/canary?canary',
      event_types: ['lead.created'],
      label: 'Canary',
    }),
  })
  const refused = { headers, method: 'POST', body: '{"target_url":"http://canary.example"' }
  await sendTo(base, '/hooks', refused)
  await sendTo(base, `/hooks/${subscribed.body.data.id}`, { headers, method: 'DELETE' })
  const unknown = makeApiKey()
  await sendTo(base, '/leads', bearer(unknown))
  // The tools: what they are asked for is in the body, and what is no tool of ours is not named.
  const params = { name: 'search_leads', arguments: { query: 'Canary' } }
  const other = { name: 'canary_tool', arguments: { canary: 'Canary' } }
  for (const call of [params, { ...params, arguments: { query: 1, canary: 1 } }, other]) {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 'canary',
      method: 'tools/call',
      params: call,
    })
    const json = { ...headers, 'content-type': 'application/json' }
    await fetch(base.replace('/api/v1', '/mcp'), { method: 'POST', headers: json, body })
  }
  // A fault of ours.
  await api.sql`alter table signals rename to canary_away`
  await sendTo(base, '/signals', { headers })
  await api.sql`alter table canary_away rename to signals`
  const own = () => lines().filter(line => line.event === 'request')
  await until(() => own().length >= asked.length + 8)
  expect(own()[0]).toMatchObject({
    request_id: 'canary-request',
    method: 'GET',
    route: '/leads',
    status: 200,
    key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ignored_parameters: 1,
    duration_ms: expect.any(Number),
  })
  expect(own().filter(line => line.route === '/mcp')).toEqual([
    expect.objectContaining({ method: 'POST', status: 200, tool: 'search_leads' }),
    expect.objectContaining({ status: 200, tool: 'search_leads', code: 'invalid_request' }),
    expect.not.objectContaining({ tool: expect.anything() }),
  ])
  const personal = program.output().replaceAll('canary-request', '')
  expect(personal.toLowerCase()).not.toContain('canary')
  expect(personal).not.toContain(api.key)
  expect(personal).not.toContain(unknown)
  expect(personal).not.toContain(subscribed.body.data.signing_secret.slice('whsec_'.length))
  expect(personal).not.toContain(secretsKey)
  const hooks = own().filter(({ route }) => route.startsWith('/hooks'))
  expect(hooks.map(({ method, route, status }) => [method, route, status])).toEqual([
    ['POST', '/hooks', 201],
    ['POST', '/hooks', 400],
    ['DELETE', '/hooks/{hookId}', 200],
  ])
})
