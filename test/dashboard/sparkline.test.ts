// The small chart of a row: what it shows of each hour, and how little of a page it takes.
import { expect, test } from 'bun:test'
import { sparkline } from '../../src/dashboard/chart.ts'
import { textsFor } from '../../src/dashboard/texts.ts'
import type { Step } from '../../src/operations/health.ts'

const texts = textsFor(new Request('http://localhost/'), 'de')
const draw = (steps: Step[]) => sparkline({ texts } as never, steps).toString()

const step = (delivered: number, failed = 0, retried = 0): Step => ({
  at: new Date(0),
  delivered,
  failed,
  retried,
})

/** The height above each hour, four units wide. */
function heightsOf(svg: string, kind: string): number[] {
  const [, path = ''] = new RegExp(`class="${kind}" d="([^"]*)"`).exec(svg) ?? []
  const heights: number[] = []
  let height = 0
  for (const [, letter, size] of path.matchAll(/([hV])(\d+)/g))
    if (letter === 'V') height = 22 - Number(size)
    else for (let wide = 0; wide < Number(size); wide += 4) heights.push(height)
  expect(height).toBe(0)
  return heights
}

test('each hour is as high as its attempts, and red as far as they failed', () => {
  const svg = draw([step(0), step(10), step(5, 5), step(0, 10), step(0), step(10)])
  expect(heightsOf(svg, 'delivered')).toEqual([0, 22, 22, 22, 0, 22])
  expect(heightsOf(svg, 'failed')).toEqual([0, 0, 11, 22])
  expect(svg).toContain('viewBox="0 0 24 22"')
  expect(svg).toContain('aria-label="25 zugestellt, 0 Versuche wiederholt, 15 fehlgeschlagen"')
})

test('one failure of very many is seen, and where there was none nothing is red', () => {
  expect(heightsOf(draw([step(100_000, 1)]), 'failed')).toEqual([2])
  expect(draw([step(100_000)])).not.toContain('failed')
  expect(draw([step(0), step(0)])).toBe('–')
})

test('what was tried again has the colour it has in the chart, above what failed', () => {
  const svg = draw([step(5, 0, 5), step(5, 3, 2), step(10)])
  expect(heightsOf(svg, 'retried')).toEqual([11, 11])
  expect(heightsOf(svg, 'failed')).toEqual([0, 7])
  expect(svg.indexOf('"retried"')).toBeLessThan(svg.indexOf('"failed"'))
  const one = draw([step(100_000, 0, 1)])
  expect([heightsOf(one, 'retried'), one.includes('failed')]).toEqual([[2], false])
})

test('it takes little of a page, however much the hours differ', () => {
  const differing = Array.from({ length: 24 }, (_, hour) =>
    step(100 + (hour % 5) * 97, 90 + (hour % 7) * 60),
  )
  expect(draw(differing).length).toBeLessThan(550)
  expect(draw(Array(24).fill(step(950, 50))).length).toBeLessThan(230)
})
