// How many requests may be in flight, and how many retries are taken for them.
import { expect, test } from 'bun:test'
import { roomFor } from '../../src/delivery/limits.ts'
import { subscription } from './subscription.ts'

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
