// Spec part 7: the error codes over HTTP, each with its exact body. A code without a case fails the last test.
import { expect, test } from 'bun:test'
import { errorCodes, errorStatus } from '../../src/errors.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { bearer, sendTo, type TestReply, useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
const unknownId = '00000000-0000-4000-8000-000000000000'

const subscribe = (body: string) => api.send('/hooks', { method: 'POST', body })

type Case = {
  code: keyof typeof errorStatus
  when: string
  send: () => Promise<TestReply>
  message: string | RegExp
  status?: number
}

const cases: Case[] = [
  {
    code: 'invalid_id',
    when: 'a path id is no UUID',
    send: () => api.send('/leads/17'),
    message: 'leadId must be a UUID.',
  },
  {
    code: 'invalid_id',
    when: 'a meeting id is no UUID',
    send: () => api.send('/meetings/x/intelligence'),
    message: 'meetingId must be a UUID.',
  },
  {
    code: 'invalid_request',
    when: 'a signal status is unknown',
    send: () => api.send('/signals?status=closed'),
    message: 'status must be one of open, dismissed, done, resolved.',
  },
  {
    code: 'invalid_request',
    when: 'a contact key is none',
    send: () => api.send('/kontakte/nobody'),
    message: /^key must be an identity/,
  },
  {
    code: 'invalid_request',
    when: 'a contact key is missing',
    send: () => api.send('/kontakte/'),
    message: /^key must be an identity/,
  },
  {
    code: 'invalid_request',
    when: 'an exact key is missing',
    send: () => api.send('/kontakte//haushalt'),
    message: /^key must be an exact identity key/,
  },
  {
    code: 'invalid_request',
    when: 'an exact key has no prefix',
    send: () => api.send('/kontakte/a%40example.org/haushalt'),
    message: /^key must be an exact identity key/,
  },
  {
    code: 'invalid_request',
    when: 'the method is wrong',
    send: () => api.send('/leads', { method: 'POST' }),
    message: 'This path takes GET, HEAD.',
    status: 405,
  },
  {
    code: 'missing_token',
    when: 'no key is sent',
    send: () => sendTo(api.base, '/leads'),
    message: 'Send the API key as "Authorization: Bearer <API_KEY>".',
  },
  {
    code: 'invalid_token',
    when: 'the key is unknown',
    send: () => sendTo(api.base, '/leads', bearer(makeApiKey())),
    message: 'The API key is unknown, expired or revoked.',
  },
  {
    code: 'missing_scope',
    when: 'the key lacks the scope',
    send: async () => sendTo(api.base, '/signals', bearer(await api.makeKey('read:leads'))),
    message: 'This key lacks the scope read:signals.',
  },
  {
    code: 'not_found',
    when: 'there is no such lead',
    send: () => api.send(`/leads/${unknownId}`),
    message: 'There is no lead with this id.',
  },
  {
    code: 'not_found',
    when: 'the lead has no analysis',
    send: () => api.send(`/leads/${unknownId}/analysis`),
    message: 'This lead has no parsed analysis.',
  },
  {
    code: 'not_found',
    when: 'there is no such meeting',
    send: () => api.send(`/meetings/${unknownId}/intelligence`),
    message: 'There is no appointment with this id.',
  },
  {
    code: 'not_found',
    when: 'the contact has no household record',
    send: () => api.send('/kontakte/nobody%40example.org'),
    message: 'There is no household record under this key.',
  },
  {
    code: 'not_found',
    when: 'the path is unknown',
    send: () => api.send('/nothing'),
    message: 'There is nothing at this path; /api/v1/openapi.json lists the paths of the API.',
  },
  {
    code: 'invalid_json',
    when: 'a subscription is no JSON',
    send: () => subscribe('{"target_url":'),
    message: 'The body must be JSON in UTF-8.',
  },
  {
    code: 'missing_target_url',
    when: 'a subscription names no URL',
    send: () => subscribe('{"event_types":["lead.created"]}'),
    message:
      'target_url is missing: the body must be a JSON object with target_url and event_types.',
  },
  {
    code: 'invalid_event_types',
    when: 'a subscription wants a type that there is not',
    send: () => subscribe('{"target_url":"https://a.example","event_types":["lead.deleted"]}'),
    message:
      /^event_types\[0\] is no event type: event_types must be an array of one or more of lead\.created, /,
  },
  {
    code: 'invalid_subscription',
    when: 'a URL leads to this machine',
    send: () => subscribe('{"target_url":"https://127.0.0.1/","event_types":["lead.created"]}'),
    message:
      'target_url must not lead to a private or reserved address; the command listen brings events to your own machine, WEBHOOK_ALLOWED_NETWORKS opens networks.',
  },
  {
    code: 'invalid_id',
    when: 'the id of a subscription is no UUID',
    send: () => api.send('/hooks/x', { method: 'DELETE' }),
    message: 'hookId must be a UUID.',
  },
  {
    code: 'not_found',
    when: 'there is no such subscription',
    send: () => api.send(`/hooks/${unknownId}`, { method: 'DELETE' }),
    message: 'There is no subscription with this id.',
  },
  {
    code: 'unknown_event_type',
    when: 'a sample of an unknown type is asked for',
    send: () => api.send('/hooks/sample?type=lead.deleted'),
    message: /^type must be one of lead\.created, /,
  },
  {
    code: 'invalid_cursor',
    when: 'a cursor is none of this feed',
    send: () => api.send('/events?after=4711'),
    message: 'after is beyond the last event of this feed; omit it to start over.',
  },
  {
    code: 'invalid_types',
    when: 'an event type is unknown',
    send: () => api.send('/events?types=lead.deleted'),
    message: /^types must be a comma-separated list of event types: /,
  },
  {
    code: 'cursor_expired',
    when: 'a cursor is below the horizon',
    send: async () => {
      await api.sql`update feed set head_floor = 2, horizon = 2`
      return api.send('/events?after=1')
    },
    message: 'Events after this cursor have expired; omit after to start from the oldest.',
  },
  {
    code: 'internal_error',
    when: 'something of ours fails',
    send: async () => {
      await api.sql`alter table signals rename to signals_away`
      const reply = await api.send('/signals')
      await api.sql`alter table signals_away rename to signals`
      return reply
    },
    message: /^Unexpected failure; quote request [\w-]+\.$/,
  },
]

