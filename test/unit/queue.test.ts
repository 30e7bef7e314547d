// What the queue does with a claim whose answer was lost, with a database in place of the real one.
import { expect, test } from 'bun:test'
import type { Database } from '../../src/db/database.ts'
import { openQueue } from '../../src/delivery/queue.ts'
import { until } from '../support/until.ts'

const room = { total: 1, rooms: new Map(), otherRoom: 1 }

/** A queue whose first claim gets no answer; `release` answers whoever gives it back. */
function queueThatLost(leaseMs: number, release: () => Promise<never[]>) {
  const sent: string[] = []
  const rows = (name: string) => {
    sent.push(name)
    if (name === 'updateDeliveriesReleased') return release()
    return sent.length === 1 ? Promise.reject(new Error('no answer')) : Promise.resolve([])
  }
  const database = { rows } as unknown as Database
  return { sent, queue: openQueue(database, work => work, leaseMs) }
}

test('what a lost claim took is given back before the next claim, once', async () => {
  const { queue, sent } = queueThatLost(60_000, async () => [])
  await expect(queue.claim(room)).rejects.toThrow('no answer')
  for (let times = 0; times < 2; times += 1) await queue.claim(room)
  expect(sent.slice(1)).toEqual(['updateDeliveriesReleased', 'claimDeliveries', 'claimDeliveries'])
})

test('while it cannot be given back nothing is claimed, but no longer than it lasts', async () => {
  const late = () => Promise.reject(new Error('too late'))
  const lasting = queueThatLost(60_000, late)
  const lapsing = queueThatLost(20, late)
  for (const { queue } of [lasting, lapsing])
    await expect(queue.claim(room)).rejects.toThrow('no answer')
  await expect(lasting.queue.claim(room)).rejects.toThrow('too late')
  expect(lasting.sent).toEqual(['claimDeliveries', 'updateDeliveriesReleased'])
  await until(() =>
    lapsing.queue.claim(room).then(
      () => true,
      () => false,
    ),
  )
})

test('a delivery that no row tells the subscription of is left out, and one without an event has no body', () => {
  const untold = { target_url: null, secret: null, old_secret: null, old_secret_leads: null }
  const told = { ...untold, target_url: 'https://a.example', secret: 's', old_secret_leads: false }
  const nothing = { subscription_id: null, ids: null, cursors: null, attempts: null }
  const none = { cursor: null, body: null }
  const { deliveries } = openQueue({} as Database, work => work, 1).begin(room)
  const said = deliveries([
    {
      ...told,
      ...none,
      subscription_id: 'a',
      ids: '[1, 3, 4]',
      cursors: '[7, 8, -4]',
      attempts: '[0, 2, 0]',
    },
    { ...untold, ...none, subscription_id: 'deleted', ids: '[2]', cursors: '[8]', attempts: '[0]' },
    { ...untold, ...nothing, cursor: 8, body: `{"id":"${'e'.repeat(36)}","data":{}}` },
    { ...untold, ...nothing, cursor: -4, body: '{"data": {}, "id": "test"}' },
  ]).map(({ id, target_url, attempts, event_id, body }) => [
    id,
    target_url,
    attempts,
    event_id,
    body === null,
  ])
  expect(said).toEqual([
    [1, 'https://a.example', 0, null, true],
    [3, 'https://a.example', 2, 'e'.repeat(36), false],
    [4, 'https://a.example', 0, 'test', false],
  ])
})

test('a batch whose second statement fails is recorded again, and its lease ends with the last of it', async () => {
  const told = { target_url: 'https://a.example', secret: 's', old_secret: null }
  const none = { old_secret_leads: false, cursor: null, body: null }
  const lists = { ids: '[1, 2, 3]', cursors: '[1, 2, 3]', attempts: '[0, 0, 0]' }
  const ended: unknown[] = []
  const answers = [
    // The first delivery moved while it was recorded.
    async () => [{ id: null, moved_id: 1 }],
    () => Promise.reject(new Error('no answer')),
    async () => [],
    async () => [],
  ]
  const database = {
    rows(name: string, { ended_claims }: { ended_claims?: unknown }) {
      if (name === 'claimDeliveries')
        return Promise.resolve([{ subscription_id: 'a', ...told, ...none, ...lists }])
      ended.push(ended_claims)
      return answers.shift()?.()
    },
  } as unknown as Database
  const queue = openQueue(database, work => work, 60_000)
  const { deliveries } = await queue.claim(room)
  const made = deliveries.map(delivery => ({
    delivery,
    outcome: { outcome: 'delivered' } as const,
    startedAt: new Date(),
    reply: null,
  }))
  await expect(queue.record(made.slice(0, 1))).rejects.toThrow('no answer')
  await queue.record(made.slice(0, 2))
  await queue.record(made.slice(2))
  expect(ended).toEqual([[], [], [], [deliveries[0]?.claim]])
})
