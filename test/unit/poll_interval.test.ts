// How long the sequencer rests between two looks.
import { beforeEach, expect, test } from 'bun:test'
import { openPollInterval } from '../../src/feed/poll_interval.ts'

let share: number | undefined

beforeEach(() => {
  share = 0.3
})

/** After some looks, with so many events a millisecond. */
function intervalAfter(perMs: number, ...looksMs: number[]): number {
  const interval = openPollInterval(() => share)
  for (const lookMs of looksMs) interval.note(lookMs)
  return interval.msFor(perMs)
}

test('many events, and looks that take long: six sevenths of the time are the writers’', () => {
  expect(intervalAfter(2, 4, 4, 4)).toBe(24)
  expect(intervalAfter(3, ...Array(20).fill(0.5), ...Array(9).fill(4))).toBe(24)
})

test('few events are looked for every millisecond, however long a look takes', () => {
  expect(intervalAfter(1.4, 4, 4, 4)).toBe(1)
})

test('many events are looked for every millisecond too where there is processor time for it', () => {
  share = 0.5
  expect(intervalAfter(2, 4, 4, 4)).toBe(1)
})

test('where that is not known, many events make rests long', () => {
  share = undefined
  expect(intervalAfter(2, 4, 4, 4)).toBe(24)
})

test('without events it looks every 20 ms', () => {
  expect(intervalAfter(0, 0.3)).toBe(20)
  expect(intervalAfter(0.001, 0.3)).toBe(1)
})

test('a rest is neither shorter than 1 ms nor longer than 40', () => {
  expect(intervalAfter(10, 0.1)).toBe(1)
  expect(intervalAfter(10)).toBe(1)
  expect(intervalAfter(10, 500)).toBe(40)
})

test('slow commits lengthen no rest while most are quick', () => {
  expect(intervalAfter(3, 0.3, 60, 0.3, 60, 0.3)).toBeCloseTo(1.8)
})
