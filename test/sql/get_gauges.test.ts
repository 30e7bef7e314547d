// What a scrape reads of the whole workspace, and the overview with it.
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { getOverview, isWorkerMissing } from '../../src/operations/overview.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)
const gauges = async (count_max = 100) => (await database().rows('getGauges', { count_max }))[0]
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

test('an empty workspace has nothing that waits; then what is behind, waits, failed or is paused is counted', async () => {
  const { sql } = test_
  expect(await gauges()).toEqual({
    ...{ head: 0, horizon: 0, head_age: null, unsequenced: 0, unsequenced_age: null },
    ...{ pending: 0, failed: 0, due_age: null, active: 0, failing: 0, paused: 0 },
    has_leader: false,
  })
  for (const cursor of [1, 2, 3, 4])
    await factory.event(sql, {
      ...{
        cursor,
        sequenced_at: ago(40),
        event_type: cursor < 4 ? 'lead.created' : 'signal.opened',
      },
    })
  const { id } = await factory.hook(sql, { cursor: 1, consecutive_failures: 2 })
  const paused = { active: false, paused_at: ago(1) }
  await factory.hook(sql, { cursor: 0, ...paused })
  await factory.hook(sql, { target_url: null, secret: null, deleted_at: ago(1), ...paused })
  for (const [cursor, due_at] of [
    [1, null],
    [5, ago(20)],
    [6, ago(-60)],
  ] as const)
    await factory.outstanding(sql, { subscription_id: id, cursor, due_at })
  const counted = { pending: 4, failed: 1, active: 0, failing: 1, paused: 1, head: 4 }
  expect(await gauges()).toMatchObject(counted)
  expect((await gauges())?.due_age).toBeWithin(19, 30)
  expect((await gauges())?.head_age).toBeWithin(39, 50)
  expect(await gauges(1)).toMatchObject({ pending: 1, failed: 1 })
})

test('a lease that goes on is a leader; without one, events that wait for long miss the worker', async () => {
  const missing = async () => isWorkerMissing(await getOverview(database()))
  expect(await missing()).toBe(false)
  await factory.outboxEvent(test_.sql, { occurred_at: ago(40) })
  expect([await missing(), (await gauges())?.unsequenced]).toEqual([true, 1])
  await test_.sql`update leader set lease_until = now() + interval '5 seconds'`
  expect([await missing(), (await gauges())?.has_leader]).toEqual([false, true])
})
