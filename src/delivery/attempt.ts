// One attempt: signs, sends, judges and logs. What it comes to is recorded elsewhere.
import type { Log } from '../log.ts'
import type { Delivery } from './claimed.ts'
import { judge } from './outcome.ts'
import type { Ended } from './queue.ts'
import type { Sender } from './send.ts'
import type { Signable, Signer } from './signer.ts'
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

const isWhole = (delivery: Delivery): delivery is Signable =>
  delivery.event_id !== null && delivery.body !== null

async function attempt({ sender, sign, log, delaysMs }: Attempting, delivery: Signable) {
  const { event_id, body, subscription_id } = delivery
  const startedAt = new Date()
  const trace = traceOf(event_id)
  const headers = sign(delivery)
  headers.traceparent = traceparent(trace)
  const reply = await sender.send({
    url: delivery.target_url,
    owner: subscription_id,
    headers,
    body,
  })
  const number = delivery.attempts + 1
  const outcome = judge(reply, number, delaysMs)
  log.attempt({
    delivery_id: delivery.id,
    subscription_id,
    event_id,
    attempt: number,
    outcome: outcome.outcome,
    status: reply.status ?? undefined,
    error_class: reply.errorClass ?? undefined,
    duration_ms: reply.durationMs,
    receipt_ms: outcome.outcome === 'delivered' ? receiptMs(body) : undefined,
    ...trace,
  })
  return { delivery, outcome, startedAt, reply }
}

/** Never fails: a fault of ours gives the delivery back for a minute. */
export async function makeAttempt(attempting: Attempting, delivery: Delivery): Promise<Ended> {
  if (!isWhole(delivery))
    return { delivery, outcome: { outcome: 'skipped' }, startedAt: new Date(), reply: null }
  try {
    return await attempt(attempting, delivery)
  } catch (error) {
    attempting.log.fault('delivery', error)
    return released(delivery, faultDelayMs)
  }
}
