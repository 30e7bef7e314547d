// The filter of deliveries: what no database takes counts as not given.
import { expect, test } from 'bun:test'
import { filterOf, readAsked } from '../../src/dashboard/pages/delivery_filter.ts'

const read = (query: string) => filterOf(readAsked(new URLSearchParams(query)))

test('a moment is taken in any year that PostgreSQL knows', () => {
  expect(read('from=2026-01-02T03:04').since).toEqual(new Date('2026-01-02T03:04Z'))
  expect(read('to=0001-01-01T00:00').until).toEqual(new Date('0001-01-01T00:00Z'))
})

test.each(['0000-01-01T00:00', '0000-12-31T23:59', '2026-13-01T00:00', 'x'])(
  '%s counts as not given',
  moment => {
    expect(read(`from=${moment}&to=${moment}`)).toMatchObject({ since: null, until: null })
  },
)
