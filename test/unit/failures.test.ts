// Which attempts count as failures in a row.
import { expect, test } from 'bun:test'
import { countFailures } from '../../src/delivery/failures.ts'
import { subscription } from './subscription.ts'

test('a test event ends no failures in a row, and is none', () => {
  const failing = subscription(1, { failedInRow: 64 })
  const end = (cursor: number, kind: 'delivered' | 'failed') =>
    countFailures(failing, {
      delivery: { cursor, attempts: 0, scheduled: false },
      outcome: { kind },
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
