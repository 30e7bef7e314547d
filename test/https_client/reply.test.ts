// The kept part of a response: when to come back, and its beginning as harmless text.
import { describe, expect, test } from 'bun:test'
import { excerptBytesMax, excerptOf, resultOf, retryAfterMs } from '../../src/https_client/reply.ts'

const now = Date.UTC(2026, 10, 20, 12, 0, 0)
const dayMs = 86_400_000

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['2', 2_000],
    [' 120 ', 120_000],
    ['007', 7_000],
    ['86400', dayMs],
    ['999999999999999', dayMs],
    ['9'.repeat(400), dayMs],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['Friday, 20-Nov-26 12:00:30 GMT', 30_000],
    ['Fri Nov 20 12:00:30 2026', 30_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', dayMs],
  ])('%j is understood', (value, milliseconds) => {
    expect(retryAfterMs(value, now)).toBe(milliseconds)
  })

  test.each([
    '',
    ' ',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '2s',
    'soon',
    'NaN',
    'Infinity',
    '1,2',
    '2026-11-20T12:00:30Z',
    '1795176030000 GMT',
    'Fri',
    'Fri, 99 Nov 2026 12:00:30 GMT',
    'null',
    'Friends of 2026',
  ])('%j is not, and asks for nothing', value => {
    expect(retryAfterMs(value, now)).toBeNull()
  })

  test('absent it asks for nothing', () => {
    expect(retryAfterMs(undefined, now)).toBeNull()
  })
})

describe('the excerpt', () => {
  const of = (...parts: (string | number[])[]) => excerptOf(parts.map(part => Buffer.from(part)))

  test('is the text', () => {
    expect(of('Grüße, ', '世界 🙂\n\tende')).toBe('Grüße, 世界 🙂\n\tende')
  })

  test('puts a character together that came in two parts', () => {
    const [first, ...rest] = [...Buffer.from('ü')]
    expect(of('a', [first ?? 0], rest)).toBe('aü')
  })

  test('of nothing is null', () => {
    expect([of(), of(''), of('', '')]).toEqual([null, null, null])
  })

  test('ends at 1 KiB, between two characters', () => {
    expect(of('x'.repeat(5_000))).toBe('x'.repeat(1_024))
    expect(of(`x${'ü'.repeat(5_000)}`)).toBe(`x${'ü'.repeat(511)}`)
    expect(of(`x${'🙂'.repeat(5_000)}`)).toBe(`x${'🙂'.repeat(255)}`)
  })

  test('of noise is valid text of at most 1 KiB', () => {
    for (const noise of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x99], [0xc0, 0x80]]) {
      const text = of(Array<number[]>(1_000).fill(noise).flat()) ?? ''
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(excerptBytesMax)
      expect(text.isWellFormed()).toBe(true)
      expect(text).toMatch(/^\ufffd*$/)
    }
  })

  test('holds no control character but tab and newline, and nothing that turns text around', () => {
    const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('')
    const text = of(`${controls}\x7f\x80\x9f\u202e\u2066a`) ?? ''
    expect(text.replaceAll('\ufffd', '')).toBe('\t\na')
    expect(of('\0')).toBe('\ufffd')
    expect(of('\x1b[2Jgone')).toBe('\ufffd[2Jgone')
  })

  test('of an encoded answer is not kept', () => {
    const body = [Buffer.from('noise')]
    const encoded = (encoding: string) =>
      resultOf({ status: 200, headers: { 'content-encoding': encoding }, body })
    expect(encoded('gzip').excerpt).toBeNull()
    expect(encoded('identity').excerpt).toBe('noise')
  })
})

describe('headers', () => {
  const of = (status: number, headers: Record<string, string>) =>
    resultOf({ status, headers, body: [] }).headers

  test('are those of an answer that is no success, without cookies', () => {
    const headers = { server: 'nginx', 'set-cookie': 'session=1', 'x-request-id': 'a\u202e7' }
    expect(of(401, headers)).toBe('server: nginx\nx-request-id: a\ufffd7')
    expect(of(204, headers)).toBeNull()
    expect(of(500, {})).toBeNull()
  })

  test('take at most 1 KiB, in whole lines', () => {
    const text = of(500, { one: 'ü'.repeat(300), two: 'x'.repeat(600), three: 'y' }) ?? ''
    expect(text).toBe(`one: ${'ü'.repeat(300)}`)
  })
})

test.each([200, 204, 299])('%d has no error class', status => {
  expect(resultOf({ status, headers: {}, body: [] }).errorClass).toBeNull()
})

test.each([101, 199, 300, 302, 404, 500, 999])('%d has the error class status', status => {
  expect(resultOf({ status, headers: {}, body: [] }).errorClass).toBe('status')
})
