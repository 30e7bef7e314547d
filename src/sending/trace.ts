// W3C Trace Context of what is sent: all attempts for an event share one trace, and each has its own span.

/** Hexadecimal. */
export type Trace = { trace_id: string; span_id: string }

/** The trace id is the event's UUID. */
export function traceOf(eventId: string): Trace {
  const random = crypto.randomUUID()
  return {
    trace_id: eventId.replaceAll('-', ''),
    // Of a UUID these digits are all random.
    span_id: random.slice(0, 8) + random.slice(24, 32),
  }
}

/** Sampled: the log holds every attempt, and a receiver that follows the flag is to keep its side too. */
export const traceparentOf = ({ trace_id, span_id }: Trace): string =>
  `00-${trace_id}-${span_id}-01`
