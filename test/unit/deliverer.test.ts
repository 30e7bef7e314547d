// What the loops of the deliverer owe each other, with a queue and a sender in place of the real ones.
import { expect, test } from 'bun:test'
import type { Delivery } from '../../src/delivery/claimed.ts'
import { type DelivererOptions, startDeliverer } from '../../src/delivery/deliverer.ts'
import type { Ended } from '../../src/delivery/queue.ts'
import type { Reply } from '../../src/delivery/reply.ts'
import { openLog } from '../../src/log.ts'
import { noDeliverer } from '../support/claiming.ts'
import { until } from '../support/until.ts'

const delivery = (id: number): Delivery => ({
  id,
  claim: 'c',
  subscription_id: 'a',
  attempts: 0,
  target_url: 'https://hooks.example.com/',
  secret: 's',
  old_secret: null,
  old_secret_leads: false,
  event_id: 'e',
  body: '{}',
})

const answered = (status: number): Reply => ({
  status,
  errorClass: status === 200 ? null : 'status',
  retryAfterMs: null,
  excerpt: null,
  durationMs: 1,
})

type Parts = Pick<DelivererOptions['queue'], 'claim'> & {
  send(): Promise<Reply>
  record?: DelivererOptions['queue']['record']
}

/** A deliverer over these parts; `recorded` is what it recorded, in order. */
function deliver({ claim, send, record }: Parts) {
  const recorded: Ended[] = []
  const deliverer = startDeliverer({
    queue: {
      claim,
      begin: () => noDeliverer.claimNew().claim,
      async record(ended) {
        recorded.push(...ended)
        return (await record?.(ended)) ?? []
      },
    },
    sender: { send, close() {} },
    sign: () => ({}),
    log: openLog('silent'),
    delaysMs: [],
    drainMs: 5_000,
    onCounted() {},
  })
  return { deliverer, recorded }
}

/** A queue of so many: a claim takes what it has room for. */
function queueOf(total: number) {
  let claimed = 0
  return {
    claimed: () => claimed,
    claim: async ({ rooms, otherRoom }: Parameters<Parts['claim']>[0]) => {
      const room = Math.max(0, Math.min(rooms.get('a') ?? otherRoom, total - claimed))
      claimed += room
      const deliveries = Array.from({ length: room }, (_, place) => delivery(claimed - place))
      return { deliveries, busy: [] }
    },
  }
}

/** A receiver that answers the first 199 at once and holds the rest. */
function holding() {
  const held: ((reply: Reply) => void)[] = []
  let sent = 0
  return {
    held,
    sent: () => sent,
    send() {
      sent += 1
      if (sent < 200) return Promise.resolve(answered(200))
      return new Promise<Reply>(resolve => held.push(resolve))
    },
    answerAll() {
      for (const resolve of held) resolve(answered(200))
    },
  }
}

const outcomes = (recorded: Ended[], outcome: string) =>
  recorded.filter(one => one.outcome.outcome === outcome).length

test('what a claim brings after a stop was asked for is recorded before the stop is over', async () => {
  const claimed = Promise.withResolvers<Awaited<ReturnType<Parts['claim']>>>()
  const asked = Promise.withResolvers<void>()
  const { deliverer, recorded } = deliver({
    claim() {
      asked.resolve()
      return claimed.promise
    },
    send: async () => answered(200),
  })
  await asked.promise
  const stopped = deliverer.stop()
  // The recording loop has had every chance to think that it is done.
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  claimed.resolve({ deliveries: [delivery(1)], busy: [] })
  await stopped
  expect(recorded.map(({ outcome }) => outcome)).toEqual([{ outcome: 'delivered' }])
})

test('successes wait for no record of others: hundreds are sent while one statement is on its way', async () => {
  const queue = queueOf(4_000)
  const records = Promise.withResolvers<void>()
  let sent = 0
  const { deliverer } = deliver({
    claim: queue.claim,
    async send() {
      sent += 1
      return answered(200)
    },
    async record() {
      await records.promise
      return []
    },
  })
  // All that may be claimed and not recorded.
  await until(() => sent === 2_048)
  records.resolve()
  await until(() => sent === 4_000)
  await deliverer.stop()
})

test('while what has ended cannot be recorded, it is kept and nothing more is claimed', async () => {
  const queue = queueOf(50)
  let away = true
  let tries = 0
  let claims = 0
  const { deliverer } = deliver({
    claim(room) {
      if (tries > 0 && away) claims += 1
      return queue.claim(room)
    },
    send: async () => answered(200),
    async record() {
      tries += 1
      if (away) throw new Error('the database is away')
      return []
    },
  })
  await until(() => tries > 3)
  // One was on its way.
  expect(claims).toBeLessThanOrEqual(1)
  away = false
  await until(() => queue.claimed() === 50)
  await deliverer.stop()
})

test('a failure gives back what was claimed ahead, and nothing starts before it is recorded', async () => {
  const queue = queueOf(1_000)
  const records = Promise.withResolvers<void>()
  const { held, sent, send, answerAll } = holding()
  const { deliverer, recorded } = deliver({
    claim: queue.claim,
    send,
    async record(ended) {
      if (outcomes([...ended], 'failed') > 0) await records.promise
      return []
    },
  })
  // As many as may be under way hang, and others wait for them.
  await until(() => held.length === 64 && queue.claimed() > sent())
  const ahead = queue.claimed() - sent()
  held.shift()?.(answered(500))
  await until(() => outcomes(recorded, 'released') === ahead)
  expect(sent()).toBe(263)
  records.resolve()
  const stopped = deliverer.stop()
  answerAll()
  await stopped
})

test('what was claimed ahead of a receiver that fell silent is given back after a second', async () => {
  const queue = queueOf(1_000)
  const { held, sent, send, answerAll } = holding()
  const { deliverer, recorded } = deliver({ claim: queue.claim, send })
  await until(() => held.length === 64 && queue.claimed() > sent())
  const ahead = queue.claimed() - sent()
  await until(() => outcomes(recorded, 'released') >= ahead)
  const stopped = deliverer.stop()
  answerAll()
  await stopped
  expect(sent()).toBe(199 + held.length)
})

test('a stop gives back what was claimed ahead', async () => {
  const queue = queueOf(1_000)
  const { held, sent, send, answerAll } = holding()
  const { deliverer, recorded } = deliver({ claim: queue.claim, send })
  await until(() => held.length === 64 && queue.claimed() > sent())
  const stopped = deliverer.stop()
  answerAll()
  await stopped
  expect(sent()).toBe(263)
  expect(outcomes(recorded, 'delivered')).toBe(263)
  expect(outcomes(recorded, 'released')).toBe(queue.claimed() - 263)
})
