// How long the sequencer rests between two looks.
import { expect, test } from 'bun:test'
import { openPause } from '../../src/feed/pause.ts'

/** What is said after the last of some looks. */
function pauseAfter(...looksMs: number[]): number | undefined {
  const pauseOf = openPause()
  return looksMs.map(pauseOf).at(-1)
}

test('looks that take long leave three quarters of the time to the writers', () => {
  expect(pauseAfter(4, 4, 4, 4)).toBe(12)
  expect(pauseAfter(0.5, 4, 4, 4, 4)).toBe(12)
})

test('a rest is neither shorter than 2 ms nor longer than 40', () => {
  expect(pauseAfter(0.3)).toBe(2)
  expect(pauseAfter(500, 500, 500, 500)).toBe(40)
})

test('one slow commit lengthens no rest', () => {
  expect(pauseAfter(0.5, 0.5, 60)).toBe(2)
  expect(pauseAfter(60, 0.5)).toBe(2)
})
