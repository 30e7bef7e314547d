// A connection outlives the longest answer. Waiting for it would take half a minute: the time itself is looked at.
import { expect, test } from 'bun:test'
import { idleMsOf } from '../../src/api/server.ts'

// Bun refuses to wait longer.
const idleMsMax = 255_000

test.each([100, 5_000, 29_000, 60_000])('a statement of up to %d ms is answered', statementMs => {
  const requestTimeoutMs = statementMs + 1_000
  const idleMs = idleMsOf(requestTimeoutMs)
  expect(idleMs).toBeGreaterThanOrEqual(requestTimeoutMs + 5_000)
  expect(idleMs).toBeLessThanOrEqual(idleMsMax)
})
