// When a claim's leases end: with the last of its deliveries, and not before that is recorded.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openLeases } from '../../src/delivery/leases.ts'
import type { Ended } from '../../src/delivery/queue.ts'

const ended = (claim: string, count: number) =>
  Array.from({ length: count }, () => ({ delivery: { claim } }) as Ended)

test('a claim ends with the batch that holds the last of its deliveries', () => {
  const leases = openLeases()
  const [one, other] = [randomUUID(), randomUUID()]
  leases.take(one, 3)
  leases.take(other, 1)
  expect(leases.endedBy(ended(one, 2))).toEqual([])
  leases.leave(ended(one, 2))
  expect(leases.endedBy([...ended(one, 1), ...ended(other, 1)])).toEqual([one, other])
})

test('a batch that could not be recorded is asked about again', () => {
  const leases = openLeases()
  const claim = randomUUID()
  leases.take(claim, 2)
  const batch = ended(claim, 2)
  expect(leases.endedBy(batch)).toEqual([claim])
  expect(leases.endedBy(batch)).toEqual([claim])
  leases.leave(batch)
  expect(leases.endedBy(batch)).toEqual([])
})

test('a claim that brought nothing, and one that is not known, have nothing to end', () => {
  const leases = openLeases()
  const [empty, unknown] = [randomUUID(), randomUUID()]
  leases.take(empty, 0)
  expect(leases.endedBy([...ended(empty, 1), ...ended(unknown, 1)])).toEqual([])
  leases.leave(ended(unknown, 1))
})
