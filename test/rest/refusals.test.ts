// Spec part 7: every refusal of every route, with its exact envelope. A code without a row fails the last test.
import { beforeAll, expect, test } from 'bun:test'
import { errorCodes, type errorStatus } from '../../src/errors.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { eventTypes } from '../../src/model/event_type.ts'
import { scopes } from '../../src/model/scope.ts'
import { routes } from '../../src/operations/contract.ts'
import { whileLocked } from '../support/database/database.ts'
import {
  bearer,
  sendTo,
  subscriptionBody,
  type TestReply,
  useService,
  useUpLimit,
} from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService({ STATEMENT_TIMEOUT_MS: '1000' })
const canary = 'geheim-4711'
const unknownId = '00000000-0000-4000-8000-000000000000'
const types = eventTypes.join(', ')
const good = JSON.stringify(subscriptionBody())

type Code = keyof typeof errorStatus
type Row = [request: string, status: number, code: Code, words: string]
type Sent = { key?: string | null; body?: BodyInit; headers?: Record<string, string> }

async function send(request: string, { key = api.key, body, headers }: Sent = {}) {
  const [method = '', path = ''] = request.split(/ (.*)/)
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` }
  const init = { method, headers: { ...authorization, ...headers }, ...(body && { body }) }
  return await sendTo(api.base, path, init)
}

function expectRefused(reply: TestReply, [request, status, code, words]: Row) {
  const body = { api_version: 'v1', error: { code, message: words } }
  expect([request, reply.status, reply.body]).toEqual([request, status, body])
  expect(reply.text).not.toContain(canary)
  expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(reply.headers.get('cache-control')).toBe('no-store')
  expect(reply.headers.get('x-request-id')).toMatch(/^[\w.-]{1,128}$/)
}

beforeAll(async () => {
  await api.sql`update feed set head_floor = 2, horizon = 2`
})

const integer = (name: string, max = '200', min = 1) =>
  `${name} must be a whole number from ${min} to ${max}, in plain decimal digits.`
const text = (name: string) =>
  `${name} must be at most 254 printable characters, U+FFFD not among them.`
const utf8 = (name: string) =>
  `${name} must be valid UTF-8 in percent-encoding, without NUL and U+FFFD.`
const moment = (name: string) =>
  `${name} must be an ISO 8601 moment with an offset, such as 2026-03-01T09:00:00Z, or a date.`
const cursor = 'after must be the cursor of an event: a whole number in plain decimal digits.'
const noKey = (name: string) =>
  `${name} must be an identity: email:…, phone:… or lead:…, or a bare email address, phone number or lead id.`
const notExact =
  'key must be an exact identity key: email:, phone: or lead: and the normalised value.'
const noRecord = 'There is no household record under this key.'
const tryOther = 'Try the email of the lead, then its phone: most records are kept under these.'
const otherSpelling =
  'No key is spelled like this one, so no record has it. /kontakte/{key} takes every spelling.'
const noStatus = 'status must be one of open, dismissed, done, resolved.'
const beyond = 'The cursor is beyond the last event of this feed; omit it to start over.'
const expired = 'Events after this cursor have expired; omit it to start from the oldest.'
const notTypes = `types must be a comma-separated list of event types: ${types}.`
const noPath =
  'There is nothing at this path; paths are exact, and /api/v1/openapi.json lists those of the API.'
const bad = 'invalid_request'
const absent = (path: string, words: string): Row => [`GET ${path}`, 404, 'not_found', words]

const rows: Row[] = [
  ['GET /leads?limit=0', 400, bad, integer('limit')],
  ['GET /leads?limit=', 400, bad, integer('limit')],
  ['GET /leads?limit=5&limit=5', 400, bad, 'limit must be given once.'],
  ['GET /leads?offset=1000001', 400, bad, integer('offset', '1000000', 0)],
  ['GET /leads?include_archived=yes', 400, bad, 'include_archived must be true or false.'],
  [`GET /leads?search=${canary}%0A`, 400, bad, text('search')],
  [`GET /leads?search=${canary.repeat(4_000)}`, 400, bad, text('search')],
  [`GET /leads?search=${canary}%00`, 400, bad, text('search')],
  ['GET /leads?search=%ff', 400, bad, text('search')],
  ['GET /leads?search=100%', 400, bad, utf8('The query')],
  ['GET /leads?status=%09', 400, bad, text('status')],
  ['GET /leads?unknown=%zz', 400, bad, utf8('The query')],
  ['GET /leads/17', 400, 'invalid_id', 'leadId must be a UUID.'],
  absent(`/leads/${unknownId}`, 'There is no lead with this id.'),
  ['GET /leads/%ff/analysis', 400, 'invalid_id', 'leadId must be a UUID.'],
  absent(`/leads/${unknownId}/analysis`, 'This lead has no parsed analysis.'),
  ['GET /kontakte?updated_since=gestern', 400, bad, moment('updated_since')],
  ['GET /kontakte?include=leads', 400, bad, 'include must be one of haushalt.'],
  ['GET /kontakte/nobody', 400, bad, noKey('key')],
  ['GET /kontakte/', 400, bad, noKey('key')],
  ['GET /kontakte/%00', 400, bad, utf8('key')],
  [`GET /kontakte/${'a'.repeat(5_000)}`, 400, bad, 'key is too long for an identity.'],
  absent('/kontakte/nobody%40example.org', noRecord),
  absent(`/kontakte/${unknownId}`, `${noRecord} ${tryOther}`),
  ['GET /kontakte//haushalt', 400, bad, notExact],
  ['GET /kontakte/a%40example.org/haushalt', 400, bad, notExact],
  absent('/kontakte/email%3Aa%40example.org/haushalt', noRecord),
  absent('/kontakte/email%3AA%40example.org/haushalt', otherSpelling),
  ['GET /appointments?from=2026-02-30T00:00:00Z', 400, bad, moment('from')],
  ['GET /appointments?from=2026-03-01T09:00:00', 400, bad, moment('from')],
  ['GET /appointments?to=infinity', 400, bad, moment('to')],
  ['GET /appointments?lead_id=17', 400, 'invalid_id', 'lead_id must be a UUID.'],
  ['GET /meetings/x/intelligence', 400, 'invalid_id', 'meetingId must be a UUID.'],
  absent(`/meetings/${unknownId}/intelligence`, 'There is no appointment with this id.'),
  ['GET /signals?status=closed', 400, bad, noStatus],
  ['GET /signals?kontakt_key=nobody', 400, bad, noKey('kontakt_key')],
  ['GET /signals?lead_id=17', 400, 'invalid_id', 'lead_id must be a UUID.'],
  ['GET /events?after=-1', 400, 'invalid_cursor', cursor],
  ['GET /events?after=4711', 400, 'invalid_cursor', beyond],
  ['GET /events?after=1', 410, 'cursor_expired', expired],
  ['GET /events?types=lead.deleted', 400, 'invalid_types', notTypes],
  ['GET /events?limit=201', 400, bad, integer('limit')],
  ['GET /hooks/sample?type=x', 400, 'unknown_event_type', `type must be one of ${types}.`],
  ['DELETE /hooks/x', 400, 'invalid_id', 'hookId must be a UUID.'],
  [`DELETE /hooks/${unknownId}`, 404, 'not_found', 'There is no subscription with this id.'],
  ['POST /leads', 405, bad, 'This path takes GET, HEAD.'],
  ...['/nothing', '/leads/', '//leads', '/Leads', '/%6Ceads', `/leads/${unknownId}/x`].map(path =>
    absent(path, noPath),
  ),
]

test.each(rows.map(row => ({ row })))('$row', async ({ row }) => {
  expectRefused(await send(row[0]), row)
})

const target = (why: string) => `target_url ${why}`
const noTarget = target(
  'is missing: the body must be a JSON object with target_url and event_types.',
)
const noTypes = `event_types must be an array of one or more of ${types}.`
const notType = (index: number) => `event_types[${index}] is no event type: ${noTypes}`
const noLabel = 'label must be text of at most 200 characters, without NUL or a lone surrogate.'
const noSource = 'source must be one of api, zapier, make.'
const noJson = 'The body must be JSON in UTF-8.'
const bodyWith = (members: Record<string, unknown>) => JSON.stringify(subscriptionBody(members))
const inside = target(
  'must not lead to a private or reserved address; the command listen brings events to your own machine, WEBHOOK_ALLOWED_NETWORKS opens networks.',
)

type RefusedBody = [body: BodyInit, code: Code, words: string | RegExp]
const refused = (code: Code, words: string | RegExp, ...bodies: BodyInit[]) =>
  bodies.map((body): RefusedBody => [body, code, words])
const each = (name: string, ...values: unknown[]) =>
  values.map(value => bodyWith({ target_url: 5, [name]: value }))
const at = (...urls: unknown[]) => urls.map(target_url => bodyWith({ target_url }))

const long = `https://a.example/${'a'.repeat(2_048)}`

// Where more than one thing is wrong, the first in the contract's order is told.
const bodies: RefusedBody[] = [
  ...refused('invalid_json', noJson, '', good.slice(0, -1), good + good, 'a=b', 'NaN'),
  ...refused('invalid_json', noJson, '['.repeat(10_000), '{"label":"\n"}'),
  ...refused('invalid_json', noJson, new Uint8Array([0x22, 0xff, 0x22])),
  ...refused('invalid_json', noJson, new Uint8Array(Buffer.from(`\ufeff${good}`, 'utf16le'))),
  ...refused('missing_target_url', noTarget, 'null', '42', 'true', '"x"', `[${good}]`, '{}'),
  ...refused('missing_target_url', noTarget, `{"__proto__":${good}}`),
  ...refused('missing_target_url', noTarget, bodyWith({ target_url: null, event_types: 5 })),
  ...refused('missing_target_url', noTarget, bodyWith({ target_url: '', label: 5 })),
  ...refused('invalid_event_types', noTypes, ...each('event_types', null, [], {}, 'lead.created')),
  ...refused('invalid_event_types', notType(0), ...each('event_types', ['lead.deleted'])),
  ...refused('invalid_event_types', notType(1), ...each('event_types', ['lead.created', canary])),
  ...refused('invalid_event_types', notType(0), ...each('event_types', ['toString'], [['x']])),
  ...refused(bad, noLabel, ...each('label', 5, [], 'x'.repeat(201), '🦊'.repeat(201), 'a\0b')),
  ...refused(bad, noLabel, ...each('label', '\ud800', { [canary]: 1 })),
  ...refused(bad, noSource, ...each('source', '', 'API', 1, [], canary)),
  ...refused('invalid_subscription', target('must be a text.'), ...at(5)),
  ...refused('invalid_subscription', /^target_url must /, ...at(`http://192.0.2.7/${canary}`)),
  ...refused('invalid_subscription', /^target_url /, ...at('https://user:word@a.example/', long)),
  ...refused('invalid_subscription', inside, ...at('https://127.1/', 'https://10.0.0.1/')),
  ...refused('invalid_subscription', inside, ...at('https://[::1]/', 'https://169.254.169.254/')),
]

test.each(bodies)('POST /hooks %.60j: %s', async (body, code, words) => {
  const reply = await send('POST /hooks', { body })
  const message = words instanceof RegExp ? expect.stringMatching(words) : words
  expectRefused(reply, ['POST /hooks', 400, code, message as string])
})

const big = good + ' '.repeat(65_537 - good.length)

test('a body that is encoded is 415, one that is too large 413', async () => {
  const encoded = 'A body is taken as it is: send it without Content-Encoding.'
  for (const coding of ['gzip', 'br']) {
    const sent = { body: Bun.gzipSync(good), headers: { 'content-encoding': coding } }
    expectRefused(await send('POST /hooks', sent), ['POST /hooks', 415, bad, encoded])
  }
  expectRefused(await send('POST /hooks', { body: big }), [
    ...(['POST /hooks', 413, bad] as const),
    'A body takes at most 65536 bytes.',
  ])
})

const sample = (path: string) =>
  path.replace('{key}', 'email%3Aanna%40example.org').replace(/\{\w+\}/g, unknownId)

// With bad input as well: who is not known, or lacks the scope, learns nothing of it.
test.each(routes)('$method $path asks for the key, then the limit, then the scope', async route => {
  const { method, scope } = route
  const request = `${method} ${sample(route.path).replace(unknownId, 'no-uuid')}?limit=x&%ff`
  const sent = method === 'POST' ? { body: '{' } : {}
  const other = await api.makeKey(...scopes.filter(one => one !== scope))
  const spent = await api.makeKey('read:leads')
  await useUpLimit(api.sql, spent, 1_000_000)
  const howToSend = 'Send the API key as "Authorization: Bearer <API_KEY>".'
  const once = 'Send the API key once, without quotes.'
  const lacks = `This key lacks the scope ${scope}.`
  const insufficient = `, error="insufficient_scope", scope="${scope}"`
  const refusals: [key: string | null, number, Code, words: string, error: string][] = [
    [null, 401, 'missing_token', howToSend, ''],
    [`"${api.key}"`, 401, 'invalid_token', once, ', error="invalid_token"'],
    [other, 403, 'missing_scope', lacks, insufficient],
  ]
  for (const [key, status, code, words, error] of refusals) {
    const reply = await send(request, { ...sent, key })
    expectRefused(reply, [request, status, code, words])
    const challenge = `Bearer realm="workspace-data-api"${error}`
    expect(reply.headers.get('www-authenticate')).toBe(challenge)
  }
  const limited = await send(request, { ...sent, key: spent })
  const overLimit = expect.stringMatching(/^More than 1000000 requests/)
  expectRefused(limited, [request, 429, 'rate_limited', overLimit])
  expect(limited.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
  const own = await send(`${method} ${sample(route.path)}`, {
    ...sent,
    key: await api.makeKey(scope),
  })
  expect([200, 400, 404]).toContain(own.status)
})

test('an unknown key is refused, and one that expires is unknown from then on', async () => {
  const unknown = 'The API key is unknown, expired or revoked.'
  const row: Row = ['GET /leads', 401, 'invalid_token', unknown]
  expectRefused(await send('GET /leads', { key: makeApiKey() }), row)
  const key = await api.makeKey('read:leads')
  expect((await send('GET /leads', { key })).status).toBe(200)
  await api.sql`update api_keys set expires_at = now() where prefix = ${key.slice(0, 12)}`
  await until(async () => (await send('GET /leads', { key })).status === 401)
  expectRefused(await send('GET /leads', { key }), row)
})

test('what fails on our side is 500, what passes 503 with Retry-After', async () => {
  const busy = await whileLocked(api.url, 'leads', () => send('GET /leads'))
  const id = busy.headers.get('x-request-id')
  expectRefused(busy, [
    ...(['GET /leads', 503, 'internal_error'] as const),
    `The database is busy; try again in a second. Quote request ${id}.`,
  ])
  expect(busy.headers.get('retry-after')).toBe('1')
  await api.sql`alter table signals rename to signals_away`
  const failed = await send('GET /signals')
  await api.sql`alter table signals_away rename to signals`
  expectRefused(failed, [
    ...(['GET /signals', 500, 'internal_error'] as const),
    `Unexpected failure; quote request ${failed.headers.get('x-request-id')}.`,
  ])
})

test('an answer names its request as the client did, where that is a plain word', async () => {
  for (const id of ['a', 'A.b-c_9', '0'.repeat(128)])
    for (const request of ['GET /leads', 'POST /leads', 'GET /nothing', 'GET /openapi.json']) {
      const reply = await send(request, { headers: { 'x-request-id': id } })
      expect(reply.headers.get('x-request-id')).toBe(id)
    }
  for (const id of ['0'.repeat(129), 'two words', '<b>', 'ü', '{}']) {
    const { headers } = await sendTo(api.base, '/leads', {
      headers: { ...bearer(api.key).headers, 'x-request-id': id },
    })
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  }
})

// A row of each code is above; the limit's is a row of each route.
test('every code has a row', () => {
  const listed = [...rows.map(([, , code]) => code), ...bodies.map(([, code]) => code)]
  const others = ['missing_token', 'invalid_token', 'missing_scope', 'rate_limited']
  const covered = new Set<string>([...listed, ...others, 'internal_error'])
  expect(errorCodes.filter(code => !covered.has(code))).toEqual([])
})
