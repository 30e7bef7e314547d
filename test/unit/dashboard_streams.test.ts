// A stream of the dashboard that opens after its request was given up gives its place back.
import { expect, test } from 'bun:test'
import type { Serving } from '../../src/dashboard/context.ts'
import { openDashboard } from '../../src/dashboard/dashboard.ts'
import { until } from '../support/until.ts'

test('a stream that opens too late is cancelled', async () => {
  const session = Promise.withResolvers<{ stale: boolean }[]>()
  const seen: string[] = []
  const serving = {
    requestTimeoutMs: 20,
    owner: { salt: Buffer.alloc(16), key: Buffer.alloc(32) },
    log: { fault() {}, request() {} },
    onTimeout() {},
    database: { list: () => session.promise },
    async followFeed() {
      seen.push('opened')
      return new ReadableStream({ cancel: () => void seen.push('cancelled') })
    },
  } as unknown as Serving
  const headers = { cookie: `wda_session=${'a'.repeat(43)}` }
  const request = new Request('http://localhost/dashboard/events/stream', { headers })
  expect((await openDashboard(serving)(request, 'one')).status).toBe(500)
  session.resolve([{ stale: false }])
  await until(() => seen.includes('cancelled'), 1_000)
  expect(seen).toEqual(['opened', 'cancelled'])
})
