// Numbers as a reader sees them.
import { expect, test } from 'bun:test'
import { percent } from '../../src/dashboard/parts.ts'
import { textsFor } from '../../src/dashboard/texts.ts'

const reader = (language: string) => ({
  texts: textsFor(new Request('http://localhost/'), language),
})

test('a share is rounded, and never to all or to none of it', () => {
  const shown = (share: number | null) => percent(reader('de'), share).replace(/\s/u, ' ')
  expect([24 / 36, 2 / 3, 0.5, 0.9995, 0.99999, 1, 0.00001, 0, null].map(shown)).toEqual([
    '66,7 %',
    '66,7 %',
    '50 %',
    '99,9 %',
    '99,9 %',
    '100 %',
    '0,1 %',
    '0 %',
    '–',
  ])
  expect(percent(reader('en'), 24 / 36)).toBe('66.7%')
})
