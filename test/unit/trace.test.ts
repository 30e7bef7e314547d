// Trace context: which traceparent of a client is one. What a delivery carries: test/process/metrics.
import { expect, test } from 'bun:test'
import { traceIdOf } from '../../src/api/http/request_line.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const span = 'b7ad6b7169203331'

test.each<[string | undefined, string[]]>([
  [trace, [`00-${trace}-${span}-01`, `00-${trace}-${span}-00`, `cc-${trace}-${span}-01`]],
  [trace, [`01-${trace}-${span}-01-what-comes-later`]],
  [undefined, ['', 'trace', trace, `00-${trace}-${span}`, `ff-${trace}-${span}-01`]],
  [
    undefined,
    [`00-${trace}-${span}-01-more`, `00-${trace}-${span}-011`, `01-${trace}-${span}-011`],
  ],
  [undefined, [`00-${'0'.repeat(32)}-${span}-01`, `00-${trace}-${'0'.repeat(16)}-01`]],
  [undefined, [`00-${trace.toUpperCase()}-${span}-01`, `00-${trace.slice(1)}-${span}-01`]],
  [undefined, [`00-${trace}-${span}-01, 00-${trace}-${span}-01`]],
])('the trace is %p of a client’s %j', (expected, given) => {
  for (const traceparent of given)
    expect([
      traceparent,
      traceIdOf(new Request('http://x/', { headers: { traceparent } })),
    ]).toEqual([traceparent, expected])
})
