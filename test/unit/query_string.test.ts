// The query string as a whole: repeated or empty is 400, unknown is ignored, everything is decoded once.
import { expect, test } from 'bun:test'
import { decode, readQuery } from '../../src/api/rest/request.ts'
import { listEvents } from '../../src/operations/events.ts'
import {
  booleanParameter,
  limitParameter,
  offsetParameter,
  textParameter,
} from '../../src/operations/parameters.ts'

const known = {
  limit: limitParameter,
  offset: offsetParameter,
  search: textParameter('Text.'),
  archived: booleanParameter('Flag.'),
}
const defaults = { limit: 50, offset: 0, search: null, archived: false }

const read = (query: string) => readQuery(query, known)
const badRequest = (message: unknown) =>
  expect.objectContaining({ code: 'invalid_request', status: 400, message })

test('absent parameters take their defaults', () => {
  expect(read('')).toEqual(defaults)
  expect(read('&&')).toEqual(defaults)
})

test('unknown parameters are ignored, repeated ones too', () => {
  const query = 'page=2&page=3&fields=%25&Limit=5&pages[]=5&__proto__=x&constructor=y'
  expect(read(query)).toEqual(defaults)
})

test.each(['limit=5&limit=5', 'limit=5&limit=6', 'limit=5&%6Cimit=6', 'limit=5&limit'])(
  'a parameter given twice is refused: %s',
  query => {
    expect(() => read(query)).toThrow(badRequest('limit must be given once.'))
  },
)

test.each(['limit[]=5', 'limit%5B%5D=5', 'limit[0]=5', 'limit=5&limit[]=6'])(
  'a known parameter in brackets is refused, not ignored: %s',
  query => {
    expect(() => read(query)).toThrow(badRequest(expect.stringContaining('without brackets')))
  },
)

test('a list may be repeated, or stand in one value, or both', () => {
  for (const query of [
    'types=lead.created&types=signal.opened',
    'types=lead.created,signal.opened',
    'types=lead.created,signal.opened&types=lead.created',
  ])
    expect(readQuery(query, { types: listEvents.input.types }).types).toEqual([
      'lead.created',
      'signal.opened',
    ])
  for (const query of ['types=lead.created&types=', 'types=&types=', 'types[]=lead.created'])
    expect(() => readQuery(query, { types: listEvents.input.types })).toThrow(
      expect.objectContaining({ code: 'invalid_types' }),
    )
})

test('a type that is repeated in a list counts once, however often', () => {
  const read = (text: string) => readQuery(`types=${text}`, { types: listEvents.input.types }).types
  const often = 'lead.created,'.repeat(2_000)
  expect(read(`${often}signal.opened`)).toEqual(['lead.created', 'signal.opened'])
  for (const join of ['', '&types='])
    expect(() => read(`${often}${join}lead.deleted`)).toThrow(
      expect.objectContaining({ code: 'invalid_types' }),
    )
})

test.each(['limit', 'limit=', 'offset=', 'archived'])(
  'an empty parameter is refused: %s',
  query => {
    const name = query.replace('=', '')
    expect(() => read(query)).toThrow(badRequest(expect.stringContaining(`${name} must be `)))
  },
)

test('names and values are percent-decoded once', () => {
  expect(read('%6Cimit=%31%30').limit).toBe(10)
  expect(read('search=%2541').search).toBe('%41')
  expect(read('search=a=b').search).toBe('a=b')
})

test.each([
  ...['%FF=1', '%=1', 'a%00=1'],
  ...['page=%EF%BF%BD', 'page=\ufffd', '%EF%BF%BD=1'],
  ...['page=%FF', 'page=100%', 'page=%zz', 'page=a%00', 'page=%ED%A0%80', 'limit=5&page=a=%E2%82'],
])('an unknown parameter that cannot be read is refused: %s', query => {
  expect(() => read(query)).toThrow(badRequest(expect.stringContaining('A query parameter must ')))
})

test("a parameter's own code replaces invalid_request", () => {
  const after = { ...limitParameter, code: 'invalid_cursor' as const }
  expect(() => readQuery('after=x', { after })).toThrow(
    expect.objectContaining({ code: 'invalid_cursor' }),
  )
})

test('a path value is decoded once; bad encoding and NUL are refused', () => {
  expect(decode('email%3Aa%40b.de', 'key')).toBe('email:a@b.de')
  expect(decode('%2541', 'key')).toBe('%41')
  for (const bad of ['%', '%FF', '%00', '%ED%A0%80', '%EF%BF%BD', '\ufffd'])
    expect(() => decode(bad, 'key')).toThrow(badRequest(expect.stringContaining('key must ')))
})
