// One attempt: signs, traces, sends, judges and logs. What follows from it is recorded elsewhere.
import type { Log } from '../observability/log.ts'
import { type DeliveryOutcome, judge } from '../sending/outcome.ts'
import type { Reply, Sender } from '../sending/sender.ts'
import { type Signer, traceOf, traceparentOf } from '../sending/signature.ts'
import type { Delivery, HookRow } from './subscription.ts'

export type AttemptDeps = {
  sender: Sender
  sign: Signer
  log: Log
  /** Milliseconds before the second attempt, the third, and so on. */
  delaysMs: readonly number[]
}

export type Ended = { startedAt: Date; outcome: DeliveryOutcome; reply: Reply }

/** The secrets that sign at this moment. */
const signing = (row: HookRow) =>
  row.old_secret_until !== null && Date.parse(row.old_secret_until) > Date.now()
    ? row
    : { ...row, old_secret: null }

/** Throws where no key opens the secret; every failure of the receiver is an outcome. */
export async function makeAttempt(
  { sender, sign, log, delaysMs }: AttemptDeps,
  row: HookRow,
  { id, cursor, body, attempts, occurredMs }: Delivery,
): Promise<Ended> {
  const startedAt = new Date()
  const trace = traceOf(id)
  const headers = sign(signing(row), id, body)
  headers.traceparent = traceparentOf(trace)
  headers['X-Service-Cursor'] = String(cursor)
  const reply = await sender.send({ url: row.target_url, group: row.id, headers, body })
  const outcome = judge(reply, attempts + 1, delaysMs)
  log.event('attempt', {
    subscription_id: row.id,
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
