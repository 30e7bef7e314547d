// How long the sequencer rests between two looks.
import { expect, test } from 'bun:test'
import { openPause } from '../../src/feed/pause.ts'

/** After some looks, with so many events a millisecond. */
function pauseAfter(perMs: number, ...looksMs: number[]): number {
  const pause = openPause()
  for (const lookMs of looksMs) pause.note(lookMs)
  return pause.of(perMs)
}

test('many events, and looks that take long: six sevenths of the time are the writers’', () => {
  expect(pauseAfter(2, 4, 4, 4)).toBe(24)
  expect(pauseAfter(3, ...Array(20).fill(0.5), ...Array(9).fill(4))).toBe(24)
})

test('few events are looked for every 2 ms, however long a look takes', () => {
  expect(pauseAfter(1.4, 4, 4, 4)).toBe(2)
})

test('a rest is neither shorter than 2 ms nor longer than 40', () => {
  expect(pauseAfter(10, 0.1)).toBe(2)
  expect(pauseAfter(10)).toBe(2)
  expect(pauseAfter(10, 500)).toBe(40)
})

test('slow commits lengthen no rest while most are quick', () => {
  expect(pauseAfter(3, 0.3, 60, 0.3, 60, 0.3)).toBe(2)
})
