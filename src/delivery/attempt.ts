// One attempt: signs, traces, sends, judges and logs. What follows from it is recorded elsewhere.

import type { Log } from '../observability/log.ts'
import { type DeliveryOutcome, judge } from '../sending/outcome.ts'
import type { Reply, Sender } from '../sending/sender.ts'
import type { Signer } from '../sending/signature.ts'
import type { Target } from './subscription.ts'

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
  /** Taken from hook_retries: a retry, a redelivery or a test event. */
  scheduled: boolean
}

export type DeliveryResult = {
  delivery: Pick<Delivery, 'cursor' | 'attempts' | 'scheduled'>
  /** Both without a request. erased: the event is gone. postponed: the delivery is due again after delayMs. */
  outcome: DeliveryOutcome | { kind: 'erased' } | { kind: 'postponed'; delayMs: number }
  startedAt: Date
  reply: Reply | null
}

/** W3C Trace Context, hexadecimal. */
type Trace = { trace_id: string; span_id: string }

/** The trace id is the event's UUID, so all attempts for an event share one trace; each has its own span. id must be a UUID. */
export function traceOf(id: string): Trace {
  const random = crypto.randomUUID()
  return {
    trace_id: `${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}${id.slice(19, 23)}${id.slice(24)}`,
    // Of a UUID these digits are all random.
    span_id: random.slice(0, 8) + random.slice(24, 32),
  }
}

// Sampled: the log holds every attempt, and a receiver that follows the flag is to keep its side too.
export const traceparent = ({ trace_id, span_id }: Trace): string => `00-${trace_id}-${span_id}-01`

/** Milliseconds from the change to now, by this machine's clock; none for a test event. */
export const receiptMs = (occurredMs: number | null): number | undefined =>
  occurredMs === null ? undefined : Math.max(0, Date.now() - occurredMs)

/** Adds traceparent to headers, and webhook-test for a test event. Changes the object. */
export function addOwnHeaders(headers: Record<string, string>, trace: Trace, isTest: boolean) {
  headers.traceparent = traceparent(trace)
  if (isTest) headers['webhook-test'] = 'true'
}

// A fault of ours, most likely a secret that no key of this process opens: nothing mends it before the next start.
const faultDelayMs = 60_000

async function attempt(
  { sender, sign, log, delaysMs }: AttemptDeps,
  target: Target,
  delivery: Delivery,
): Promise<DeliveryResult> {
  const { id, occurredMs, body, cursor, test } = delivery
  const startedAt = new Date()
  const trace = traceOf(id)
  const headers = sign(target, id, body)
  addOwnHeaders(headers, trace, test)
  const reply = await sender.send({ url: target.url, group: target.id, headers, body })
  const number = delivery.attempts + 1
  const outcome = judge(reply, number, delaysMs)
  log.attempt({
    subscription_id: target.id,
    cursor,
    event_id: id,
    attempt: number,
    outcome: outcome.kind,
    status: reply.status ?? undefined,
    error_class: reply.errorClass ?? undefined,
    duration_ms: reply.durationMs,
    receipt_ms: outcome.kind === 'delivered' ? receiptMs(occurredMs) : undefined,
    ...trace,
  })
  return { delivery, outcome, startedAt, reply }
}

/** Never fails. After an internal fault the delivery is due again in a minute. */
export async function makeAttempt(
  attempting: AttemptDeps,
  target: Target,
  delivery: Delivery,
): Promise<DeliveryResult> {
  try {
    return await attempt(attempting, target, delivery)
  } catch (error) {
    const { cursor } = delivery
    attempting.log.fault('delivery', error, { subscription_id: target.id, cursor })
    const outcome = { kind: 'postponed', delayMs: faultDelayMs } as const
    return { delivery, outcome, startedAt: new Date(), reply: null }
  }
}
