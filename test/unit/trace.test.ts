// Trace context: which traceparent of a client is one, and which a delivery carries.
import { expect, test } from 'bun:test'
import { traceIdOf } from '../../src/api/http/request_line.ts'
import { traceOf, traceparentOf } from '../../src/sending/signature.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const span = 'b7ad6b7169203331'
const idOf = (given: string) =>
  traceIdOf(new Request('http://x/', { headers: { traceparent: given } }))

test.each([
  `00-${trace}-${span}-01`,
  `00-${trace}-${span}-00`,
  `cc-${trace}-${span}-01`,
  `01-${trace}-${span}-01-what-comes-later`,
])('a client’s %s names its trace', given => expect(idOf(given)).toBe(trace))

test.each([
  '',
  'trace',
  trace,
  `00-${trace}-${span}`,
  `00-${trace}-${span}-01-more`,
  `00-${trace}-${span}-011`,
  `01-${trace}-${span}-011`,
  `ff-${trace}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${trace.slice(1)}-${span}-01`,
  `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
])('a client’s "%s" is ignored', given => expect(idOf(given)).toBeUndefined())

test('a request without one has none', () => {
  expect(traceIdOf(new Request('http://x/'))).toBeUndefined()
})

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
