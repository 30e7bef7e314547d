// The sequencer sleeps while nothing comes: then the next writer wakes it. Where that cannot be it polls.
// test/feed/two_phase.test.ts is about servers where transactions can be prepared.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/db/connect.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { startSequencer } from '../../src/feed/sequencer.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { isSequenced, noFollower } from '../support/feed/sequencing.ts'
import { quietLog } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
let listener: Sql
let wake = () => {}
let notified = 0
const stops: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  listener = connect({
    url: database.url,
    connectionsMax: 1,
    applicationName: 'test',
    statementTimeoutMs: 5_000,
    onNotify: () => {
      notified += 1
      wake()
    },
  })
  await listener`listen event_emitted`
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  await database.sql`select setval('feed_sleep', 0)`
})
afterAll(() => listener.end())

/** A sequencer with a connection of its own; how often it has looked. */
function start(isDeaf = false) {
  const sql = oneConnection(database.url)
  const open = openDatabase(sql, queries)
  let looks = 0
  const counting = {
    ...open,
    rows(name, args) {
      if (name === 'sequenceEvents') looks += 1
      return open.rows(name, args)
    },
  } as Database
  const sequencer = startSequencer({
    database: counting,
    log: quietLog(),
    follower: noFollower,
    isLeading: () => true,
    isDeaf: () => isDeaf,
  })
  wake = sequencer.wake
  stops.push(async () => {
    await sequencer.stop()
    await sql.end({ timeout: 1 })
  })
  return { looks: () => looks }
}

/** How long it takes for so many looks to come, from one on. */
async function msOfLooks(looks: () => number, count: number): Promise<number> {
  const first = looks() + 1
  await until(() => looks() >= first)
  const startedAt = performance.now()
  await until(() => looks() >= first + count)
  return performance.now() - startedAt
}

const insert = () => database.sql`insert into leads (name) values ('x')`

const isAsleep = async () =>
  (await database.sql`select from feed_sleep where last_value = 1`).length === 1

/** Notifications of one insert; a later one of the same connection proves that none is on its way. */
async function notificationsOfAnInsert(): Promise<number> {
  const before = notified
  await insert()
  await listener`select pg_notify('event_emitted', 'end')`
  return notified - before - 1
}

test('asleep it looks once a second, the next writer wakes it, and while events come no writer notifies', async () => {
  const { looks } = start()
  await until(isAsleep)
  expect(await msOfLooks(looks, 1)).toBeWithin(900, 1_500)
  await notificationsOfAnInsert()
  await until(async () => await isSequenced(database.sql))
  await until(async () => !(await isAsleep()), 500)
  expect(await notificationsOfAnInsert()).toBe(0)
})

test('the first event after a pause gets its cursor within 20 ms, by the median', async () => {
  start()
  const waits: number[] = []
  while (waits.length < 5) {
    await until(isAsleep)
    const startedAt = performance.now()
    await insert()
    while (!(await isSequenced(database.sql)));
    waits.push(performance.now() - startedAt)
  }
  expect(waits.toSorted((one, other) => one - other)[2]).toBeLessThan(20)
}, 30_000)

test('where the listener is deaf no writer is asked to notify, and a poll finds events', async () => {
  const { looks } = start(true)
  await until(async () => (await msOfLooks(looks, 1)) > 450)
  expect(await isAsleep()).toBe(false)
  expect(await notificationsOfAnInsert()).toBe(0)
  await until(() => isSequenced(database.sql), 1_500)
})
