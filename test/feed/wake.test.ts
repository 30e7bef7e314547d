// A writer wakes the sequencer where that asks for it, and else leaves it alone; and so are two-phase commits. The test
// server allows them: test/process/wake.test.ts is about the other servers.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { startWorker } from '../../src/worker/start.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
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

async function preparedAndCommitted(name: string) {
  const writer = oneConnection(database.url)
  await writer`begin`
  await writer`insert into leads (name) values (${name})`
  await writer.unsafe(`prepare transaction '${name}'`)
  await writer.unsafe(`commit prepared '${name}'`)
  await writer.end()
}

test('on a fresh database no writer notifies, so a transaction can be prepared', async () => {
  expect(await notificationsOfAnInsert()).toBe(0)
  await preparedAndCommitted('fresh')
})

test('a writer notifies when the sequencer is to be woken, and only then', async () => {
  await database.sql`select setval('feed_wake', 1)`
  expect(await notificationsOfAnInsert()).toBe(1)
  await database.sql`select setval('feed_wake', 0)`
  expect(await notificationsOfAnInsert()).toBe(0)
})

test('it is woken only where no transaction can be prepared', async () => {
  const [setting] =
    await database.sql`select current_setting('max_prepared_transactions') = '0' as off`
  const ask = async (wake: boolean) =>
    (await openDatabase(database.sql, queries).rows('updateFeedWake', { wake }))[0]?.wake
  expect([await ask(true), await ask(false)]).toEqual([setting?.off, false])
  const [feed] = await database.sql`select last_value::integer as wake from feed_wake`
  expect(feed?.wake).toBe(0)
})

test('with a worker that looks by itself a prepared transaction comes into the feed', async () => {
  await database.sql`select setval('feed_wake', 1)`
  const worker = await startWorker(testConfig(), database.url, quietLog())
  try {
    await until(async () => {
      const [feed] = await database.sql`select last_value::integer as wake from feed_wake`
      return feed?.wake === 0
    })
    await preparedAndCommitted('prepared')
    await until(async () => {
      const rows = await database.sql`select from feed_events where data ->> 'name' = 'prepared'`
      return rows.length === 1
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
