// What one receiver holds up is known in time, and what it held is given to others at once.
import { expect, test } from 'bun:test'
import { openInFlight } from '../../src/delivery/in_flight.ts'
import { until } from '../support/until.ts'
import { subscription } from './subscription.ts'

test('when a receiver turns slow, others are sent to in the same moment', async () => {
  const calls: string[] = []
  const inFlight = openInFlight({
    sort: (_, slow) => calls.push(slow ? 'slow' : 'prompt'),
    queue() {},
    run: () => calls.push('run'),
  })
  try {
    const stuck = subscription(1)
    inFlight.add(stuck, undefined)
    const first = { attempts: 0, test: false, scheduled: false }
    inFlight.begin(stuck, { ...first, cursor: 1, id: 'event 1', occurredMs: 0, body: '{}' })
    await until(() => calls.includes('slow'))
    expect(calls[calls.indexOf('slow') + 1]).toBe('run')
  } finally {
    inFlight.stopTimer()
  }
})
