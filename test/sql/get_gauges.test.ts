// What a scrape reads of the whole workspace.
import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'

const database = useDatabase()

const read = async <Name extends 'getGauges' | 'getOverview'>(name: Name, count_max: number) => {
  const [found] = await openDatabase(database.sql, queries).list(name, { count_max })
  if (!found) throw new Error('no row')
  return found
}
const gauges = (count_max = 100) => read('getGauges', count_max)

/** The dashboard's answer to the question after due_age. */
async function overdueSeconds(): Promise<number | null> {
  const { at, due_since } = await read('getOverview', 100)
  return due_since === null ? null : (Date.parse(at) - Date.parse(due_since)) / 1_000
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

beforeEach(async () => {
  await database.sql`delete from hook_queue`
  await database.sql`delete from hook_leases`
  await database.sql`delete from hook_subscriptions`
  await database.sql`delete from event_outbox`
})

test('an empty workspace has nothing that waits', async () => {
  expect(await gauges()).toEqual({
    head: 0,
    horizon: 0,
    head_age: null,
    partitions: expect.any(Number),
    outbox: 0,
    outbox_age: null,
    pending: 0,
    due_age: null,
    active: 0,
    failing: 0,
    paused: 0,
  })
})

test('what waits for its cursor is counted up to the limit, and the oldest tells its age', async () => {
  for (const seconds of [90, 30, 10])
    await factory.outboxEvent(database.sql, { occurred_at: ago(seconds) })
  const found = await gauges()
  expect(found.outbox).toBe(3)
  expect(found.outbox_age).toBeWithin(89, 120)
  expect((await gauges(2)).outbox).toBe(2)
})

test('a delivery is due until somebody sends it; what is paused or waits for its time is not', async () => {
  const { id: subscription_id } = await factory.hook(database.sql)
  const { id: paused } = await factory.hook(database.sql, { active: false, paused_at: new Date() })
  const add = (columns: factory.Columns) =>
    factory.delivery(database.sql, { subscription_id, ...columns })
  await add({ due_at: ago(-60), claim: randomUUID() })
  await add({ due_at: ago(-500) })
  await add({ due_at: ago(900), subscription_id: paused })
  await factory.outcome(database.sql, { subscription_id, created_at: ago(900) })
  expect(await gauges()).toMatchObject({ pending: 3, due_age: null })
  expect(await overdueSeconds()).toBeNull()
  await add({ due_at: ago(40) })
  await add({ due_at: ago(70), claim: randomUUID() })
  expect(await gauges()).toMatchObject({ pending: 5 })
  expect((await gauges()).due_age).toBeWithin(69, 100)
  expect(await overdueSeconds()).toBeWithin(69, 100)
  expect((await gauges(4)).pending).toBe(4)
})

test('what waits for its turn is due since it came, until it is taken, and again when its lease lapses', async () => {
  const { id: subscription_id } = await factory.hook(database.sql)
  const inTurn = { subscription_id, due_at: null, created_at: ago(50) }
  const { id } = await factory.delivery(database.sql, inTurn)
  expect((await gauges()).due_age).toBeWithin(49, 80)
  expect(await overdueSeconds()).toBeWithin(49, 80)
  await database.sql`update hook_positions set taken_id = ${id} where subscription_id = ${subscription_id}`
  expect(await gauges()).toMatchObject({ pending: 1, due_age: null })
  expect(await overdueSeconds()).toBeNull()
  const range = { subscription_id, first_id: id, last_id: id }
  await factory.lease(database.sql, { ...range, lapses_at: ago(30) })
  expect((await gauges()).due_age).toBeWithin(29, 60)
  expect(await overdueSeconds()).toBeWithin(29, 60)
})

test('subscriptions are active, failing or paused', async () => {
  await factory.hook(database.sql)
  await factory.hook(database.sql)
  await factory.hook(database.sql, { consecutive_failures: 1, failing_since: new Date() })
  await factory.hook(database.sql, {
    active: false,
    consecutive_failures: 10,
    paused_at: new Date(),
    failing_since: new Date(),
  })
  expect(await gauges()).toMatchObject({ active: 2, failing: 1, paused: 1 })
})
