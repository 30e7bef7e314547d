// Spec part 1: the one envelope, and the headers every response carries.
import { expect, test } from 'bun:test'
import {
  commonHeaders,
  envelope,
  envelopePieces,
  errorEnvelope,
  errorResponse,
} from '../../src/api/http/envelope.ts'
import { ApiError, errorCodes, errorStatus } from '../../src/errors.ts'

test('success is api_version and data; data passes through untouched', () => {
  expect(envelope({ data: '{"a": 1.0}' })).toBe('{"api_version":"v1","data":{"a": 1.0}}')
  expect(JSON.parse(envelope({ data: '[]' }))).toEqual({ api_version: 'v1', data: [] })
  expect(JSON.parse(envelope({ data: 'null' }))).toEqual({ api_version: 'v1', data: null })
})

test('what is sent is the same, whether the database gave bytes or an operation text', () => {
  const text = '[{"name":"Jörg Müller 🏡"}]'
  for (const meta of [undefined, { count: 1, limit: 50, offset: 0 }])
    for (const data of [text, Buffer.from(text)]) {
      const answer = meta ? { data, meta } : { data }
      expect(envelope(answer)).toBe(envelope({ ...answer, data: text }))
      expect(Buffer.concat(envelopePieces(answer)).toString()).toBe(envelope(answer))
    }
})

test('lists carry meta next to data', () => {
  expect(JSON.parse(envelope({ data: '[]', meta: { count: 0, limit: 50, offset: 0 } }))).toEqual({
    api_version: 'v1',
    data: [],
    meta: { count: 0, limit: 50, offset: 0 },
  })
})

test('failure is api_version and error with code and message, and nothing else', () => {
  expect(JSON.parse(errorEnvelope('not_found', 'There is no "x".\n'))).toEqual({
    api_version: 'v1',
    error: { code: 'not_found', message: 'There is no "x".\n' },
  })
})

test('every code answers with its own status', async () => {
  for (const code of errorCodes) {
    const response = errorResponse(new ApiError(code, 'Why.'), 'request-1')
    expect(response.status).toBe(errorStatus[code])
    expect(await response.json()).toEqual({ api_version: 'v1', error: { code, message: 'Why.' } })
  }
})

test('every response is uncacheable JSON that names its request', () => {
  expect(commonHeaders('request-1')).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'request-1',
  })
  const { headers } = errorResponse(new ApiError('not_found', ''), 'request-2')
  for (const [name, value] of Object.entries(commonHeaders('request-2')))
    expect(headers.get(name)).toBe(value)
})

test("an error's own headers and finer status go out with it", () => {
  const detail = { status: 405, headers: { allow: 'GET, HEAD' } } as const
  const error = new ApiError('invalid_request', 'This path takes GET, HEAD.', detail)
  const response = errorResponse(error, 'request-1', { ratelimit: '"default";r=1;t=60' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD')
  expect(response.headers.get('ratelimit')).toBe('"default";r=1;t=60')
})
