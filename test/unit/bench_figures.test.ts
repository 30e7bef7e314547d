// The benchmark's own arithmetic: a figure that is judged wrongly is worse than none.
import { expect, test } from 'bun:test'
import { reportChart } from '../../bench/chart.ts'
import { isReached, ratioOf } from '../../bench/row.ts'
import { median, quantile, slope } from '../../bench/statistics.ts'

const figure = { name: 'figure', unit: '' }

test('quantiles lie between the values', () => {
  expect(median([3, 1, 2, 10])).toBe(2.5)
  expect(quantile([0, 100], 0.99)).toBe(99)
})

test('the slope is what a value grows by, whatever a single one does', () => {
  expect(slope([10, 12, 14, 16, 18])).toBe(2)
  expect(slope([10, 10, 90, 10, 10])).toBe(0)
})

test('a figure that could not be measured is missed', () => {
  expect(isReached({ ...figure, value: null })).toBe(false)
  expect(isReached({ ...figure, value: null, reach: { atMost: 1 } })).toBe(false)
  expect(isReached({ ...figure, value: 7 })).toBeUndefined()
})

test('a ratio above 1 is better than asked for, in both directions', () => {
  expect(ratioOf({ ...figure, value: 3, reach: { atLeast: 1.5 } })).toBe(2)
  expect(ratioOf({ ...figure, value: 3, reach: { atMost: 1.5 } })).toBe(0.5)
  expect(ratioOf({ ...figure, value: -1, reach: { atMost: 5 } })).toBe(Number.POSITIVE_INFINITY)
  expect(ratioOf({ ...figure, value: 3 })).toBeUndefined()
})

const report = { at: '', machine: '', settings: '', notes: [] }
const widthOf = (svg: string) => Number(/width="([^"]*)"/.exec(svg)?.[1])

test('the chart grows with its longest label, and is one also without bars', () => {
  const row = (name: string) => ({
    name,
    measures: '',
    figures: [{ ...figure, value: 1, reach: { atLeast: 1 } }],
  })
  const [none, short, long] = [[], [row('row')], [row('row'.repeat(50))]].map(rows =>
    widthOf(reportChart({ ...report, rows })),
  )
  expect(none).toBeGreaterThan(0)
  expect(long).toBeGreaterThan((short ?? 0) + 147 * 6)
})
