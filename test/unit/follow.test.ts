// The command listen, while the service is away, busy or says nothing.
import { expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { followFeed } from '../../src/listen/follow.ts'

/** Follows the feed of what listens at a port until it broke so often; how long it waited, and why. */
async function follow(port: number | undefined, times: number, after?: number) {
  const stop = new AbortController()
  const broken: [reason: string, waitMs: number][] = []
  await followFeed({
    base: `http://127.0.0.1:${port}/api/v1`,
    ...{ key: 'none', types: undefined, after, stopped: stop.signal, silenceMs: 100 },
    async onEvent() {},
    onConnected() {},
    onBroken(...one) {
      broken.push(one)
      if (broken.length === times) stop.abort()
    },
  })
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0)
  return broken
}

test('a service that is away is asked again after ever longer waits', async () => {
  const refusing = Bun.serve({ port: 0, fetch: () => new Response() })
  await refusing.stop(true)
  const broken = await follow(refusing.port, 3)
  expect(broken.map(([, waitMs]) => waitMs)).toEqual([500, 1_000, 2_000])
  expect(broken[0]?.[0]).toMatch(/^No answer from http:\S+ \(\w+\): is the address right\?$/)
})

test.each<[string, () => Response | Promise<Response>, string]>([
  ['does not answer', () => new Promise<Response>(() => {}), 'The service sends nothing.'],
  ['is silent', () => new Response(new ReadableStream()), 'The service sends nothing.'],
  ['is busy', () => new Response(null, { status: 429 }), 'The service answers 429.'],
  ['ends', () => new Response('id: 7\ndata: {}\n\n'), 'The stream ended.'],
])('a service that %s is asked again', async (_, answer, reason) => {
  const service = Bun.serve({ port: 0, fetch: answer })
  expect(await follow(service.port, 1, 5)).toEqual([[reason, 500]])
  await service.stop(true)
})
