// How values travel to PostgreSQL: the text form of each type. That the server reads these texts as they
// were meant is tested against a database with the query files.
import { expect, test } from 'bun:test'
import {
  encodeParameter,
  isParameterType,
  oidOf,
  parameterTypes,
} from '../../src/db/parameter_types.ts'

test('null stays null, whatever the type', () => {
  for (const type of parameterTypes) expect(encodeParameter(type, null)).toBeNull()
})

test('scalars are written as PostgreSQL reads them', () => {
  expect(encodeParameter('text', 'O\'Neil "x" \\ {a,b}')).toBe('O\'Neil "x" \\ {a,b}')
  expect(encodeParameter('text', '')).toBe('')
  expect(encodeParameter('boolean', true)).toBe('true')
  expect(encodeParameter('boolean', false)).toBe('false')
  expect(encodeParameter('integer', 0)).toBe('0')
  expect(encodeParameter('bigint', Number.MAX_SAFE_INTEGER)).toBe('9007199254740991')
})

test('a Date is written in UTC with its milliseconds', () => {
  const moment = new Date('2026-03-01T09:00:00.123+01:00')
  expect(encodeParameter('timestamptz', moment)).toBe('2026-03-01T08:00:00.123Z')
})

test('JSON is encoded once: objects, arrays and texts', () => {
  expect(encodeParameter('jsonb', { a: 'ä"' })).toBe('{"a":"ä\\""}')
  expect(encodeParameter('jsonb', ['a'])).toBe('["a"]')
  expect(encodeParameter('jsonb', 'a')).toBe('"a"')
})

test.each([
  [[], '{}'],
  [['a', 'b'], '{"a","b"}'],
  [[''], '{""}'],
  [['a,b'], '{"a,b"}'],
  [['{a}'], '{"{a}"}'],
  [['say "hi"'], '{"say \\"hi\\""}'],
  [['a\\b'], '{"a\\\\b"}'],
  [['\\"'], '{"\\\\\\""}'],
  [[' a '], '{" a "}'],
  [['NULL', 'null'], '{"NULL","null"}'],
  [['Müller', '😀'], '{"Müller","😀"}'],
  [['a\nb'], '{"a\nb"}'],
])('the array %j is the literal %j', (values, literal) => {
  expect(encodeParameter('text[]', values)).toBe(literal)
})

test('an array of numbers, moments and nulls is written as PostgreSQL reads it', () => {
  expect(encodeParameter('bigint[]', [1, Number.MAX_SAFE_INTEGER, null])).toBe(
    '{1,9007199254740991,null}',
  )
  const moment = new Date('2026-03-01T08:00:00.123Z')
  expect(encodeParameter('timestamptz[]', [moment, null])).toBe('{"2026-03-01T08:00:00.123Z",null}')
  expect(encodeParameter('text[]', ['null', null])).toBe('{"null",null}')
})

test('every type has an OID of its own, and no other word is a type', () => {
  const numbers = parameterTypes.map(oidOf)
  expect(new Set(numbers).size).toBe(parameterTypes.length)
  expect(parameterTypes.every(isParameterType)).toBe(true)
  for (const word of ['money', 'TEXT', '', 'json', 'text []'])
    expect(isParameterType(word)).toBe(false)
})
