// Wrong input never answers 5xx, and the message names the parameter without repeating what was sent.
import { beforeAll, expect, test } from 'bun:test'
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
  ['/leads?search=', 'search'],
  ['/leads?search=%ff', 'search'],
  ['/leads?search=%ed%a0%80', 'search'],
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

/** Sends bytes as they are; resolves with the raw answer. */
function sendRaw(text: string): Promise<string> {
  const { hostname, port } = new URL(api.base)
  return new Promise((resolve, reject) => {
    let reply = ''
    void Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: socket => void socket.write(text),
        data: (_socket, chunk) => {
          reply += chunk.toString()
        },
        close: () => resolve(reply),
        error: (_socket, error) => reject(error),
      },
    })
  })
}

/** A GET with a body, which fetch refuses to send. */
const getWithBody = (body: string) =>
  sendRaw(
    `GET /api/v1/leads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )

test.each(['HTTP/1.0\r\n', 'HTTP/1.1\r\nHost:\r\n', 'HTTP/1.1\r\nHost: x\r\n'])(
  'a request line with %p finds its path',
  async line => {
    const reply = await sendRaw(
      `GET /api/v1/leads?limit=1 ${line}Authorization: Bearer ${api.key}\r\nConnection: close\r\n\r\n`,
    )
    expect(reply).toMatch(/^HTTP\/1\.[01] 200/)
  },
)

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
