// HTTP/1.1 responses as they arrive on a connection, whole and in pieces.
import { describe, expect, test } from 'bun:test'
import {
  openResponseParser,
  type ParsedResponse,
  type ParseResult,
} from '../../src/https_client/response_parser.ts'

const bytesOf = (text: string) => Buffer.from(text, 'latin1')

const shown = (result: ParseResult | undefined) =>
  typeof result === 'object'
    ? {
        status: result.status,
        body: Buffer.concat(result.body).toString('latin1'),
        reusable: result.reusable,
      }
    : result

/** The result after the last piece; the results before it must be `incomplete`. */
function parsePieces(pieces: string[]): ParseResult {
  const parser = openResponseParser()
  return pieces.reduce<ParseResult>((before, piece) => {
    expect(before).toBe('incomplete')
    return parser.push(bytesOf(piece))
  }, 'incomplete')
}

const parse = (text: string) => shown(parsePieces([text]))

const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

const whole: [text: string, status: number, body: string, reusable: boolean][] = [
  ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 200, 'ok', true],
  ['HTTP/1.1 200\r\ncontent-length:2\r\n\r\nok', 200, 'ok', true],
  ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 200, '', true],
  ['HTTP/1.1 204 No Content\r\n\r\n', 204, '', true],
  ['HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n', 304, '', true],
  [`${interim}${interim}HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy`, 503, 'busy', true],
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
  // Framed twice: a proxy in between may find another end.
  [
    `${chunked.replace('\r\n\r\n', '\r\nContent-Length: 2\r\n\r\n')}2\r\nok\r\n0\r\n\r\n`,
    200,
    'ok',
    false,
  ],
  ['HTTP/1.1 200 OK\nContent-Length: 9\r\nContent-Length: 2\r\n\r\nok', 200, 'ok', false],
  ['HTTP/1.1 204 X\r\nContent-Length: 0\r\n\r\n', 204, '', true],
  ['HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\n', 204, '', false],
  ['HTTP/1.1 204 X\r\nTransfer-Encoding: chunked\r\n\r\n', 204, '', false],
  ['HTTP/1.1 304 X\r\nTransfer-Encoding: chunked\r\n\r\n', 304, '', false],
  ['HTTP/1.1 304 X\r\nContent-Length: x\r\n\r\n', 304, '', false],
  ['HTTP/1.1 103 X\r\nX A: b\r\n\r\nHTTP/1.1 204 X\r\n\r\n', 204, '', false],
  ['HTTP/1.1 103 X\r\nContent-Length: 2\r\n\r\nHTTP/1.1 204 X\r\n\r\n', 204, '', false],
]

test.each(whole)('%j', (text, status, body, reusable) => {
  expect(parse(text)).toEqual({ status, body, reusable })
})

test.each([
  ['', Number.POSITIVE_INFINITY],
  ['Keep-Alive: timeout=5\r\n', 4_000],
  ['Keep-Alive: max=100, timeout=2\r\n', 1_000],
  ['Keep-Alive: max=100\r\n', Number.POSITIVE_INFINITY],
])('a connection is kept for a second less than the server says: %j', (line, keepMs) => {
  const result = parsePieces([`HTTP/1.1 200 OK\r\n${line}Content-Length: 0\r\n\r\n`])
  expect(result).toMatchObject({ reusable: true, keepMs })
})

test.each(whole)(
  'the result is the same in two pieces, for every cut, and byte by byte: %j',
  (text, status, body, reusable) => {
    for (let cut = 1; cut < text.length; cut += 1)
      expect(shown(parsePieces([text.slice(0, cut), text.slice(cut)]))).toEqual({
        status,
        body,
        reusable,
      })
    expect(shown(parsePieces([...text]))).toEqual({ status, body, reusable })
  },
)

test.each(whole)(
  'a connection with bytes after the response is not used again: %j',
  (text, status, body) => {
    for (const more of ['\r\n', 'x', 'HTTP/1.1 200 OK\r\n\r\n'])
      expect(parse(text + more)).toEqual({ status, body, reusable: false })
  },
)

test('several headers of one name are one list, whatever their name', () => {
  const lines = 'X-A: b\r\nx-a:  c \r\nConstructor: d\r\n__proto__: e\r\n'
  const { headers } = parsePieces([`HTTP/1.1 204 X\r\n${lines}\r\n`]) as ParsedResponse
  expect(Object.entries(headers)).toEqual([
    ['x-a', 'b, c'],
    ['constructor', 'd'],
    ['__proto__', 'e'],
  ])
})

