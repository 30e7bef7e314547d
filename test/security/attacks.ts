// Counts what an area of attacks tried, and prints it: a table of tests that shrank would show.
import { afterAll, expect } from 'bun:test'
import { progress } from '../../src/cli/output.ts'

const counts = new Map<string, number>()

/** Call at the top of a file. */
export function attacks(area: string, least: number) {
  counts.set(area, 0)
  afterAll(() => {
    const tried = counts.get(area) ?? 0
    progress(`security, ${area}: ${tried} tried, all held`)
    expect([area, tried]).toEqual([area, Math.max(tried, least)])
  })
  return {
    /** Another one held. */
    held(times = 1) {
      counts.set(area, (counts.get(area) ?? 0) + times)
    },
  }
}
