// A loop that looks for work: how it sleeps, wakes, fails and ends.
import { expect, test } from 'bun:test'
import { startPollLoop } from '../../src/lib/poll_loop.ts'
import { until } from '../support/until.ts'

/** A loop whose steps are the given ones, the last again and again. */
function loopOf(...steps: (() => Promise<number>)[]) {
  const faults: unknown[] = []
  let looks = 0
  const loop = startPollLoop({
    step() {
      looks += 1
      return (steps[looks - 1] ?? steps.at(-1))?.() ?? Promise.resolve(60_000)
    },
    onFailure: error => faults.push(error),
  })
  return {
    ...loop,
    faults,
    looks: () => looks,
  }
}

const long = async () => 60_000
const fails = () => Promise.reject(new Error('away'))

test('it sleeps as long as the step says, and wakes at once when it is woken', async () => {
  const loop = loopOf(async () => 0, long)
  await until(() => loop.looks() === 2)
  loop.wake()
  await until(() => loop.looks() === 3)
  await loop.stop()
  expect(loop.looks()).toBe(3)
})

test('woken while it is at work it looks again', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const loop = loopOf(() => promise, long)
  await until(() => loop.looks() === 1)
  loop.wake()
  resolve(60_000)
  await until(() => loop.looks() === 2)
  await loop.stop()
})

test('a failing step is reported and repeated after a while, whatever woke the loop meanwhile', async () => {
  const started = performance.now()
  const loop = loopOf(() => {
    loop.wake()
    return fails()
  }, long)
  await until(() => loop.looks() === 2)
  expect(performance.now() - started).toBeGreaterThan(200)
  expect(loop.faults).toHaveLength(1)
  await loop.stop()
})
