// Trace context: what a delivery carries.
import { expect, test } from 'bun:test'
import { traceOf, traceparentOf } from '../../src/sending/signature.ts'

test('the trace of a delivery is its event, every attempt a span of its own', () => {
  const id = '2c3d4e5f-6071-4283-94a5-b6c7d8e9f0a1'
  const traces = Array.from({ length: 1_000 }, () => traceOf(id))
  expect(new Set(traces.map(one => one.trace_id))).toEqual(new Set([id.replaceAll('-', '')]))
  const spans = new Set(traces.map(one => one.span_id))
  expect(spans.size).toBe(1_000)
  for (const one of spans) expect(one).toMatch(/^[\da-f]{16}$/)
  const [first = traceOf(id)] = traces
  expect(traceparentOf(first)).toBe(`00-${first.trace_id}-${first.span_id}-01`)
})
