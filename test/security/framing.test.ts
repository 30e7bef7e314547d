// Where a request ends: what two readers could read as different requests is refused, or is one request. A second request is
// hidden in each; were it found, its answer, 200, would come back.
import { expect, test } from 'bun:test'
import { rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import { onDeno, useService } from '../support/http/service.ts'

const api = useService()
const waitMs = 700

const hidden = 'GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n'
const start = 'POST /api/v1/hooks HTTP/1.1\r\nHost: test\r\n'
const whole = `0\r\n\r\n${hidden}`
const length = `Content-Length: ${whole.length}\r\n`

const groups: Record<string, string[]> = {
  'Transfer-Encoding next to Content-Length': [
    ...['Transfer-Encoding: chunked', 'Transfer-Encoding : chunked', 'Transfer-Encoding: xchunked'],
    ...['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', 'transfer-encoding: CHUNKED'],
    ...['Transfer-Encoding: identity, chunked', 'Transfer-Encoding: chunked, identity'],
    ...[
      'Transfer-Encoding:\tchunked',
      'Transfer-Encoding:\x0bchunked',
      'Transfer-Encoding: "chunked"',
    ],
    ...['X: y\nTransfer-Encoding: chunked', 'Transfer-Encoding\r\n : chunked'],
  ].map(line => `${start}${length}${line}\r\n\r\n${whole}`),
  'lengths that are none': [
    ...[
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
    ],
  ].map(text => `${start}Content-Length: ${text}\r\n\r\n${hidden}`),
  'two lengths': [
    `${start}Content-Length: 0\r\n${length}\r\n${whole}`,
    `${start}${length}Content-Length: 0\r\n\r\n${whole}`,
  ],
  'broken chunks': [
    ...['-1\r\n', '+1\r\na\r\n0\r\n\r\n', '0x1\r\na\r\n0\r\n\r\n', 'g\r\n', ' 1\r\na\r\n0\r\n\r\n'],
    ...['1 \r\nab\r\n0\r\n\r\n', '1\na\n0\n\n', '1\r\nab\r\n0\r\n\r\n', '1;\nx\r\na\r\n0\r\n\r\n'],
    ...['ffffffffffffffffff\r\n', '7fffffffffffffff\r\n', '\r\n', '1\r\na0\r\n\r\n'],
  ].map(text => `${start}Transfer-Encoding: chunked\r\n\r\n${text}${hidden}`),
  'bodies of requests that have none': ['GET', 'HEAD', 'DELETE'].map(
    method =>
      `${method} /api/v1/leads HTTP/1.1\r\nHost: test\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  ),
}

test.skipIf(onDeno)(
  'nothing of the list hides a request',
  async () => {
    const sendAll = (texts: string[]) =>
      Promise.all(
        texts.map(async text => ({
          text,
          statuses: statusesOf(await sendRaw(api.service.port, text, { milliseconds: waitMs })),
        })),
      )
    for (const [group, texts] of Object.entries(groups)) {
      const wrong = (await sendAll(texts)).filter(({ statuses }) =>
        statuses.some(status => status === 200 || status >= 500),
      )
      expect([group, wrong]).toEqual([group, []])
    }
    // The check itself finds a request that stands behind another.
    const both = await sendAll([hidden, rawRequest('GET', '/healthz') + hidden])
    expect(both.map(({ statuses }) => statuses)).toEqual([[200], [200, 200]])
  },
  30_000,
)
