// Wrong input never answers 5xx, and the message names the parameter without repeating what was sent.
import { beforeAll, expect, test } from 'bun:test'
import { rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import { onDeno, useService } from '../support/http/service.ts'

const api = useService()

beforeAll(async () => {
  await api.sql`insert into leads (name, email) values ('Anna Beispiel', 'anna@example.org')`
})

const canary = 'geheim-4711'

const refused: [path: string, parameter: string][] = [
  ['/leads?limit=0', 'limit'],
  ['/leads?limit=201', 'limit'],
  ['/leads?limit=0x10', 'limit'],
  ['/leads?limit=1e2', 'limit'],
  ['/leads?limit=%2B5', 'limit'],
  ['/leads?limit=5.0', 'limit'],
  ['/leads?limit=', 'limit'],
  ['/leads?limit', 'limit'],
  ['/leads?limit=5&limit=5', 'limit'],
  ['/leads?limit=99999999999999999999', 'limit'],
  ['/leads?offset=-1', 'offset'],
  ['/leads?offset=1000001', 'offset'],
  ['/leads?offset=9223372036854775808', 'offset'],
  ['/leads?include_archived=yes', 'include_archived'],
  ['/leads?include_archived=TRUE', 'include_archived'],
  ['/leads?include_archived=1', 'include_archived'],
  [`/leads?search=${canary}%00`, 'search'],
  [`/leads?search=${canary}%0A`, 'search'],
  ['/leads?search=%ff', 'search'],
  ['/leads?search=%ed%a0%80', 'search'],
  ['/leads?search=%ef%bf%bd', 'search'],
  ['/leads?search=%', 'search'],
  [`/leads?search=${canary.repeat(onDeno ? 4_000 : 10_000)}`, 'search'],
  ['/leads?search=a&search=b', 'search'],
  ['/leads?status=%00', 'status'],
  [`/leads?unknown=${canary}%00`, 'A query parameter'],
  ['/leads?unknown=%zz', 'A query parameter'],
  ['/kontakte?limit=abc', 'limit'],
  ['/appointments?from=2026-02-30T00:00:00Z', 'from'],
  ['/appointments?from=2026-03-01', 'from'],
  ['/appointments?from=infinity', 'from'],
  ['/appointments?from=0000-01-01T00:00:00Z', 'from'],
  ['/signals?status=OPEN', 'status'],
  ['/signals?status=', 'status'],
  ['/kontakte/%00', 'key'],
  ['/kontakte/%ff', 'key'],
  [`/kontakte/${'a'.repeat(5_000)}`, 'key'],
  ['/kontakte/email%3Aa%40example.org%00/haushalt', 'key'],
]

for (const [path, parameter] of refused)
  test(`${path.slice(0, 60)} answers 400 and names ${parameter}`, async () => {
    const reply = await api.send(path)
    expect(reply.status).toBe(400)
    expect(reply.body.error.code).toBe('invalid_request')
    expect(reply.body.error.message).toStartWith(`${parameter} `)
    expect(reply.text).not.toContain(canary)
  })

const accepted = [
  '/leads?unknown=1&unknown=2',
  '/leads?',
  '/leads?&&',
  '/leads?limit=200&offset=1000000',
  '/leads?search=%25',
  "/leads?search='%20or%201=1--",
  '/leads?status=unheard-of',
  '/leads?search=%F0%9F%A6%8A',
  `/leads?search=${'%C3%BC'.repeat(254)}`,
  '/appointments?from=2024-02-29T23:59:59.123456%2B01:00',
  '/appointments?from=2026-03-01T00:00:00+01:00',
  '/appointments?status=unheard-of',
]

for (const path of accepted)
  test(`${path.slice(0, 60)} answers 200`, async () => {
    expect((await api.send(path)).status).toBe(200)
  })

const send = (bytes: string | Buffer) => sendRaw(api.service.port, bytes)

/** A GET with a body, which fetch refuses to send. */
const getWithBody = async (body: string) => {
  const headers = { Authorization: `Bearer ${api.key}`, Connection: 'close' }
  return (await send(rawRequest('GET', '/api/v1/leads', headers, body))).text
}

test.each(['HTTP/1.0\r\n', 'HTTP/1.1\r\nHost:\r\n', 'HTTP/1.1\r\nHost: x\r\n'])(
  'a request line with %p finds its path',
  async line => {
    const reply = await send(
      `GET /api/v1/leads?limit=1 ${line}Authorization: Bearer ${api.key}\r\nConnection: close\r\n\r\n`,
    )
    expect(reply.text).toMatch(/^HTTP\/1\.[01] 200/)
  },
)

// As a client of another encoding than UTF-8 sends an umlaut.
const inLatin1: [target: string, code: string][] = [
  ['/leads?search=M\xfcller', 'invalid_request'],
  ['/leads?unknown=\xe4', 'invalid_request'],
  ['/leads?\xe4=1', 'invalid_request'],
  ['/leads/\xe4', 'invalid_id'],
  ['/events?types=\xe4', 'invalid_types'],
  ['/hooks/sample?type=\xe4', 'unknown_event_type'],
  ['/kontakte/m\xfcller@example.org', 'invalid_request'],
  ['/kontakte/email:m\xfcller@example.org/haushalt', 'invalid_request'],
]

test.skipIf(onDeno).each(inLatin1)(
  'bytes that are no UTF-8 are refused: %p',
  async (path, code) => {
    const headers = { Authorization: `Bearer ${api.key}`, Connection: 'close' }
    const bytes = Buffer.from(rawRequest('GET', `/api/v1${path}`, headers), 'latin1')
    const reply = await send(bytes)
    expect(statusesOf(reply)).toEqual([400])
    expect(reply.text).toContain(`"code":"${code}"`)
    if (code === 'invalid_request') expect(reply.text).toContain('must be valid UTF-8')
  },
)

test('the same text in UTF-8 is taken as it is, without percent-encoding too', async () => {
  const headers = { Authorization: `Bearer ${api.key}`, Connection: 'close' }
  const text = rawRequest('GET', '/api/v1/leads?search=Müller', headers)
  expect(statusesOf(await send(text))).toEqual([200])
})

test('a parameter that there is not is ignored', async () => {
  const [plain, more] = [await api.send('/leads'), await api.send('/leads?limt=0')]
  expect([more.status, more.body]).toEqual([200, plain.body])
})

test('a body on a GET is ignored', async () => {
  expect(await getWithBody('{"limit":1}')).toStartWith('HTTP/1.1 200')
})

test('a body above 64 KiB answers 413 invalid_request', async () => {
  const reply = await getWithBody('x'.repeat(65_537))
  expect(reply).toStartWith('HTTP/1.1 413')
  expect(reply).toContain('"code":"invalid_request"')
})
