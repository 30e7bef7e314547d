// The command listen, while the service is away: it waits between its tries, and leaves nothing behind each.
import { expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { followFeed } from '../../src/listening/follow.ts'

const refusing = Bun.serve({ port: 0, fetch: () => new Response() })
await refusing.stop(true)

test('waits that are over leave no listener on the signal that stops it', async () => {
  const stop = new AbortController()
  const waits: number[] = []
  const listeners: number[] = []
  await followFeed({
    base: `http://127.0.0.1:${refusing.port}/api/v1`,
    key: 'none',
    types: undefined,
    after: 0,
    stopped: stop.signal,
    async onEvent() {},
    onConnected() {},
    onBroken(_reason, waitMs) {
      waits.push(waitMs)
      listeners.push(getEventListeners(stop.signal, 'abort').length)
      if (waits.length === 3) stop.abort()
    },
  })
  expect(waits).toEqual([500, 1_000, 2_000])
  expect(new Set(listeners).size).toBe(1)
})
