// What the loops of the deliverer owe each other, with a queue and a sender in place of the real ones.
import { expect, test } from 'bun:test'
import { startDeliverer } from '../../src/delivery/deliverer.ts'
import type { Delivery, Ended } from '../../src/delivery/queue.ts'
import { openLog } from '../../src/log.ts'

const delivery: Delivery = {
  id: 1,
  claim: 'c',
  subscription_id: 'a',
  attempts: 0,
  target_url: 'https://hooks.example.com/',
  secret: 's',
  old_secret: null,
  old_secret_leads: false,
  event_id: 'e',
  body: '{}',
}

test('what a claim brings after a stop was asked for is recorded before the stop is over', async () => {
  const claimed = Promise.withResolvers<Delivery[]>()
  const asked = Promise.withResolvers<void>()
  const recorded: Ended[] = []
  const deliverer = startDeliverer({
    queue: {
      claim() {
        asked.resolve()
        return claimed.promise
      },
      async record(ended) {
        recorded.push(...ended)
        return []
      },
    },
    sender: {
      send: async () => ({
        status: 200,
        errorClass: null,
        retryAfterMs: null,
        excerpt: null,
        durationMs: 1,
      }),
      close() {},
    },
    sign: () => ({}),
    log: openLog('silent'),
    delaysMs: [],
    drainMs: 5_000,
    onCounted() {},
  })
  await asked.promise
  const stopped = deliverer.stop()
  // The recording loop has had every chance to think that it is done.
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  claimed.resolve([delivery])
  await stopped
  expect(recorded.map(({ outcome }) => outcome)).toEqual([{ outcome: 'delivered' }])
})
