// One attempt: signs, sends, judges and logs. What follows from it is recorded elsewhere.
import type { Reply, Sender } from '../https_client/send.ts'
import type { Log } from '../observability/log.ts'
import { type DeliveryOutcome, judge } from './outcome.ts'
import type { Signer } from './signer.ts'
import type { Target } from './subscription.ts'
import { receiptMs, traceOf, traceparent } from './trace.ts'

export type AttemptDeps = {
  sender: Sender
  sign: Signer
  log: Log
  /** Milliseconds before the second attempt, the third, and so on. */
  delaysMs: readonly number[]
}

/** What is to be sent, whole. */
export type Delivery = {
  cursor: number
  /** Attempts before this one. */
  attempts: number
  id: string
  /** When the change was made, as a unix time; null: a test event. */
  occurredMs: number | null
  body: string
  test: boolean
  /** It waited for its moment and not for its turn. */
  retried: boolean
}

export type Ended = {
  delivery: Pick<Delivery, 'cursor' | 'attempts' | 'retried'>
  /** gone: its event was erased. free: nothing was sent, and it is to be tried again. */
  outcome: DeliveryOutcome | { outcome: 'gone' } | { outcome: 'free'; delayMs: number }
  startedAt: Date
  reply: Reply | null
}

// A fault of ours, most likely a secret that no key of this process opens: nothing mends it before the next start.
const faultDelayMs = 60_000

async function attempt(
  { sender, sign, log, delaysMs }: AttemptDeps,
  target: Target,
  delivery: Delivery,
): Promise<Ended> {
  const { id, occurredMs, body, cursor, test } = delivery
  const startedAt = new Date()
  const trace = traceOf(id)
  const headers = sign(target, id, body)
  headers.traceparent = traceparent(trace)
  if (test) headers['webhook-test'] = 'true'
  const reply = await sender.send({ url: target.url, group: target.id, headers, body })
  const number = delivery.attempts + 1
  const outcome = judge(reply, number, delaysMs)
  log.attempt({
    subscription_id: target.id,
    cursor,
    event_id: id,
    attempt: number,
    outcome: outcome.outcome,
    status: reply.status ?? undefined,
    error_class: reply.errorClass ?? undefined,
    duration_ms: reply.durationMs,
    receipt_ms: outcome.outcome === 'delivered' ? receiptMs(occurredMs) : undefined,
    ...trace,
  })
  return { delivery, outcome, startedAt, reply }
}

/** Never fails: after a fault of ours the delivery is free again for a minute later. */
export async function makeAttempt(
  attempting: AttemptDeps,
  target: Target,
  delivery: Delivery,
): Promise<Ended> {
  try {
    return await attempt(attempting, target, delivery)
  } catch (error) {
    attempting.log.fault('delivery', error)
    const outcome = { outcome: 'free', delayMs: faultDelayMs } as const
    return { delivery, outcome, startedAt: new Date(), reply: null }
  }
}
