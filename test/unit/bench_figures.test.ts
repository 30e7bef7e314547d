// The benchmark's own arithmetic: a figure that is judged wrongly is worse than none.
import { expect, test } from 'bun:test'
import { isReached, median, quantile, ratioOf } from '../../bench/figures.ts'
import { markdownOf, missedOf, pictureOf } from '../../bench/output.ts'

const one = { name: 'figure', unit: 'ms' }

test.each([
  [3, { atLeast: 1.5 }, true, 2],
  [3, { atMost: 1.5 }, false, 0.5],
  [-1, { atMost: 5 }, true, Number.POSITIVE_INFINITY],
  [3, undefined, undefined, undefined],
  [null, { atMost: 1 }, false, undefined],
  [null, undefined, false, undefined],
])('%p with %p: reached %p, ratio %p', (value, reach, reached, ratio) => {
  expect(isReached({ ...one, value, reach })).toBe(reached)
  expect(ratioOf({ ...one, value, reach })).toBe(ratio)
})

test('quantiles lie between the values; the table has every figure, the picture those with a reach', () => {
  expect([median([3, 1, 2, 10]), quantile([0, 100], 0.99)]).toEqual([2.5, 99])
  const reached = { ...one, value: 1, reach: { atMost: 2 } }
  const rows = [{ name: 'row', figures: [reached, { ...one, value: null }] }]
  const lines = markdownOf(rows).split('\n')
  expect([lines.length, new Set(lines.map(line => line.length)).size]).toEqual([4, 1])
  expect(lines[2]).toMatch(/^\| row +\| figure +\| 1.00 ms +\|.*\| ≤ 2 +\| ok /)
  expect(missedOf(rows)).toEqual({ missed: 1, asked: 2 })
  expect(pictureOf(rows).match(/fill="#2f7d4f"/g)).toHaveLength(1)
})