for (const { code, when, send, message, status } of cases)
  test(`${code} when ${when}`, async () => {
    const reply = await send()
    expect(reply.status).toBe(status ?? errorStatus[code])
    expect(Object.keys(reply.body)).toEqual(['api_version', 'error'])
    expect(reply.body.api_version).toBe('v1')
    expect(Object.keys(reply.body.error)).toEqual(['code', 'message'])
    expect(reply.body.error.code).toBe(code)
    expect(reply.body.error.message).toMatch(message)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('x-request-id')).toMatch(/^[\w-]+$/)
  })

// Asserted where their routes are tested.
const elsewhere: Record<string, string> = { rate_limited: 'rest/limit.test.ts' }

test('every code has a case', () => {
  const covered = new Set([...cases.map(({ code }) => code), ...Object.keys(elsewhere)])
  expect(errorCodes.filter(code => !covered.has(code))).toEqual([])
})

test('401 says how to authenticate and names no authorization server', async () => {
  const reply = await sendTo(api.base, '/leads')
  expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="workspace-data-api"')
})

test('an expired key is unknown', async () => {
  const key = await api.makeKey('read:leads')
  expect((await sendTo(api.base, '/leads', bearer(key))).status).toBe(200)
  await api.sql`update api_keys set expires_at = now() where prefix = ${key.slice(0, 12)}`
  await until(async () => {
    const reply = await sendTo(api.base, '/leads', bearer(key))
    return reply.body.error?.code === 'invalid_token'
  })
})