test.each([
  'EHLO hooks.example\r\n\r\n',
  'HTTP/2 200\r\n\r\n',
  'HTTP/1.1 20 OK\r\n\r\n',
  'HTTP/1.1 2000\r\n\r\n',
  'HTTP/1.1 099 X\r\n\r\n',
  '\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok',
  interim.repeat(17),
  `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(16_384)}`,
  `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
])('%j is invalid', text => {
  expect(parse(text)).toBe('invalid')
})

test.each(['no colon', 'X-A: b\r\n folded', 'X A: b', 'X-A : b', ': b', 'X-A: b\rc', 'X-A: b\nc'])(
  'a line that is not a plain header is skipped, and the connection is not used again: %j',
  line => {
    const text = `HTTP/1.1 200 OK\r\n${line}\r\nContent-Length: 2\r\n\r\nok`
    expect(parse(text)).toEqual({ status: 200, body: 'ok', reusable: false })
  },
)

test('a length that is repeated is no contradiction', () => {
  const text = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok'
  expect(parse(text)).toMatchObject({ status: 200, body: 'ok' })
})

test.each([
  `X:${' '.repeat(15_000)}\n`,
  `X: a${' '.repeat(15_000)}b`,
  `X: ${'a '.repeat(7_500)}`,
  `${' '.repeat(15_000)}:`,
  `Keep-Alive:${' timeout='.repeat(1_500)}`,
  `Content-Length:${' 1,'.repeat(5_000)}`,
])('a header made to be slow is parsed at once: %#', line => {
  const before = process.cpuUsage()
  parsePieces([`HTTP/1.1 200 OK\r\n${line}\r\n\r\n`])
  // A pattern that backtracks takes minutes.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(200)
})

const headOf = (length: number) => {
  const start = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: '
  return `${start}${'a'.repeat(length - start.length)}\r\n\r\nok`
}

test.each([
  ['a head', headOf(16_384), headOf(16_385), 'invalid' as const],
  [
    'a line of a chunked body',
    `${chunked}2;${'a'.repeat(254)}\r\nok\r\n0\r\n\r\n`,
    `${chunked}2;${'a'.repeat(255)}\r\nok\r\n0\r\n\r\n`,
    { status: 200, body: '', reusable: false },
  ],
])('%s ends at its limit, however it is split', (_, within, beyond, refused) => {
  const whole = { status: 200, body: 'ok', reusable: true }
  for (const [text, expected] of [
    [within, whole],
    [beyond, refused],
  ] as const)
    for (let end = 0; end < 8; end += 1) {
      const cut = text.indexOf('\r\n', 200) + end - 4
      const parser = openResponseParser()
      const first = parser.push(bytesOf(text.slice(0, cut)))
      const last = first === 'incomplete' ? parser.push(bytesOf(text.slice(cut))) : first
      expect({ end, last: shown(last) }).toEqual({ end, last: expected })
    }
})

test('a body of 16 KiB leaves its connection usable, a longer one does not, and both are cut there', () => {
  const of = (length: number) =>
    parse(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`)
  const body = 'x'.repeat(16_384)
  expect(of(16_384)).toEqual({ status: 200, body, reusable: true })
  expect(of(16_385)).toEqual({ status: 200, body, reusable: false })
})

describe('the status of an incomplete response counts', () => {
  const head = 'HTTP/1.1 200 OK\r\n'

  test.each([
    [`${head}\r\n${'x'.repeat(16_385)}`],
    [`${head}Content-Length: 99999999999\r\n\r\n${'x'.repeat(16_385)}`],
    [`${chunked}4001\r\n${'x'.repeat(16_385)}`],
    [`${chunked}${'1\r\nx\r\n'.repeat(11_000)}`],
    [`${chunked}0\r\n${'X-A: b\r\n'.repeat(9_000)}`],
  ])('once enough of the body was read', text => {
    expect(shown(parsePieces([text]))).toMatchObject({ status: 200, reusable: false })
  })

  test.each(['x\r\n', '-1\r\n', '\r\n', '2\r\nokay\r\n', `1;${'a'.repeat(300)}`, '123456789\r\n'])(
    'when the chunks are invalid: %j',
    text => {
      expect(parse(chunked + text)).toMatchObject({ status: 200, reusable: false })
    },
  )

  test('when the connection ends before the body, or ends the body', () => {
    for (const text of [
      `${head}\r\nok`,
      `${head}Content-Length: 9\r\n\r\nok`,
      `${head}Transfer-Encoding: gzip\r\n\r\nok`,
    ]) {
      const parser = openResponseParser()
      expect(parser.push(bytesOf(text))).toBe('incomplete')
      expect(shown(parser.end())).toEqual({ status: 200, body: 'ok', reusable: false })
    }
  })

  test('but not before the head is complete', () => {
    const parser = openResponseParser()
    expect(parser.push(bytesOf('HTTP/1.1 200 OK\r\nX-A: b\r\n'))).toBe('incomplete')
    expect(parser.end()).toBeUndefined()
  })
})
