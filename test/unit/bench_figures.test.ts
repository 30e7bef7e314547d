// The benchmark's own arithmetic: a figure that is judged wrongly is worse than none.
import { expect, test } from 'bun:test'
import { isReached, median, quantile, ratioOf } from '../../bench/figures.ts'
import { markdownOf, missedOf, pictureOf } from '../../bench/output.ts'

const one = { name: 'figure', unit: 'ms' }

test('quantiles lie between the values', () => {
  expect(median([3, 1, 2, 10])).toBe(2.5)
  expect(quantile([0, 100], 0.99)).toBe(99)
})

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

const rows = [
  {
    name: 'row',
    figures: [
      { ...one, value: 1, reach: { atMost: 2 } },
      { ...one, value: null },
    ],
  },
]

test('the table has every figure, the picture those with a reach', () => {
  const lines = markdownOf(rows).split('\n')
  expect(lines).toHaveLength(4)
  expect(new Set(lines.map(line => line.length)).size).toBe(1)
  expect(lines[2]).toMatch(/^\| row +\| figure +\| 1.00 ms +\|.*\| ≤ 2 +\| ok /)
  expect(missedOf(rows)).toEqual({ missed: 1, asked: 2 })
  expect(pictureOf(rows).match(/fill="#2f7d4f"/g)).toHaveLength(1)
})
