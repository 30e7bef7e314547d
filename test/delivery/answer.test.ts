// HTTP/1.1 answers as they come off a connection, whole and in pieces.
import { describe, expect, test } from 'bun:test'
import { type Answer, answerReader, type Reading } from '../../src/delivery/answer.ts'

const bytesOf = (text: string) => Buffer.from(text, 'latin1')

const shown = (reading: Reading | undefined) =>
  typeof reading === 'object'
    ? {
        status: reading.status,
        body: Buffer.concat(reading.body).toString('latin1'),
        keep: reading.keep,
      }
    : reading

/** The reading after the last piece; what came before must have been `more`. */
function readPieces(pieces: string[]): Reading {
  const reader = answerReader()
  return pieces.reduce<Reading>((before, piece) => {
    expect(before).toBe('more')
    return reader.read(bytesOf(piece))
  }, 'more')
}

const read = (text: string) => shown(readPieces([text]))

const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

const whole: [text: string, status: number, body: string, keep: boolean][] = [
  ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 200, 'ok', true],
  ['HTTP/1.1 200\r\ncontent-length:2\r\n\r\nok', 200, 'ok', true],
  ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 200, '', true],
  ['HTTP/1.1 204 No Content\r\n\r\n', 204, '', true],
  ['HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', 304, '', true],
  [`${hint}${hint}HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy`, 503, 'busy', true],
  [`${chunked}2\r\nok\r\n0\r\n\r\n`, 200, 'ok', true],
  [`${chunked}1;a=b\r\no\r\n0A \r\n0123456789\r\n000\r\nX-A: b\r\n\r\n`, 200, 'o0123456789', true],
  ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n', 101, '', false],
  ['HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', 200, 'ok', false],
  ['HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 2\r\n\r\nok', 200, 'ok', false],
  [
    'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1, max=5\r\nContent-Length: 2\r\n\r\nok',
    200,
    'ok',
    false,
  ],
  [
    'HTTP/1.1 200 OK\r\nKeep-Alive: max=5, timeout=5\r\nContent-Length: 2\r\n\r\nok',
    200,
    'ok',
    true,
  ],
  // Framed twice: whoever stands between us may count differently.
  [
    `${chunked.replace('\r\n\r\n', '\r\nContent-Length: 2\r\n\r\n')}2\r\nok\r\n0\r\n\r\n`,
    200,
    'ok',
    false,
  ],
]

test.each(whole)('%j', (text, status, body, keep) => {
  expect(read(text)).toEqual({ status, body, keep })
})

test.each(whole)(
  'the same in two pieces, wherever it is cut, and byte by byte: %j',
  (text, status, body, keep) => {
    for (let cut = 1; cut < text.length; cut += 1)
      expect(shown(readPieces([text.slice(0, cut), text.slice(cut)]))).toEqual({
        status,
        body,
        keep,
      })
    expect(shown(readPieces([...text]))).toEqual({ status, body, keep })
  },
)

test.each(whole)('what comes after it costs the connection: %j', (text, status, body) => {
  for (const more of ['\r\n', 'x', 'HTTP/1.1 200 OK\r\n\r\n'])
    expect(read(text + more)).toEqual({ status, body, keep: false })
})

test('several headers of one name are one list', () => {
  const answer = readPieces(['HTTP/1.1 204 X\r\nX-A: b\r\nx-a:  c \r\n\r\n']) as Answer
  expect(answer.headers).toEqual({ 'x-a': 'b, c' })
})

test.each([
  'EHLO hooks.example\r\n\r\n',
  'HTTP/2 200\r\n\r\n',
  'HTTP/1.1 20 OK\r\n\r\n',
  'HTTP/1.1 2000\r\n\r\n',
  '\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
  hint.repeat(17),
  `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(16_384)}`,
  `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
])('broken: %j', text => {
  expect(read(text)).toBe('broken')
})

test.each(['no colon', 'X-A: b\r\n folded', 'X A: b', 'X-A : b', ': b', 'X-A: b\rc', 'X-A: b\nc'])(
  'what is no plain header is passed over, and costs the connection: %j',
  line => {
    const text = `HTTP/1.1 200 OK\r\n${line}\r\nContent-Length: 2\r\n\r\nok`
    expect(read(text)).toEqual({ status: 200, body: 'ok', keep: false })
  },
)

test('the same length said twice is no contradiction', () => {
  const text = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok'
  expect(read(text)).toMatchObject({ status: 200, body: 'ok' })
})

test.each([
  `X:${' '.repeat(15_000)}\n`,
  `X: a${' '.repeat(15_000)}b`,
  `X: ${'a '.repeat(7_500)}`,
  `${' '.repeat(15_000)}:`,
  `Keep-Alive:${' timeout='.repeat(1_500)}`,
  `Content-Length:${' 1,'.repeat(5_000)}`,
])('a header made to be slow is read at once: %#', line => {
  const started = performance.now()
  readPieces([`HTTP/1.1 200 OK\r\n${line}\r\n\r\n`])
  // A millisecond or so; minutes with a pattern that tries again at every blank.
  expect(performance.now() - started).toBeLessThan(200)
})

describe('the status counts', () => {
  const head = 'HTTP/1.1 200 OK\r\n'

  test.each([
    [`${head}\r\n${'x'.repeat(16_385)}`],
    [`${head}Content-Length: 99999999999\r\n\r\n${'x'.repeat(16_385)}`],
    [`${chunked}4001\r\n${'x'.repeat(16_385)}`],
    [`${chunked}${'1\r\nx\r\n'.repeat(11_000)}`],
    [`${chunked}0\r\n${'X-A: b\r\n'.repeat(9_000)}`],
  ])('once enough of the body was read', text => {
    expect(shown(readPieces([text]))).toMatchObject({ status: 200, keep: false })
  })

  test.each(['x\r\n', '-1\r\n', '\r\n', '2\r\nokay\r\n', `1;${'a'.repeat(300)}`, '123456789\r\n'])(
    'when the chunks are none: %j',
    text => {
      expect(read(chunked + text)).toMatchObject({ status: 200, keep: false })
    },
  )

  test('when the other side ends before the body does, and a body without a length ends so', () => {
    for (const text of [
      `${head}\r\nok`,
      `${head}Content-Length: 9\r\n\r\nok`,
      `${head}Transfer-Encoding: gzip\r\n\r\nok`,
    ]) {
      const reader = answerReader()
      expect(reader.read(bytesOf(text))).toBe('more')
      expect(shown(reader.end())).toEqual({ status: 200, body: 'ok', keep: false })
    }
  })

  test('but there is none before the head is whole', () => {
    const reader = answerReader()
    expect(reader.read(bytesOf('HTTP/1.1 200 OK\r\nX-A: b\r\n'))).toBe('more')
    expect(reader.end()).toBeUndefined()
  })
})
