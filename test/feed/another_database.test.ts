// A sequencer that goes on after something else happened to its database: what it knows may not be true of it any more.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { openBatchSequencer } from '../../src/feed/sequencer.ts'
import {
  createDatabase,
  databaseUrl,
  dropDatabase,
  oneConnection,
} from '../support/database/database.ts'
import { noFollower, openTestSequencing, sequenceAll } from '../support/feed/sequencing.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(60_000)

const names: string[] = []
const open: Sql[] = []
afterAll(async () => {
  await Promise.all(open.map(sql => sql.end({ timeout: 1 })))
  for (const name of names) await dropDatabase(name)
})

async function newDatabase(template?: string) {
  const name = await createDatabase(template)
  names.push(name)
  return name
}

function session(name: string): Sql {
  const sql = oneConnection(databaseUrl(name))
  open.push(sql)
  return sql
}

const emit = (sql: Sql, count: number) => sql`
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select 'signal.opened', '1', 'signal', n::text, '{}', '{}' from generate_series(1, ${String(count)}::integer) as n`

const unsequenced = async (sql: Sql) => {
  const [row] = await sql`
    select count(*)::integer as count from events
    where not exists (select from event_cursors where event_cursors.log_id = events.log_id)`
  return row?.count
}

/** Looks until the floor is at the newest event. Transactions of other databases of the server put it off. */
const raiseFloor = (sequencing: ReturnType<typeof openTestSequencing>) =>
  until(async () => {
    const { floor, newest } = await sequencing.look()
    return floor === newest
  }, 30_000)

test('after a failover it uses nothing that it knew of the database that is gone', async () => {
  const name = await newDatabase()
  const before = session(name)
  await emit(before, 10)
  const { head } = await sequenceAll(before)
  await before.end({ timeout: 1 })
  // The standby lacks the last commits.
  const standby = session(await newDatabase(name))
  let now = session(name)
  const rows: Database['rows'] = (name, args) => openDatabase(now, queries).rows(name, args)
  const database = { rows } as Database
  const sequencing = openBatchSequencer({ database, follower: noFollower })
  await emit(now, 20)
  await raiseFloor(sequencing)
  // Between a look and what it saves the address leads to the standby.
  now = standby
  await sequencing.save()
  await emit(standby, 8)
  const look = await sequencing.look()
  expect(look).toMatchObject({ advanced: true, sequenced: 8 })
  expect(look.head_before).toBeGreaterThan(head + 20)
  expect(await unsequenced(standby)).toBe(0)
})

test('one that stood still while cursors expired gives their events no new ones', async () => {
  const sql = session(await newDatabase())
  const held = openTestSequencing(sql)
  await emit(sql, 5)
  await held.look()
  await sql`select from prune_events(interval '30 days', now() + interval '40 days', null, 1000)`
  await emit(sql, 1)
  expect(await held.look()).toMatchObject({ sequenced: 1, head: 6 })
})

test('two do not fail each other in a database whose transactions are repeatable read by default', async () => {
  const name = await newDatabase()
  await session(name).unsafe(
    `alter database ${name} set default_transaction_isolation = 'repeatable read'`,
  )
  const [first, second, writer] = [session(name), session(name), session(name)] as const
  const sequencers = [openTestSequencing(first), openTestSequencing(second)]
  for (let times = 0; times < 40; times += 1) {
    await emit(writer, 3)
    await Promise.all(sequencers.map(one => one.look()))
  }
  await sequenceAll(first)
  expect(await unsequenced(writer)).toBe(0)
})

test('after a partial restore, that an event has had no cursor for a minute is found', async () => {
  const sql = session(await newDatabase())
  const stuck = async () => (await openDatabase(sql, queries).rows('getFeedCheck', {}))[0]?.stuck
  await emit(sql, 3)
  await sequenceAll(sql)
  await emit(sql, 1)
  expect(await stuck()).toBe(false)
  await sql`update events set occurred_at = now() - interval '61 seconds' where log_id = (select max(log_id) from events)`
  expect(await stuck()).toBe(true)
  await sequenceAll(sql)
  expect(await stuck()).toBe(false)
})
