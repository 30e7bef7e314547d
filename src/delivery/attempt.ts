// One attempt: signs, traces, sends, judges and logs. What follows from it is recorded elsewhere.
import type { Log } from '../observability/log.ts'
import { type DeliveryOutcome, judge } from '../sending/outcome.ts'
import type { Reply, Sender } from '../sending/sender.ts'
import type { Signer } from '../sending/signature.ts'
import type { Delivery, Target } from './subscription.ts'

export type AttemptDeps = {
  sender: Sender
  sign: Signer
  log: Log
  /** Milliseconds before the second attempt, the third, and so on. */
  delaysMs: readonly number[]
}

export type Ended = { startedAt: Date; outcome: DeliveryOutcome; reply: Reply }

/** W3C Trace Context, hexadecimal. */
type Trace = { trace_id: string; span_id: string }

/** The trace id is the event's UUID, so all attempts for an event share one trace; each has its own span. id must be a UUID. */
export function traceOf(id: string): Trace {
  const random = crypto.randomUUID()
  return {
    trace_id: id.replaceAll('-', ''),
    // Of a UUID these digits are all random.
    span_id: random.slice(0, 8) + random.slice(24, 32),
  }
}

// Sampled: the log holds every attempt, and a receiver that follows the flag is to keep its side too.
export const traceparent = ({ trace_id, span_id }: Trace): string => `00-${trace_id}-${span_id}-01`

/** The secrets that sign at this moment. */
const signing = (target: Target) =>
  target.oldSecretUntil !== null && target.oldSecretUntil > Date.now()
    ? target
    : { ...target, old_secret: null }

/** Throws where no key opens the secret; every failure of the receiver is an outcome. */
export async function makeAttempt(
  { sender, sign, log, delaysMs }: AttemptDeps,
  target: Target,
  { id, cursor, body, attempts, occurredMs }: Delivery,
): Promise<Ended> {
  const startedAt = new Date()
  const trace = traceOf(id)
  const headers = sign(signing(target), id, body)
  headers.traceparent = traceparent(trace)
  headers['X-Service-Cursor'] = String(cursor)
  const reply = await sender.send({ url: target.url, group: target.id, headers, body })
  const outcome = judge(reply, attempts + 1, delaysMs)
  log.event('attempt', {
    subscription_id: target.id,
    cursor,
    event_id: id,
    attempt: attempts + 1,
    outcome: outcome.kind,
    status: reply.status ?? undefined,
    error_class: reply.errorClass ?? undefined,
    duration_ms: reply.durationMs,
    receipt_ms:
      outcome.kind === 'delivered' && occurredMs !== null
        ? Math.max(0, Date.now() - occurredMs)
        : undefined,
    ...trace,
  })
  return { startedAt, outcome, reply }
}
