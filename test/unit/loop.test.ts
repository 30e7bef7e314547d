// A loop that looks for work: how it sleeps, wakes, fails and ends.
import { expect, test } from 'bun:test'
import { startPollLoop } from '../../src/lib/poll_loop.ts'
import { until } from '../support/until.ts'

/** A loop of these steps, then of long sleeps. */
function loopOf(...steps: (() => Promise<number>)[]) {
  const faults: unknown[] = []
  let looks = 0
  const step = () => steps[looks++]?.() ?? Promise.resolve(60_000)
  const loop = startPollLoop({ step, onFailure: error => faults.push(error) })
  return { ...loop, faults, haveLooked: (count: number) => until(() => looks === count) }
}

test('it sleeps as long as the step says, and wakes at once when it is woken', async () => {
  const loop = loopOf(async () => 0)
  await loop.haveLooked(2)
  loop.wake()
  await loop.haveLooked(3)
  await loop.stop()
})

test('woken while it is at work it looks again', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const loop = loopOf(() => promise)
  await loop.haveLooked(1)
  loop.wake()
  resolve(60_000)
  await loop.haveLooked(2)
  await loop.stop()
})

test('a failing step is reported and repeated after a while, whatever woke the loop meanwhile', async () => {
  const started = performance.now()
  const loop = loopOf(() => {
    loop.wake()
    return Promise.reject(new Error('away'))
  })
  await loop.haveLooked(2)
  expect(performance.now() - started).toBeGreaterThan(200)
  expect(loop.faults).toHaveLength(1)
  await loop.stop()
})
