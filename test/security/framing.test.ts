// Where a request ends: what two readers could read as different requests is refused, or is one request. A second request is
// hidden in each; were it found, its answer, 200, would come back.
import { expect, test } from 'bun:test'
import { rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import { onDeno, useService } from '../support/http/service.ts'
import { attacks } from './attacks.ts'

const api = useService()
const waitMs = 700

const hidden = 'GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n'
const start = 'POST /api/v1/hooks HTTP/1.1\r\nHost: test\r\n'
const whole = `0\r\n\r\n${hidden}`
const length = `Content-Length: ${whole.length}\r\n`

const codings = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding: "chunked"',
  'X: y\nTransfer-Encoding: chunked',
  'Transfer-Encoding\r\n : chunked',
  'transfer-encoding: CHUNKED',
].map(line => `${start}${length}${line}\r\n\r\n${whole}`)

const lengths = [
  '-1',
  '+5',
  '0x10',
  '5 5',
  '5, 5',
  '5,6',
  '1e1',
  '99999999999999999999999',
  '\u00b2',
  '"5"',
  ' ',
].map(text => `${start}Content-Length: ${text}\r\n\r\n${hidden}`)

const twoLengths = [
  `${start}Content-Length: 0\r\n${length}\r\n${whole}`,
  `${start}${length}Content-Length: 0\r\n\r\n${whole}`,
]

const chunked = `${start}Transfer-Encoding: chunked\r\n\r\n`
const chunks = [
  '-1\r\n',
  '+1\r\na\r\n0\r\n\r\n',
  '0x1\r\na\r\n0\r\n\r\n',
  'g\r\n',
  ' 1\r\na\r\n0\r\n\r\n',
  '1 \r\nab\r\n0\r\n\r\n',
  '1\na\n0\n\n',
  '1\r\nab\r\n0\r\n\r\n',
  '1;\nx\r\na\r\n0\r\n\r\n',
  'ffffffffffffffffff\r\n',
  '7fffffffffffffff\r\n',
  '\r\n',
  '1\r\na0\r\n\r\n',
].map(text => `${chunked}${text}${hidden}`)

const bodies = ['GET', 'HEAD', 'DELETE'].map(
  method =>
    `${method} /api/v1/leads HTTP/1.1\r\nHost: test\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
)

const groups: [name: string, texts: string[]][] = [
  ['Transfer-Encoding next to Content-Length', codings],
  ['lengths that are none', lengths],
  ['two lengths', twoLengths],
  ['broken chunks', chunks],
  ['bodies of requests that have none', bodies],
]

const attack = attacks('framing', onDeno ? 0 : groups.flatMap(([, texts]) => texts).length)

test.skipIf(onDeno).each(groups)('%s hide no request', async (_, texts) => {
  const replies = await Promise.all(
    texts.map(text => sendRaw(api.service.port, text, { milliseconds: waitMs })),
  )
  for (const [index, reply] of replies.entries()) {
    expect({ sent: texts[index], statuses: statusesOf(reply) }).toEqual({
      sent: texts[index],
      statuses: expect.not.arrayContaining([200]),
    })
    expect(statusesOf(reply).every(status => status < 500)).toBe(true)
    attack.held()
  }
})

test('the check itself finds a request that stands behind another', async () => {
  const first = rawRequest('GET', '/api/v1/leads', { Connection: 'keep-alive' })
  const { port } = api.service
  const [alone, both] = await Promise.all([
    sendRaw(port, hidden),
    sendRaw(port, rawRequest('GET', '/healthz') + hidden, { milliseconds: waitMs }),
  ])
  expect(statusesOf(alone)).toEqual([200])
  expect(statusesOf(both)).toEqual([200, 200])
  expect(first).toContain('\r\n\r\n')
})
