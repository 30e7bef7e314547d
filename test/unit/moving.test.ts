// What the log says of a position that is further than its worker.
import { expect, test } from 'bun:test'
import type { Database } from '../../src/db/database.ts'
import { movePositions } from '../../src/delivery/moving.ts'
import { subscription } from './subscription.ts'

test('a position that was further than its worker is named, with where it is set back to; others are not', async () => {
  const rows = [
    { no: 1, was_ahead: true },
    { no: 2, was_ahead: false },
  ]
  const database = { rows: () => Promise.resolve(rows) } as unknown as Database
  const moves = [1, 2, 3].map(no => ({ subscription: subscription(no), cursor: 7, claimedTo: 9 }))
  const faults: unknown[] = []
  const moved = await movePositions(database, moves, error => faults.push(error))
  expect([...moved]).toEqual([1, 2])
  expect(faults.map(String)).toEqual([
    expect.stringMatching(/^Error: the position of subscription 1 was .+ set back to 7,/),
  ])
})
