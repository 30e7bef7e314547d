// Runs a target for a while, or so many times. A failure names the seed that repeats it.
import { seeded } from '../support/fuzz/seeded.ts'
import type { FuzzTarget } from './fuzz_targets.ts'

type Course = { inputs: number; slowestMs: number; slowest: string }

type Until = { milliseconds: number } | { inputs: number }

export async function runTarget(target: FuzzTarget, first: number, until: Until): Promise<Course> {
  let startedAt = performance.now()
  const course: Course = { inputs: 0, slowestMs: 0, slowest: '' }
  const isOver = () =>
    'inputs' in until
      ? course.inputs >= until.inputs
      : performance.now() - startedAt >= until.milliseconds
  for (let seed = first; !isOver(); seed += 1) {
    const random = seeded(seed)
    const input = target.input(random)
    const began = performance.now()
    try {
      await target.check(input, random)
    } catch (error) {
      const details = { target: target.name, seed, input, broken: (error as Error).message }
      throw new Error(JSON.stringify(details), { cause: error })
    }
    const took = performance.now() - began
    course.inputs += 1
    // The first loads code.
    if (course.inputs === 1) startedAt = performance.now()
    else if (took > course.slowestMs) {
      course.slowestMs = took
      course.slowest = input.slice(0, 200)
    }
  }
  return course
}
