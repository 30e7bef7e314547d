// How many events are read at once for a subscription that is behind: what it sends before they are forgotten.
import { expect, test } from 'bun:test'
import { openPageSizes, pageEventsMax, pageEventsMin } from '../../src/delivery/page_size.ts'
import { openLane } from '../../src/delivery/subscription.ts'

function opened() {
  let now = 0
  const sizeOf = openPageSizes(() => now)
  const lane = openLane(0, null, 0)
  return {
    sizeOf: () => sizeOf(lane),
    other: () => sizeOf(openLane(0, null, 0)),
    /** So many events of the lane are taken within this time. */
    take(count: number, ms: number) {
      lane.taken += count
      now += ms
    },
  }
}

test('the first page is a large one', () => {
  expect(opened().sizeOf()).toBe(pageEventsMax)
})

test('a page has what was sent in a quarter of a second of late', () => {
  const { sizeOf, take } = opened()
  sizeOf()
  take(1_000, 1_000)
  expect(sizeOf()).toBe(250)
  take(1_000, 500)
  expect(sizeOf()).toBe(500)
})

test('what was taken in a moment leaves the size as it is', () => {
  const { sizeOf, take } = opened()
  sizeOf()
  take(1, 4)
  expect(sizeOf()).toBe(pageEventsMax)
})

test('a slow receiver reads few events at a time, a fast one no more than the most', () => {
  const { sizeOf, take } = opened()
  sizeOf()
  take(60, 60_000)
  expect(sizeOf()).toBe(pageEventsMin)
  take(20_000, 1_000)
  expect(sizeOf()).toBe(pageEventsMax)
})

test('what waits for its page asks for the same again, and the rate is that of the lane alone', () => {
  const { sizeOf, take, other } = opened()
  sizeOf()
  take(1_000, 1_000)
  sizeOf()
  take(0, 5_000)
  expect(sizeOf()).toBe(250)
  expect(other()).toBe(pageEventsMax)
})
