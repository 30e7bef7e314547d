// How much of the time that a thread could run it has a processor.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { openProcessorShare, type ThreadTimes } from '../../src/lib/processor_share.ts'

const counter = '/proc/thread-self/schedstat'
const missing = existsSync(counter) ? '' : ` (there is no ${counter})`

/** Reads given times, by a clock of its own. */
function openWith(first: ThreadTimes | undefined) {
  const system = { times: first, now: 0, reads: 0 }
  const share = openProcessorShare(
    () => {
      system.reads += 1
      return system.times
    },
    () => system.now,
  )
  const after = (ms: number, times: ThreadTimes | undefined) => {
    system.now += ms
    system.times = times
    return share()
  }
  return { after, reads: () => system.reads }
}

test('ran for one part and waited for three: a quarter', () => {
  const { after } = openWith({ ran: 1_000, waited: 500 })
  expect(after(250, { ran: 2_000, waited: 3_500 })).toBe(0.25)
})

test('each quarter of a second counts for itself, and is read once', () => {
  const { after, reads } = openWith({ ran: 1_000, waited: 0 })
  expect(after(250, { ran: 2_000, waited: 3_000 })).toBe(0.25)
  expect(after(249, { ran: 9_000, waited: 3_000 })).toBe(0.25)
  expect(reads()).toBe(2)
  expect(after(1, { ran: 9_000, waited: 3_000 })).toBe(1)
})

test('before it is known a thread has all', () => {
  expect(openWith({ ran: 1, waited: 0 }).after(1, { ran: 1, waited: 100 })).toBe(1)
})

test('what was known stays where nothing ran, or the times can be read no more', () => {
  const { after } = openWith({ ran: 1_000, waited: 0 })
  expect(after(250, { ran: 2_000, waited: 1_000 })).toBe(0.5)
  expect(after(250, { ran: 2_000, waited: 1_000 })).toBe(0.5)
  expect(after(250, undefined)).toBe(0.5)
})

test('it is unknown where the system does not count', () => {
  expect(openWith(undefined).after(250, undefined)).toBeUndefined()
})

test.skipIf(missing !== '')(
  `a thread that works has some of the time, at most all${missing}`,
  () => {
    const share = openProcessorShare()
    const from = performance.now()
    while (performance.now() - from < 300) Math.random()
    const known = share()
    expect(known).toBeGreaterThan(0)
    expect(known).toBeLessThanOrEqual(1)
  },
)
