// Query parameters are read strictly, and messages never repeat what was sent.
import { describe, expect, test } from 'bun:test'
import { readQuery } from '../../src/api/rest/request.ts'
import { ApiError } from '../../src/errors.ts'
import {
  booleanParameter,
  enumParameter,
  integerParameter,
  limitParameter,
  offsetParameter,
  textParameter,
} from '../../src/operations/parameters.ts'

const known = {
  limit: limitParameter,
  offset: offsetParameter,
  search: textParameter('Text.'),
  archived: booleanParameter('Flag.'),
  status: enumParameter(['open', 'done'], 'State.'),
}

const read = (query: string) => readQuery(query, known)

function failure(query: string): ApiError {
  try {
    read(query)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error(`${query} was accepted`)
}

describe('integers', () => {
  test.each(['1', '50', '200'])('limit takes %s', text => {
    expect(read(`limit=${text}`).limit).toBe(Number(text))
  })

  test.each([
    '0', // below the least
    '201',
    '0x10',
    '0b11',
    '1e2',
    '+5', // arrives as a space and 5
    '%2B5',
    '-1',
    '-0',
    '01',
    '1.0',
    '1,000',
    '1_0',
    '%205',
    '5%20',
    '5%0A',
    '%EF%BC%95', // full-width digit five
    '%D9%A5', // Arabic-Indic digit five
    'NaN',
    'Infinity',
    'null',
    '9007199254740992',
    '99999999999999999999999999',
    '',
  ])('limit refuses "%s"', text => {
    expect(failure(`limit=${text}`)).toMatchObject({ code: 'invalid_request', status: 400 })
  })

  test('offset takes 0 to 1,000,000', () => {
    expect(read('offset=0').offset).toBe(0)
    expect(read('offset=1000000').offset).toBe(1_000_000)
    expect(failure('offset=1000001').code).toBe('invalid_request')
  })

  test('a parameter without a bound of its own still ends at 2^53 - 1', () => {
    const options = { min: 0, max: Number.MAX_SAFE_INTEGER, absent: 0, description: '' }
    const { parse } = integerParameter(options)
    expect(parse('9007199254740991')).toBe(9007199254740991)
    expect(parse('9007199254740992')).toBeUndefined()
    expect(parse('9007199254740993')).toBeUndefined()
  })
})

describe('booleans and enumerations', () => {
  test('true and false are the only booleans', () => {
    expect(read('archived=true').archived).toBe(true)
    expect(read('archived=false').archived).toBe(false)
  })

  test.each(['1', '0', 'True', 'FALSE', 'yes', 'on', '%20true', 'constructor', '__proto__', ''])(
    'a boolean refuses "%s"',
    text => {
      expect(failure(`archived=${text}`).code).toBe('invalid_request')
    },
  )

  test('an enumeration takes its own words', () => {
    expect(read('status=open').status).toBe('open')
  })

  test.each(['Open', 'open%20', 'closed', 'open,done', 'constructor', ''])(
    'an enumeration refuses "%s"',
    text => {
      expect(failure(`status=${text}`).code).toBe('invalid_request')
    },
  )
})

describe('text', () => {
  test('up to 254 characters are taken as they are', () => {
    expect(read('search=').search).toBe('')
    expect(read('search=a').search).toBe('a')
    expect(read(`search=${'a'.repeat(254)}`).search).toHaveLength(254)
    expect(read('search=M%C3%BCller+%25_%5C').search).toBe('Müller %_\\')
  })

  test('a character outside the basic plane counts once', () => {
    expect(read(`search=${encodeURIComponent('😀'.repeat(254))}`).search).toBe('😀'.repeat(254))
    expect(failure(`search=${encodeURIComponent('😀'.repeat(255))}`).code).toBe('invalid_request')
  })

  test.each([
    ['255 characters', 'a'.repeat(255)],
    ['a NUL', 'a%00b'],
    ['a line feed', 'a%0Ab'],
    ['a final line feed', 'a%0A'],
    ['a tab', '%09'],
    ['DEL', '%7F'],
    ['a C1 control character', '%C2%85'],
    ['a lone surrogate in UTF-8', '%ED%A0%80'],
    ['an overlong encoding', '%C0%AF'],
    ['a cut-off sequence', '%E2%82'],
    ['a bare percent sign', '100%'],
    ['percent and no hex digits', '%zz'],
  ])('text refuses %s', (_what, text) => {
    expect(failure(`search=${text}`)).toMatchObject({ code: 'invalid_request', status: 400 })
  })

  test('text refuses a lone surrogate, which a tool argument can carry', () => {
    expect(known.search.parse('a\ud800')).toBeUndefined()
  })
})

test('messages name the parameter and what it takes, and never repeat the value', () => {
  for (const name of ['limit', 'search', 'archived', 'status']) {
    const { message } = failure(`${name}=SECRET%0AVALUE`)
    expect(message).toStartWith(`${name} must be `)
    expect(message).not.toContain('SECRET')
  }
  expect(failure('limit=0').message).toBe(
    'limit must be a whole number from 1 to 200, in plain decimal digits.',
  )
  expect(failure('search=%FF').message).toBe('search must be valid UTF-8 in percent-encoding.')
})
