// What one receiver holds up is known in time, and what it held is given to others at once.
import { expect, test } from 'bun:test'
import { countFailures } from '../../src/delivery/failures.ts'
import { openInFlight } from '../../src/delivery/in_flight.ts'
import { roomFor } from '../../src/delivery/limits.ts'
import { until } from '../support/until.ts'
import { subscription } from './subscription.ts'

const delivery = (cursor: number) => ({ cursor, attempts: 0, test: cursor < 0, retried: false })

test('when a receiver turns slow, its places are given away in the same moment', async () => {
  const calls: string[] = []
  const inFlight = openInFlight({
    sort: (_, slow) => calls.push(slow ? 'slow' : 'prompt'),
    queue() {},
    run: () => calls.push('run'),
  })
  try {
    const stuck = subscription(1)
    inFlight.add(stuck, undefined)
    inFlight.begin(stuck, { ...delivery(1), id: 'event 1', occurredMs: 0, body: '{}' })
    await until(() => calls.includes('slow'))
    expect(calls[calls.indexOf('slow') + 1]).toBe('run')
  } finally {
    inFlight.stopTimer()
  }
})

test('of retries no more are taken than may be sent', () => {
  const scarce = () => 0.25
  expect(roomFor(subscription(1, { inFlight: 4 }), scarce)).toBe(12)
  expect(roomFor(subscription(1, { inFlight: 40 }), scarce)).toBe(0)
  expect(roomFor(subscription(1, { inFlight: 4 }), () => 1)).toBe(60)
  expect(roomFor(subscription(1, { inFlight: 4, slow: true }), scarce)).toBe(60)
  expect(roomFor(subscription(1, { inFlight: 4, silent: true }), scarce)).toBe(60)
  expect(roomFor(subscription(1, { paused: true }), scarce)).toBe(0)
  expect(roomFor(subscription(1, { leaving: true }), scarce)).toBe(0)
})

test('a test event ends no failures in a row, and is none', () => {
  const failing = subscription(1, { failedInRow: 64 })
  const end = (cursor: number, outcome: 'delivered' | 'failed') =>
    countFailures(failing, {
      delivery: delivery(cursor),
      outcome: { outcome },
      startedAt: new Date(),
      reply: null,
    })
  end(-1, 'delivered')
  end(-2, 'failed')
  expect(failing.failedInRow).toBe(64)
  end(3, 'failed')
  expect(failing.failedInRow).toBe(65)
  end(4, 'delivered')
  expect(failing.failedInRow).toBe(0)
})
