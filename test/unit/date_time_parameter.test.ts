// `from` and its like: ISO 8601 date-times with an offset, handed on in UTC.
import { expect, test } from 'bun:test'
import { dateTimeParameter } from '../../src/operations/parameters.ts'

const { parse } = dateTimeParameter('A moment.')

test.each([
  ['2026-03-01T09:00:00Z', '2026-03-01T09:00:00Z'],
  ['2026-03-01t09:00:00z', '2026-03-01T09:00:00Z'],
  ['2026-03-01T09:00:00+01:00', '2026-03-01T08:00:00Z'],
  ['2026-03-01T09:00:00-00:00', '2026-03-01T09:00:00Z'],
  ['2026-03-01T09:00:00.123456789Z', '2026-03-01T09:00:00.123456789Z'],
  ['2026-03-01T23:59:59.5-02:30', '2026-03-02T02:29:59.5Z'],
  // PostgreSQL reads offsets only up to 15:59; RFC 3339 goes on to 23:59.
  ['2026-03-01T09:00:00+23:59', '2026-02-28T09:01:00Z'],
  ['2026-03-01T09:00:00-16:00', '2026-03-02T01:00:00Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
])('%s is %s', (text, moment) => {
  expect(parse(text)).toBe(moment)
})

test('a plus that a client forgot to encode arrives as a space and still counts', () => {
  expect(parse('2026-03-01T09:00:00 01:00')).toBe('2026-03-01T08:00:00Z')
})

test.each([
  ['no offset', '2026-03-01T09:00:00'],
  ['no time', '2026-03-01'],
  ['a space for T', '2026-03-01 09:00:00Z'],
  ['29 February of a common year', '2026-02-29T00:00:00Z'],
  ['29 February 1900', '1900-02-29T00:00:00Z'],
  ['31 April', '2026-04-31T00:00:00Z'],
  ['month 13', '2026-13-01T00:00:00Z'],
  ['month 0', '2026-00-01T00:00:00Z'],
  ['day 0', '2026-03-00T00:00:00Z'],
  ['hour 24', '2026-03-01T24:00:00Z'],
  ['minute 60', '2026-03-01T09:60:00Z'],
  ['second 60', '2016-12-31T23:59:60Z'],
  ['offset 24:00', '2026-03-01T09:00:00+24:00'],
  ['offset minute 60', '2026-03-01T09:00:00+01:60'],
  ['an offset without colon', '2026-03-01T09:00:00+0100'],
  ['the year 0000', '0000-01-01T00:00:00Z'],
  ['a moment that is in the year 0000 by UTC', '0001-01-01T00:00:00+01:00'],
  ['a moment that is in the year 10000 by UTC', '9999-12-31T23:59:59-01:00'],
  ['five digits of year', '10000-01-01T00:00:00Z'],
  ['a signed year', '+002026-03-01T09:00:00Z'],
  ['ten digits of fraction', '2026-03-01T09:00:00.1234567890Z'],
  ['an empty fraction', '2026-03-01T09:00:00.Z'],
  ['a comma', '2026-03-01T09:00:00,5Z'],
  ['a space before', ' 2026-03-01T09:00:00Z'],
  ['a line feed after', '2026-03-01T09:00:00Z\n'],
  ['full-width digits', '２０２６-03-01T09:00:00Z'],
  ['words', 'now'],
  ['PostgreSQL words', 'infinity'],
  ['unix seconds', '1772355600'],
  ['nothing', ''],
])('%s is refused', (_what, text) => {
  expect(parse(text)).toBeUndefined()
})
