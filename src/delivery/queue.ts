// The database's side of delivering: takes what is due, and records what came of it.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Deadline } from '../db/deadline.ts'
import { errorCodeOf } from '../error_code.ts'
import { busyOf, type ClaimedRow, type Delivery, deliveriesOf } from './claimed.ts'
import { openLeases } from './leases.ts'
import type { Outcome } from './outcome.ts'
import type { Reply } from './reply.ts'

/**
 * What became of a delivery. Without a reply nothing was sent: the event is gone, or it is given back. Given back with
 * one, it may have arrived.
 */
export type Ended = {
  delivery: Delivery
  outcome: Outcome | { outcome: 'skipped' } | { outcome: 'released'; delayMs: number }
  startedAt: Date
  reply: Reply | null
}

/** A subscription whose run of final failures changed. */
export type Counted = { id: string; consecutive_failures: number; active: boolean }

/** How much may be taken. */
export type Room = {
  total: number
  /** By subscription; below 1: none. */
  rooms: ReadonlyMap<string, number>
  /** For every other subscription. */
  otherRoom: number
}

/** A claim being made, by whichever statement. */
export type Claim = {
  /** Of sequence_events and claim_deliveries alike. */
  parameters: {
    claim: string
    lease_ms: number
    total_room: number
    other_room: number
    subscription_ids: string[]
    rooms: number[]
  }
  deliveries(rows: readonly ClaimedRow[]): Delivery[]
  /** The statement did not answer: what it may have taken is given back before the next claim, or lapses. */
  lose(): void
}

/** What a claim brought, and the subscriptions it left because somebody else was claiming there at that moment. */
export type Claimed = { deliveries: Delivery[]; busy: string[] }

export type DeliveryQueue = {
  /** For a statement that is not ours to send. */
  begin(room: Room): Claim
  claim(room: Room): Promise<Claimed>
  /** Records in the order the attempts ended. After a failure the same may be recorded again. */
  record(ended: readonly Ended[]): Promise<Counted[]>
}

// SQLSTATE classes of values the database does not take: of all that is recorded, only the excerpt comes from outside.
const refusedValue = /^2[23]/

/** What is recorded of an attempt; see record_attempts. */
export type AttemptRecord = {
  id: number
  claim: string
  outcome: Ended['outcome']['outcome']
  retry_ms: number | null
  started_at: Date
  duration_ms: number
  status: number | null
  error_class: string | null
  excerpt: string | null
}

const asRecord = ({ delivery, outcome, startedAt, reply }: Ended): AttemptRecord => ({
  id: delivery.id,
  claim: delivery.claim,
  outcome: outcome.outcome,
  retry_ms: 'delayMs' in outcome ? Math.round(outcome.delayMs) : null,
  started_at: startedAt,
  duration_ms: Math.round(reply?.durationMs ?? 0),
  status: reply?.status ?? null,
  error_class: reply?.errorClass ?? null,
  excerpt: reply?.excerpt ?? null,
})

/** Parameters of record_attempts. */
export const recordParameters = (
  attempts: readonly AttemptRecord[],
  endedClaims: readonly string[] = [],
) => ({
  ids: attempts.map(({ id }) => id),
  claims: attempts.map(({ claim }) => claim),
  outcomes: attempts.map(({ outcome }) => outcome),
  retry_ms: attempts.map(({ retry_ms }) => retry_ms),
  started_at: attempts.map(({ started_at }) => started_at),
  duration_ms: attempts.map(({ duration_ms }) => duration_ms),
  statuses: attempts.map(({ status }) => status),
  error_classes: attempts.map(({ error_class }) => error_class),
  excerpts: attempts.map(({ excerpt }) => excerpt),
  ended_claims: endedClaims,
})

/** The statement that records these, and its parameters. */
export function recordStatement(
  attempts: readonly AttemptRecord[],
  endedClaims: readonly string[] = [],
) {
  const all = recordParameters(attempts, endedClaims)
  if (all.outcomes.some(outcome => outcome !== 'delivered'))
    return { name: 'recordAttempts', parameters: all } as const
  const { ids, claims, started_at, duration_ms, statuses, excerpts, ended_claims } = all
  const parameters = { ids, claims, started_at, duration_ms, statuses, excerpts, ended_claims }
  return { name: 'recordDelivered', parameters } as const
}

/** Claims wait for the disk: one that a crash of the server forgot would let its delivery be sent a second time. */
export function openQueue(database: Database, deadline: Deadline, leaseMs: number): DeliveryQueue {
  // Claims whose answer did not arrive, and when they lapse: what they took is nobody's until it is given back.
  const lost = new Map<string, number>()
  const leases = openLeases()

  async function giveBackLost() {
    for (const [claim, lapsesAt] of lost) {
      // This reads what is claimed. Where that takes longer than a statement may, no claim would ever be made again.
      if (performance.now() < lapsesAt)
        await deadline(database.rows('updateDeliveriesReleased', { claim }))
      lost.delete(claim)
    }
  }

  function begin({ total, rooms, otherRoom }: Room): Claim {
    const claim = randomUUID()
    return {
      parameters: {
        claim,
        lease_ms: leaseMs,
        total_room: total,
        other_room: otherRoom,
        subscription_ids: [...rooms.keys()],
        rooms: [...rooms.values()],
      },
      deliveries: rows => deliveriesOf(rows, claim),
      lose: () => lost.set(claim, performance.now() + leaseMs),
    }
  }

  return {
    begin,
    async claim(room) {
      await giveBackLost()
      const { parameters, deliveries, lose } = begin(room)
      const taking = database.rows('claimDeliveries', parameters)
      const rows = await deadline(taking).catch(error => {
        lose()
        throw error
      })
      const brought = deliveries(rows)
      leases.take(parameters.claim, brought.length)
      return { deliveries: brought, busy: busyOf(rows) }
    },
    async record(ended) {
      const endedClaims = leases.endedBy(ended)
      let attempts = ended.map(asRecord)
      const send = (made: readonly AttemptRecord[]) => {
        const { name, parameters } = recordStatement(made, endedClaims)
        return deadline(database.rows(name, parameters))
      }
      const rows = await send(attempts).catch(error => {
        if (!refusedValue.test(errorCodeOf(error))) throw error
        attempts = attempts.map(attempt => ({ ...attempt, excerpt: null }))
        return send(attempts)
      })
      // Somebody else recorded the delivery at the same moment, or put it on its way again.
      const moved = attempts.filter(({ id }) => rows.some(({ moved_id }) => moved_id === id))
      const again = moved.length > 0 ? await send(moved) : []
      // Last: after a failure the same is recorded again, and must not be counted twice.
      leases.leave(ended)
      return [...rows, ...again].filter((row): row is typeof row & Counted => row.id !== null)
    },
  }
}
