// What a scrape reads of the whole workspace, and the overview with it.
import { beforeEach, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { getWorkerState } from '../../src/operations/overview.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const database = useDatabase()

const read = async <Name extends 'getGauges' | 'getOverview'>(name: Name, count_max: number) => {
  const [found] = await openDatabase(database.sql, queries).list(name, { count_max })
  if (!found) throw new Error('no row')
  return found
}
const gauges = (count_max = 100) => read('getGauges', count_max)

/** The dashboard's answer to the question after ages. */
async function overviewSeconds() {
  const { at, due_since, unowned_since, unsequenced_since } = await read('getOverview', 100)
  const state = await getWorkerState(openDatabase(database.sql, queries))
  expect(state).toEqual({ at: expect.any(String), unowned_since, unsequenced_since })
  const seconds = (since: string | null) =>
    since === null ? null : (Date.parse(at) - Date.parse(since)) / 1_000
  return {
    due: seconds(due_since),
    unowned: seconds(unowned_since),
    unsequenced: seconds(unsequenced_since),
  }
}

const behind = (seconds: number, count_max = 100) =>
  openDatabase(database.sql, queries).list('listHooksBehind', { seconds, count_max })

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

beforeEach(async () => {
  await database.sql`truncate events, event_cursors, hook_subscriptions, hook_positions, hook_retries, hook_workers`
  await database.sql`update feed set head_floor = 0, horizon = 0`
})

const event = (cursor: number, seconds = 0, event_type = 'lead.created') =>
  factory.event(database.sql, { cursor, sequenced_at: ago(seconds), event_type })

test('an empty workspace has nothing that waits', async () => {
  await factory.hook(database.sql)
  expect(await gauges()).toEqual({
    head: 0,
    horizon: 0,
    head_age: null,
    unsequenced: 0,
    unsequenced_age: null,
    pending: 0,
    due_age: null,
    unowned: 0,
    active: 1,
    failing: 0,
    paused: 0,
  })
  expect(await overviewSeconds()).toEqual({ due: null, unowned: null, unsequenced: null })
})

test('head and horizon are the feed’s, and the newest event tells how old the head is', async () => {
  await event(5, 90)
  await event(6, 40)
  await database.sql`update feed set head_floor = 1000, horizon = 4`
  const found = await gauges()
  expect(found).toMatchObject({ head: 1_000, horizon: 4 })
  expect(found.head_age).toBeWithin(39, 70)
})

test('what waits for its cursor is counted up to the limit, and the oldest tells its age', async () => {
  for (const seconds of [90, 30, 10])
    await factory.outboxEvent(database.sql, { occurred_at: ago(seconds) })
  await event(1, 500)
  const found = await gauges()
  expect(found.unsequenced).toBe(3)
  expect(found.unsequenced_age).toBeWithin(89, 120)
  expect((await overviewSeconds()).unsequenced).toBeWithin(89, 120)
  expect((await gauges(2)).unsequenced).toBe(2)
  expect((await read('getOverview', 0)).unsequenced).toBe(0)
})

test('events of its types above the position of an active subscription are due since they came', async () => {
  const { id } = await factory.hook(database.sql, {
    event_types: ['lead.created', 'signal.opened'],
  })
  await event(1, 900)
  await event(2, 800, 'lead.archived')
  await event(3, 70)
  await event(4, 50, 'signal.opened')
  await factory.position(database.sql, id, { cursor: 1 })
  expect(await gauges()).toMatchObject({ pending: 2, unowned: 1 })
  expect((await gauges()).due_age).toBeWithin(69, 100)
  expect((await overviewSeconds()).due).toBeWithin(69, 100)
  expect((await gauges(1)).pending).toBe(1)
  await factory.position(database.sql, id, { cursor: 4 })
  expect(await gauges()).toMatchObject({ pending: 0, due_age: null, unowned: 0 })
  await factory.position(database.sql, id, { cursor: 1 })
  await database.sql`update hook_subscriptions set active = false, paused_at = now()`
  expect(await gauges()).toMatchObject({ pending: 0, due_age: null, unowned: 0, paused: 1 })
})

test('a range to catch up with waits without a live process, since the process before it ended', async () => {
  const { id } = await factory.hook(database.sql)
  for (const cursor of [1, 2]) await event(cursor)
  const { id: worker } = await factory.worker(database.sql)
  const { no } = await factory.position(database.sql, id, { cursor: 2, worker })
  const range = { no, from_cursor: 0, to_cursor: 2, events: 2, created_at: ago(900) }
  await factory.skip(database.sql, range)
  const leased = (until: Date) =>
    database.sql`update hook_workers set lease_until = ${until.toISOString()}`
  await leased(ago(70))
  // Passed over, and nothing that goes on.
  expect((await gauges()).unowned).toBe(0)
  await database.sql`update hook_skips set catching_up = true`
  expect(await gauges()).toMatchObject({ unowned: 1, due_age: null })
  expect((await overviewSeconds()).unowned).toBeWithin(69, 100)
  await leased(ago(-70))
  expect((await gauges()).unowned).toBe(0)
  expect((await overviewSeconds()).unowned).toBeNull()
  await database.sql`delete from hook_workers`
  expect((await overviewSeconds()).unowned).toBeWithin(899, 930)
  await database.sql`truncate hook_skips`
})

test('what was delivered behind a request that hangs does not wait', async () => {
  const { id: subscription_id } = await factory.hook(database.sql)
  for (let cursor = 1; cursor <= 10; cursor += 1) await event(cursor)
  await factory.position(database.sql, subscription_id, { cursor: 0 })
  for (let cursor = 2; cursor <= 9; cursor += 1)
    await factory.attempt(database.sql, {
      ...{ subscription_id, cursor, outcome: 'd', started_at: ago(1) },
    })
  expect(await gauges()).toMatchObject({ pending: 2 })
  // Where there are more events than are counted, too.
  expect(await gauges(8)).toMatchObject({ pending: 2 })
})

test('a retry is due when its moment has come', async () => {
  const { id: subscription_id } = await factory.hook(database.sql)
  await factory.position(database.sql, subscription_id, { cursor: 1 })
  await factory.retry(database.sql, { subscription_id, cursor: 1, due_at: ago(-60) })
  expect(await gauges()).toMatchObject({ pending: 1, due_age: null, unowned: 0 })
  await factory.retry(database.sql, { subscription_id, cursor: -1, due_at: ago(40) })
  await event(2, 20)
  // The test event is due as well, but no delivery that is missing.
  expect(await gauges()).toMatchObject({ pending: 2, unowned: 1 })
  expect((await gauges()).due_age).toBeWithin(39, 70)
  expect((await gauges(1)).pending).toBe(1)
})

test('what is left of a range that is caught up with waits, and no more than the range has', async () => {
  const { id: subscription_id } = await factory.hook(database.sql)
  for (let cursor = 1; cursor <= 9; cursor += 1) await event(cursor)
  await factory.position(database.sql, subscription_id, { cursor: 9 })
  const range = { subscription_id, from_cursor: 2, to_cursor: 8, events: 8 }
  await factory.skip(database.sql, range)
  expect(await gauges()).toMatchObject({ pending: 0, due_age: null })
  await database.sql`update hook_skips set catching_up = true`
  expect(await gauges()).toMatchObject({ pending: 6, due_age: null })
  expect((await gauges(4)).pending).toBe(4)
  await database.sql`update hook_skips set events = 5`
  expect((await gauges()).pending).toBe(5)
  await database.sql`update hook_subscriptions set active = false, paused_at = now()`
  expect((await gauges()).pending).toBe(0)
})

test('a receiver that holds up its deliveries is told from a process that is gone', async () => {
  const { id } = await factory.hook(database.sql)
  const { id: idle } = await factory.hook(database.sql, { event_types: ['lead.archived'] })
  await event(1, 100)
  await event(2, 10)
  const [live, gone] = [
    await factory.worker(database.sql),
    await factory.worker(database.sql, { lease_until: ago(1) }),
  ]
  await factory.position(database.sql, idle, { worker: null })
  expect((await overviewSeconds()).unowned).toBeWithin(99, 130)
  expect(await behind(30)).toEqual([])

  await factory.position(database.sql, id, { worker: live.id })
  expect(await gauges()).toMatchObject({ unowned: 0, pending: 2 })
  expect((await gauges()).due_age).toBeWithin(99, 130)
  expect(await overviewSeconds()).toMatchObject({ unowned: null })
  expect(await behind(30)).toMatchObject([{ id, pending: 2 }])
  expect(await behind(30, 1)).toMatchObject([{ id, pending: 1 }])
  expect(await behind(3_600)).toEqual([])

  await factory.position(database.sql, id, { worker: gone.id })
  expect(await gauges()).toMatchObject({ unowned: 1 })
  expect((await overviewSeconds()).unowned).toBeWithin(99, 130)
  expect(await behind(30)).toEqual([])
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

test('what was delivered of types that were taken away since hides nothing that waits', async () => {
  const { sql } = database
  const both = ['lead.created', 'signal.opened']
  const { id: subscription_id } = await factory.hook(sql, { event_types: both })
  for (let cursor = 1; cursor <= 8; cursor += 1) await event(cursor)
  for (let cursor = 9; cursor <= 12; cursor += 1) await event(cursor, 0, 'signal.opened')
  const ended = { outcome: 'd', started_at: new Date() }
  for (const cursor of [1, 2, 3, 4, 5, 6, 9])
    await factory.attempt(sql, { subscription_id, cursor, ...ended })
  await factory.retry(sql, { subscription_id, cursor: 7 })
  await factory.failure(sql, { subscription_id, cursor: 8 })
  // Ten to ten and the retry; three and the retry.
  expect((await gauges()).pending).toBe(4)
  await sql`update hook_subscriptions set event_types = array['signal.opened']`
  expect((await gauges()).pending).toBe(4)
})
