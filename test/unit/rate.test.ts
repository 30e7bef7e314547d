// Whether events come in numbers: by their rate over a while.
import { expect, test } from 'bun:test'
import { openRate } from '../../src/feed/rate.ts'

/** Hears of so many events every so many milliseconds, `times` over; what it said at last. */
function told(rateOf: (count: number) => number, clock: { now: number }, looks: number[][]) {
  let said = 0
  for (const [count = 0, everyMs = 0, times = 1] of looks)
    for (let time = 0; time < times; time += 1) {
      clock.now += everyMs
      said = rateOf(count)
    }
  return said
}

const opened = () => {
  const clock = { now: 1_000 }
  return { clock, rateOf: openRate(40, () => clock.now) }
}

test('two in a millisecond are two, looked at often or seldom', () => {
  for (const everyMs of [2, 10, 40, 100]) {
    const { clock, rateOf } = opened()
    expect(told(rateOf, clock, [[2 * everyMs, everyMs, 200]])).toBe(2)
  }
})

test('what gathered behind one slow commit is no flood', () => {
  const { clock, rateOf } = opened()
  told(rateOf, clock, [[4, 2, 200]])
  // 20 ms in which nothing was moved, and then all of it at once.
  expect(
    told(rateOf, clock, [
      [0, 20],
      [40, 2],
    ]),
  ).toBeLessThan(3)
  expect(told(rateOf, clock, [[4, 2, 100]])).toBe(2)
})

test('a flood is told after one stretch, and its end too', () => {
  const { clock, rateOf } = opened()
  told(rateOf, clock, [[4, 2, 200]])
  expect(told(rateOf, clock, [[20, 2, 40]])).toBe(10)
  expect(told(rateOf, clock, [[1, 40, 2]])).toBeLessThan(1)
})
