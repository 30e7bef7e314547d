// The error examples of the description are messages that the service sends.
import { beforeAll, expect, test } from 'bun:test'
import { errorMessagesFor } from '../../src/api/rest/openapi_errors.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { useUpLimit } from '../support/http/limit.ts'
import { bearer, sendTo, type TestReply, useService } from '../support/http/service.ts'

const api = useService({ RATE_LIMIT_PER_MINUTE: '240' })
const unknownId = '00000000-0000-4000-8000-000000000000'
const post = (body: string) => api.send('/hooks', { method: 'POST', body })
const types = '"event_types":["lead.created"]'
const url = '"target_url":"https://hooks.example.com/a"'

// The numbers and ids of a message are of its moment.
const moving = (text?: string) =>
  text
    ?.replace(/try again in \d+ s/, 'try again in N s')
    .replace(/request [\w-]{36}\./, 'request ID.')

const requests: Record<string, () => Promise<TestReply>> = {
  'common invalid_request': () => api.send('/leads?limit=0'),
  'common missing_token': () => sendTo(api.base, '/leads'),
  'common invalid_token': () => sendTo(api.base, '/leads', bearer(makeApiKey())),
  'common missing_scope': async () =>
    sendTo(api.base, '/leads', bearer(await api.makeKey('read:signals'))),
  'common not_found': () => api.send(`/leads/${unknownId}`),
  'common cursor_expired': () => api.send('/events?after=1'),
  'common rate_limited': async () => {
    const key = await api.makeKey('read:leads')
    await useUpLimit(api.sql, key)
    return await sendTo(api.base, '/leads', bearer(key))
  },
  'common internal_error': async () => {
    await api.sql`alter table signals rename to signals_away`
    const reply = await api.send('/signals')
    await api.sql`alter table signals_away rename to signals`
    return reply
  },
  'BadId invalid_id': () => api.send('/leads/17'),
  'BadId invalid_request': () => api.send(`/leads/${unknownId}?%FF=1`),
  'BadFeedRequest invalid_cursor': () => api.send('/events?after=4711'),
  'BadFeedRequest invalid_types': () => api.send('/events?types=lead.deleted'),
  'BadSubscription invalid_request': () => post(`{${url},${types},"source":"n8n"}`),
  'BadSubscription invalid_json': () => post('{'),
  'BadSubscription missing_target_url': () => post(`{${types}}`),
  'BadSubscription invalid_event_types': () => post(`{${url}}`),
  'BadSubscription invalid_subscription': () =>
    post(`{"target_url":"https://127.0.0.1/",${types}}`),
  'BadSampleType invalid_request': () => api.send('/hooks/sample?%FF=1'),
  'BadSampleType unknown_event_type': () => api.send('/hooks/sample?type=lead.deleted'),
  'BodyTooLarge invalid_request': () => post(`"${'a'.repeat(66_000)}"`),
}

// A body that does not arrive is tested where bodies are, a locked table in test/process/busy_database.
const elsewhere = ['BodyTooSlow invalid_request', 'Busy internal_error']

beforeAll(async () => {
  await api.sql`update feed set head_floor = 3, horizon = 2`
})

const messages = Object.entries(errorMessagesFor(240)).flatMap(([name, byCode]) =>
  Object.entries(byCode).map(([code, message]) => [`${name} ${code}`, code, message] as const),
)

test('every example has its request', () => {
  const places = messages.map(([place]) => place).filter(place => !elsewhere.includes(place))
  expect(Object.keys(requests).toSorted()).toEqual(places.toSorted())
})

test.each(messages.filter(([place]) => place in requests))('%s', async (place, code, message) => {
  const reply = await requests[place]?.()
  expect([reply?.body.error.code, moving(reply?.body.error.message)]).toEqual([
    code,
    moving(message),
  ])
})
