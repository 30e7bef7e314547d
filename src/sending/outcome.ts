// What an attempt's reply means for its delivery. Spec 6, delivery rules 2 to 4.
import type { Reply } from './exchange.ts'

export type DeliveryOutcome =
  | { kind: 'delivered' }
  | { kind: 'failed' }
  | { kind: 'retry'; delayMs: number }

const jitter = 0.2

type Judged = Pick<Reply, 'status' | 'errorClass' | 'retryAfterMs'>

function isWorthRetrying({ status, errorClass }: Judged): boolean {
  if (errorClass === 'blocked') return false
  if (errorClass !== 'status' || status === null) return true
  return status === 429 || (status >= 500 && status <= 599)
}

/**
 * `attempt` starts at 1. The wait after it is `delaysMs[attempt - 1]`; without one the delivery has failed. A receiver's
 * Retry-After makes a wait longer, never shorter.
 */
export function judge(
  reply: Judged,
  attempt: number,
  delaysMs: readonly number[],
  random: () => number = Math.random,
): DeliveryOutcome {
  if (reply.errorClass === null) return { kind: 'delivered' }
  const delayMs = delaysMs[attempt - 1]
  if (delayMs === undefined || !isWorthRetrying(reply)) return { kind: 'failed' }
  const spreadMs = delayMs * (1 - jitter + 2 * jitter * random())
  return { kind: 'retry', delayMs: Math.round(Math.max(spreadMs, reply.retryAfterMs ?? 0)) }
}
