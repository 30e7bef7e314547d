// What the parser of responses promises for any bytes. FUZZ_SEED repeats a course; a failure names the seed of its case.
import { expect, test } from 'bun:test'
import { openResponseParser, type ParseResult } from '../../src/https_client/response_parser.ts'
import { seeded } from '../support/fuzz/seeded.ts'
import { generateResponse, split } from './generated_responses.ts'

const first = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000)
const courseMs = 1_800
const splitsPerCase = 4
const bodyBytesMax = 16_384

type Outcome = {
  end: 'by itself' | 'with the connection' | 'invalid'
  status?: number
  headers?: string
  body?: string
  /** Bytes that are left over close the connection, as the parser itself would have it closed. */
  reusable?: boolean
}

const shown = (end: Outcome['end'], result: ParseResult | undefined, left = 0): Outcome =>
  typeof result === 'object'
    ? {
        end,
        status: result.status,
        headers: JSON.stringify(Object.entries(result.headers)),
        body: Buffer.concat(result.body).toString('latin1'),
        reusable: result.reusable && left === 0,
      }
    : { end: result === undefined ? end : 'invalid' }

function parse(pieces: readonly string[]): Outcome {
  const parser = openResponseParser()
  for (const [index, piece] of pieces.entries()) {
    const result = parser.push(Buffer.from(piece, 'latin1'))
    if (result !== 'incomplete') return shown('by itself', result, pieces.length - 1 - index)
  }
  return shown('with the connection', parser.end())
}

const head =
  /^HTTP\/1\.1 ([1-9]\d\d)(?: [^\r\n\0]*)?\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\0]*\r\n)*)\r\n/
const chunkSize = /([\da-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n/iy
const trailers = /(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\0]*\r\n)*\r\n/y

/** The whole text is a chunked body. */
function isChunked(text: string): boolean {
  let at = 0
  for (;;) {
    chunkSize.lastIndex = at
    const size = Number.parseInt(chunkSize.exec(text)?.[1] ?? '', 16)
    if (Number.isNaN(size)) return false
    at = chunkSize.lastIndex + size
    if (size === 0) break
    if (text.slice(at, at + 2) !== '\r\n') return false
    at += 2
  }
  trailers.lastIndex = at
  return trailers.test(text) && trailers.lastIndex === text.length
}

/** The rules of RFC 9112, 6, written a second time: the text is one response, and no client could find another end. */
function isPlainlyFramed(text: string): boolean {
  const [all = '', digits, lines = ''] = head.exec(text) ?? []
  const rest = text.slice(all.length)
  const valuesOf = (name: string) =>
    [...lines.matchAll(/(.*?):(.*)\r\n/g)].flatMap(([, key, value = '']) =>
      key?.toLowerCase() === name
        ? value.split(',').map(part => part.replace(/^[ \t]+|[ \t]+$/g, ''))
        : [],
    )
  const [codings, lengths] = [valuesOf('transfer-encoding'), valuesOf('content-length')]
  if (
    digits === undefined ||
    digits === '101' ||
    /close|upgrade/i.test(`${valuesOf('connection')}`)
  )
    return false
  if (digits < '200') return codings.length + lengths.length === 0 && isPlainlyFramed(rest)
  if (!lengths.every(length => /^\d+$/.test(length) && length === lengths[0])) return false
  const isEmpty = digits === '304' || (digits === '204' && Number(lengths[0] ?? 0) === 0)
  if (isEmpty) return rest === '' && codings.length === 0
  if (codings.length > 0)
    return lengths.length === 0 && `${codings}`.toLowerCase() === 'chunked' && isChunked(rest)
  return lengths.length > 0 && Number(lengths[0]) === rest.length
}

test(`no bytes, however split, break a promise of the parser (FUZZ_SEED=${first})`, () => {
  const ends = performance.now() + courseMs
  const seen = { cases: 0, reusable: 0, invalid: 0 }
  for (let seed = first; performance.now() < ends; seed += 1) {
    const { text, isPlain } = generateResponse(seed)
    const outcome = parse([text])
    const fail = (promise: string, details: unknown) => {
      throw new Error(JSON.stringify({ seed, promise, details, text: text.slice(0, 2_000) }))
    }
    seen.cases += 1
    seen.reusable += outcome.reusable ? 1 : 0
    seen.invalid += outcome.end === 'invalid' ? 1 : 0
    for (let turn = 0; turn < splitsPerCase; turn += 1) {
      const pieces = split(seed * splitsPerCase + turn, text)
      if (pieces.join('') !== text) fail('the split is whole', pieces.length)
      const other = parse(pieces)
      if (!Bun.deepEquals(other, outcome))
        fail('the split does not matter', { pieces, outcome, other })
    }
    if (outcome.reusable && !isPlainlyFramed(text)) fail('only plain framing is kept', outcome)
    if ((outcome.body ?? '').length > bodyBytesMax) fail('the body is cut', outcome.body?.length)
    const isSmall = text.length < bodyBytesMax && !text.includes('HTTP/1.1 1')
    if (isPlain && isSmall && !outcome.reusable) fail('plain framing is kept', outcome)
  }
  expect(seen.cases).toBeGreaterThan(100)
  // The course met all kinds.
  expect(seen.reusable).toBeGreaterThan(seen.cases / 50)
  expect(seen.invalid).toBeGreaterThan(seen.cases / 50)
})

const start = 'HTTP/1.1 200 OK\r\n'
const chunked = `${start}Transfer-Encoding: chunked\r\n\r\n`

test.each([
  ['a status line', '', 'H', 16_400],
  ['a header', `${start}X-A: `, 'a', 16_400],
  ['headers', start, 'X-A: b\r\n', 16_400],
  ['interim responses', '', 'HTTP/1.1 103 X\r\n\r\n', 17 * 18],
  [
    'large interim responses',
    '',
    `HTTP/1.1 103 X\r\nX-A: ${'a'.repeat(16_000)}\r\n\r\n`,
    17 * 16_400,
  ],
  ['a body without a length', `${start}\r\n`, 'x', 16_500],
  ['a body with a length', `${start}Content-Length: 999999999999999\r\n\r\n`, 'x', 16_500],
  ['a chunk', `${chunked}ffffffff\r\n`, 'x', 16_500],
  ['chunks of a byte', chunked, '1\r\nx\r\n', 66_000],
  ['the size of a chunk', chunked, '0', 400],
  ['the extension of a chunk', `${chunked}1;`, 'a', 400],
  ['the end of a chunk', `${chunked}1\r\nx`, 'x', 400],
  ['trailers', `${chunked}0\r\n`, 'X-A: b\r\n', 66_000],
  ['a trailer', `${chunked}0\r\nX-A: `, 'a', 400],
])(`%s without an end is read to a limit (FUZZ_SEED=${first})`, (_, beginning, unit, bytesMax) => {
  const random = seeded(first)
  const pieceMax = 3_000
  const endless = unit.repeat(Math.ceil((bytesMax + 2 * pieceMax) / unit.length))
  const parser = openResponseParser()
  let result = parser.push(Buffer.from(beginning, 'latin1'))
  let read = 0
  while (result === 'incomplete' && read <= bytesMax) {
    const piece = endless.slice(read, read + 1 + random.below(pieceMax))
    read += piece.length
    result = parser.push(Buffer.from(piece, 'latin1'))
  }
  expect(result).not.toBe('incomplete')
  expect(read).toBeLessThanOrEqual(bytesMax + pieceMax)
  expect(shown('by itself', result).reusable ?? false).toBe(false)
})
