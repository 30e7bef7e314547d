// Saving positions while deliveries end: what memory forgets is what the statement deleted.
import { expect, test } from 'bun:test'
import type { Arguments, Database } from '../../src/db/database.ts'
import { startPositions } from '../../src/delivery/positions.ts'
import { openLane } from '../../src/delivery/subscription.ts'
import { until } from '../support/until.ts'
import { subscription } from './subscription.ts'

test('a range whose last deliveries end while it is saved is saved once more, and then forgotten', async () => {
  const range = { ...openLane(0, 3, 3), after: 3, open: new Set([2, 3]) }
  const one = subscription(1, { ranges: [range], live: openLane(100, null, 100) })
  const saved: number[] = []
  const first = Promise.withResolvers<void>()
  const database = {
    async rows(name: string, { from_cursors }: Arguments) {
      if (name !== 'updateHookSkips') return []
      saved.push(...(from_cursors as number[]))
      if (saved.length === 1) await first.promise
      return []
    },
  } as unknown as Database
  const positions = startPositions({
    database,
    owned: new Map([[1, one]]),
    head: () => 100,
    positionsMutex: work => work(),
    onLost() {},
    onFailure(error) {
      throw error
    },
  })
  await until(() => saved.length === 1)
  range.open.clear()
  first.resolve()
  await until(() => saved.length === 2)
  expect(saved).toEqual([1, 3])
  await until(() => one.ranges.length === 0)
  await positions.stop()
})
