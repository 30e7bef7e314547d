// What a delivery says of itself: the trace its attempts belong to, and how old the change is that it tells of.

/** W3C Trace Context, hexadecimal. */
export type Trace = { trace_id: string; span_id: string }

/**
 * The trace is the event, so every attempt to every subscriber is in it, and both sides' logs join by an id that both
 * have anyway; the span is this attempt.
 */
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
