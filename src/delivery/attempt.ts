// One attempt: signs, sends, judges and logs. What it comes to is recorded elsewhere.
import type { Log } from '../log.ts'
import { judge } from './outcome.ts'
import type { Delivery, Ended } from './queue.ts'
import type { Sender } from './send.ts'
import type { Signer } from './signer.ts'
import { receiptMs, traceOf, traceparent } from './trace.ts'

export type Attempting = {
  sender: Sender
  sign: Signer
  log: Log
  /** Milliseconds before the second attempt, the third, and so on. */
  delaysMs: readonly number[]
}

// A fault of ours, most likely a secret that no key of this process opens: nothing mends it before the next start.
const faultDelayMs = 60_000

/** Nothing was sent: to be taken again after so long. */
export const released = (delivery: Delivery, delayMs: number): Ended => ({
  delivery,
  outcome: { outcome: 'released', delayMs },
  startedAt: new Date(),
  reply: null,
})

async function attempt({ sender, sign, log, delaysMs }: Attempting, delivery: Delivery) {
  const { event_id, body } = delivery
  const startedAt = new Date()
  if (event_id === null || body === null)
    return { delivery, outcome: { outcome: 'skipped' as const }, startedAt, reply: null }
  const trace = traceOf(event_id)
  const headers = sign({ ...delivery, event_id, body })
  headers.traceparent = traceparent(trace)
  const reply = await sender.send({
    url: delivery.target_url,
    owner: delivery.subscription_id,
    headers,
    body,
  })
  const number = delivery.attempts + 1
  const outcome = judge(reply, number, delaysMs)
  log.attempt({
    delivery_id: delivery.id,
    subscription_id: delivery.subscription_id,
    event_id,
    attempt: number,
    outcome: outcome.outcome,
    ...(reply.status !== null && { status: reply.status }),
    ...(reply.errorClass !== null && { error_class: reply.errorClass }),
    duration_ms: reply.durationMs,
    ...(outcome.outcome === 'delivered' && { receipt_ms: receiptMs(body) }),
    ...trace,
  })
  return { delivery, outcome, startedAt, reply }
}

/** Never fails: a fault of ours gives the delivery back for a minute. */
export async function makeAttempt(attempting: Attempting, delivery: Delivery): Promise<Ended> {
  try {
    return await attempt(attempting, delivery)
  } catch (error) {
    attempting.log.fault('delivery', error)
    return released(delivery, faultDelayMs)
  }
}
