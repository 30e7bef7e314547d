// Whether events come in numbers: by their rate over a while.
import { expect, test } from 'bun:test'
import { openRate } from '../../src/feed/rate.ts'

type Looks = [count: number, everyMs: number, times: number][]

/** Hears of so many events every so many milliseconds, `times` over; the greatest and the last that it said. */
function opened() {
  let now = 1_000
  const rateOf = openRate(100, () => now)
  return (looks: Looks) => {
    const said = looks.flatMap(([count, everyMs, times]) =>
      Array.from({ length: times }, () => {
        now += everyMs
        return rateOf(count)
      }),
    )
    return { most: Math.max(...said), last: said.at(-1) }
  }
}

test('two in a millisecond are two, looked at often or seldom', () => {
  for (const everyMs of [2, 10, 40, 100])
    expect(opened()([[2 * everyMs, everyMs, 200]])).toEqual({ most: 2, last: 2 })
})

test('what gathered behind one slow commit is not many', () => {
  for (const stallMs of [10, 20, 40, 60]) {
    const told = opened()
    told([[4, 2, 203]])
    // Nothing was moved, and then all of it at once.
    const { most, last } = told([
      [0, stallMs, 1],
      [2 * stallMs, 2, 1],
      [4, 2, 200],
    ])
    expect(most).toBeLessThan(4)
    expect(last).toBe(2)
  }
})

test('a change of rate is told after one stretch, and its end too', () => {
  const told = opened()
  told([[4, 2, 200]])
  expect(told([[20, 2, 100]]).last).toBe(10)
  expect(told([[1, 40, 6]]).last).toBeLessThan(1)
})
