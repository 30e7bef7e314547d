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
  const row = { attempts: 0, event_id: null, body: null }
  const { deliveries } = openQueue({} as Database, work => work, 1).begin(room)
  const ids = deliveries([
    { ...row, ...untold, id: 1, subscription_id: 'a', cursor: 7 },
    { ...row, ...untold, id: 2, subscription_id: 'deleted', cursor: 7 },
    { ...row, ...told, id: 3, subscription_id: 'a', cursor: 8, event_id: 'e', body: '{}' },
  ]).map(({ id, target_url, body }) => [id, target_url, body])
  expect(ids).toEqual([
    [1, 'https://a.example', null],
    [3, 'https://a.example', '{}'],
  ])
})
