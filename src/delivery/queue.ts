// The database's side of delivering: takes what is due, and records what came of it.
import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Deadline } from '../db/deadline.ts'
import { errorCodeOf } from '../error_code.ts'
import type { Outcome } from './outcome.ts'
import type { Reply } from './reply.ts'

/** A delivery under this process's claim, with the exact body to send; null: its event is gone. */
export type Delivery = {
  id: number
  claim: string
  subscription_id: string
  /** Recorded before this one. */
  attempts: number
  target_url: string
  /** Encrypted, as stored. */
  secret: string
  old_secret: string | null
  old_secret_leads: boolean
  event_id: string | null
  body: string | null
}

type Subscribed = Pick<Delivery, 'target_url' | 'secret' | 'old_secret' | 'old_secret_leads'>
type Told = Pick<Delivery, 'event_id' | 'body'>

/** A delivery as the statement that claimed it tells of it: one row tells of each subscription, one of each event. */
export type ClaimedRow = Pick<Delivery, 'id' | 'subscription_id' | 'attempts'> & {
  /** Null: a test event, which its own row tells of. */
  cursor: number | null
} & { [Name in keyof (Subscribed & Told)]: (Subscribed & Told)[Name] | null }

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

/** Without those whose subscription is deleted: their claims lapse, and the next one skips them. */
function deliveriesOf(rows: readonly ClaimedRow[], claim: string): Delivery[] {
  const subscriptions = new Map<string, Subscribed>()
  const events = new Map<number, Told>()
  for (const row of rows) {
    const { target_url, secret, old_secret, old_secret_leads, event_id, body } = row
    if (target_url !== null && secret !== null && old_secret_leads !== null)
      subscriptions.set(row.subscription_id, { target_url, secret, old_secret, old_secret_leads })
    if (row.cursor !== null && body !== null) events.set(row.cursor, { event_id, body })
  }
  return rows.flatMap(({ id, subscription_id, cursor, attempts, event_id, body }) => {
    const subscription = subscriptions.get(subscription_id)
    const event = cursor === null ? { event_id, body } : (events.get(cursor) ?? gone)
    return subscription ? [{ id, claim, subscription_id, attempts, ...subscription, ...event }] : []
  })
}

export type DeliveryQueue = {
  /** For a statement that is not ours to send. */
  begin(room: Room): Claim
  claim(room: Room): Promise<Delivery[]>
  /** Records in the order the attempts ended. After a failure the same may be recorded again. */
  record(ended: readonly Ended[]): Promise<Counted[]>
}

const gone: Told = { event_id: null, body: null }

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
export const recordParameters = (attempts: readonly AttemptRecord[]) => ({
  ids: attempts.map(({ id }) => id),
  claims: attempts.map(({ claim }) => claim),
  outcomes: attempts.map(({ outcome }) => outcome),
  retry_ms: attempts.map(({ retry_ms }) => retry_ms),
  started_at: attempts.map(({ started_at }) => started_at),
  duration_ms: attempts.map(({ duration_ms }) => duration_ms),
  statuses: attempts.map(({ status }) => status),
  error_classes: attempts.map(({ error_class }) => error_class),
  excerpts: attempts.map(({ excerpt }) => excerpt),
})

/** The statement that records these, and its parameters. */
export function recordStatement(attempts: readonly AttemptRecord[]) {
  const all = recordParameters(attempts)
  if (all.outcomes.some(outcome => outcome !== 'delivered'))
    return { name: 'recordAttempts', parameters: all } as const
  const { ids, claims, started_at, duration_ms, statuses, excerpts } = all
  const parameters = { ids, claims, started_at, duration_ms, statuses, excerpts }
  return { name: 'recordDelivered', parameters } as const
}

/** Claims wait for the disk: one that a crash of the server forgot would let its delivery be sent a second time. */
export function openQueue(database: Database, deadline: Deadline, leaseMs: number): DeliveryQueue {
  // Claims whose answer did not arrive, and when they lapse: what they took is nobody's until it is given back.
  const lost = new Map<string, number>()

  async function giveBackLost() {
    for (const [claim, lapsesAt] of lost) {
      // This reads all that is pending. Where that takes longer than a statement may, no claim would ever be made again.
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
      return deliveries(rows)
    },
    async record(ended) {
      const attempts = ended.map(asRecord)
      const send = (made: readonly AttemptRecord[]) => {
        const { name, parameters } = recordStatement(made)
        return deadline(database.rows(name, parameters))
      }
      try {
        return await send(attempts)
      } catch (error) {
        if (!refusedValue.test(errorCodeOf(error))) throw error
        return await send(attempts.map(attempt => ({ ...attempt, excerpt: null })))
      }
    },
  }
}
