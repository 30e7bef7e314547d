// Sequencing makes deliveries, and claims those there is room for; what the feed gets is test/feed's.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { type Asked, claimedOf, claimParameters } from '../support/claiming.ts'
import { oneConnection, useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'
import { until } from '../support/until.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)

const sequence = (asked?: Asked) =>
  database().rows('sequenceEvents', {
    row_limit: 500,
    sequenced_by: 'us',
    ...claimParameters(asked),
  })

const emit = (count: number) =>
  test_.sql`select count(emit_event('signal.opened', 'signal', n::text, '{}', '{"ä": "\\u00df", "n": 1.50}'))
    from generate_series(1, ${count}) as n`

/** Subscriptions to what emit() emits, and none from other tests. */
async function hooks(...columns: factory.Columns[]): Promise<string[]> {
  await test_.sql`delete from hook_queue`
  await test_.sql`delete from hook_subscriptions`
  const made = []
  for (const one of columns)
    made.push(await factory.hook(test_.sql, { event_types: ['signal.opened'], ...one }))
  return made.map(({ id }) => String(id))
}

const countBy = (rows: readonly { subscription_id: string | null }[], id = '') =>
  rows.filter(({ subscription_id }) => subscription_id === id).length

const stored = () => test_.sql`select id::integer, state, claim from hook_deliveries order by id`

test('what there is room for is claimed as it comes, with the body a claim would bring', async () => {
  await hooks({})
  await emit(2)
  const claim = randomUUID()
  const rows = await sequence({ claim, other_room: 1 })
  // One tells of the subscription, one of the event.
  expect(rows.map(({ moved, unclaimed }) => ({ moved, unclaimed }))).toEqual([
    { moved: 2, unclaimed: 1 },
    { moved: 2, unclaimed: 1 },
  ])
  const [mine] = claimedOf(rows)
  const [first, second] = await stored()
  expect(first).toMatchObject({ id: mine?.id, state: 'pending', claim })
  expect(second).toMatchObject({ state: 'pending', claim: null })

  // The same delivery, claimed anew.
  await test_.sql`update hook_queue set claim = null, due_at = null`
  const again = await database().rows('claimDeliveries', claimParameters())
  const same = claimedOf(again).find(({ id }) => id === mine?.id)
  expect(mine).toEqual({ ...same, claim: mine?.claim } as never)
  expect(same?.body).toContain('"data":{')
})

test('nobody gets more than its room, and all together no more than there is', async () => {
  const [one = '', other = '', none = ''] = await hooks({}, {}, {})
  await emit(5)
  const rows = await sequence({ other_room: 3, rooms: { [other]: 2, [none]: 0 } })
  expect([one, other, none].map(id => countBy(claimedOf(rows), id))).toEqual([3, 2, 0])
  expect(rows[0]?.unclaimed).toBe(10)
  await emit(5)
  expect(claimedOf(await sequence({ total_room: 4 }))).toHaveLength(4)
})

test('without room the deliveries wait, and the batch is told of all the same', async () => {
  await hooks({})
  await emit(3)
  const rows = await sequence({ total_room: 0 })
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ moved: 3, unclaimed: 3, subscription_id: null, body: null })
})

test('a paused subscription is given nothing: its deliveries are skipped', async () => {
  await hooks({ active: false, paused_at: new Date().toISOString() })
  await emit(2)
  expect(await sequence()).toMatchObject([
    { moved: 2, unclaimed: 0, subscription_id: null, body: null },
  ])
  expect((await stored()).map(({ state }) => state)).toEqual(['skipped', 'skipped'])
})

test('a look that finds nothing writes nothing', async () => {
  await sequence()
  const [before] = await test_.sql`select xmin::text, xmax::text from feed`
  expect(await sequence()).toEqual([])
  const [after] = await test_.sql`select xmin::text, xmax::text from feed`
  expect(after).toEqual(before as never)
})

test('others are told by name of deliveries that are left to be claimed, and of events in any case', async () => {
  const heard: string[] = []
  const listener = oneConnection(test_.url)
  try {
    await listener.listen('event_sequenced', payload => heard.push(payload))
    await hooks({})
    await emit(2)
    await sequence({ other_room: 2 })
    await until(() => heard.length === 1)
    await emit(2)
    await sequence({ other_room: 1 })
    await until(() => heard.length === 2)
    expect(heard).toEqual(['', 'us'])
  } finally {
    await listener.end({ timeout: 1 })
  }
})
