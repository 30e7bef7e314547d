// A writer wakes the sequencer where that asks for it, and else leaves it alone. test/feed/two_phase.test.ts is about servers
// where transactions can be prepared.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/db/connect.ts'
import { startWorker } from '../../src/worker/start.ts'
import { useDatabase } from '../support/database/database.ts'
import { quietLog } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
let ear: Sql
let heard = 0

beforeAll(async () => {
  ear = connect({
    url: database.url,
    connectionsMax: 1,
    applicationName: 'test',
    statementTimeoutMs: 5_000,
    onNotify: () => {
      heard += 1
    },
  })
  await ear`listen event_emitted`
})
afterAll(async () => {
  await ear.end()
})

/** Notifications of one insert; a later one of the same connection proves that none is on its way. */
async function notificationsOfAnInsert(): Promise<number> {
  heard = 0
  await database.sql`insert into leads (name) values ('x')`
  await ear`select pg_notify('event_emitted', 'end')`
  return heard - 1
}

test('on a fresh database no writer notifies', async () => {
  expect(await notificationsOfAnInsert()).toBe(0)
})

test('a writer notifies when the sequencer is to be woken, and only then', async () => {
  await database.sql`select setval('feed_wake', 1)`
  expect(await notificationsOfAnInsert()).toBe(1)
  await database.sql`select setval('feed_wake', 0)`
  expect(await notificationsOfAnInsert()).toBe(0)
})

test('a sequencer that is idle asks to be woken', async () => {
  const worker = await startWorker(testConfig(), database.url, quietLog())
  try {
    await until(async () => {
      const [feed] = await database.sql`select last_value::integer as wake from feed_wake`
      return feed?.wake === 1
    })
    expect(await notificationsOfAnInsert()).toBe(1)
    await until(async () => {
      const [row] = await database.sql`select count(*)::integer as events from feed_events`
      return row?.events > 0
    })
  } finally {
    await worker.stop()
  }
})

/** Whether batches are notified now. */
async function isWatched(): Promise<boolean> {
  const [feed] =
    await database.sql`select last_value > extract(epoch from now()) as watched from feed_watch`
  return feed?.watched
}

test('a process that sequences alone notifies of no batch; a second one asks for it', async () => {
  const workers = [await startWorker(testConfig(), database.url, quietLog())]
  const insert = async (name: string) => {
    await database.sql`insert into leads (name) values (${name})`
    await until(async () => {
      const rows = await database.sql`select from feed_events where data ->> 'name' = ${name}`
      return rows.length === 1
    })
  }
  try {
    await insert('alone')
    expect(await isWatched()).toBe(false)
    workers.push(await startWorker(testConfig(), database.url, quietLog()))
    await until(async () => {
      await insert(crypto.randomUUID())
      return await isWatched()
    })
  } finally {
    await Promise.all(workers.map(worker => worker.stop()))
  }
})
