// A sleeping sequencer is woken by the next writer; a working one is left alone, and so are two-phase commits.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { connect } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database.ts'

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

test('a writer notifies when the sequencer sleeps, and only then', async () => {
  await database.sql`update feed set idle = true`
  expect(await notificationsOfAnInsert()).toBe(1)
  await database.sql`update feed set idle = false`
  expect(await notificationsOfAnInsert()).toBe(0)
})

test('on a fresh database nobody notifies, so a transaction can be prepared', async () => {
  const writer = connect({
    url: database.url,
    connectionsMax: 1,
    applicationName: 'test',
    statementTimeoutMs: 5_000,
  })
  await writer`begin`
  await writer`insert into leads (name) values ('x')`
  await writer`prepare transaction 'fresh'`
  await writer`commit prepared 'fresh'`
  await writer.end()
})

test('the sequencer may sleep only where no transaction can be prepared', async () => {
  const [setting] =
    await database.sql`select current_setting('max_prepared_transactions') = '0' as off`
  const [allowed] = await openDatabase(database.sql, queries).rows('updateFeedIdle', {})
  const [feed] = await database.sql`select idle from feed`
  expect([allowed?.idle, feed?.idle]).toEqual([setting?.off, setting?.off])
})
