// A sequencer that goes on after something else happened to its database: what it knows may not be true of it any more.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, type Sql } from '../../src/db/connect.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { openBatchSequencer } from '../../src/feed/sequencer.ts'
import { createDatabase, databaseUrl, dropDatabase } from '../support/database/database.ts'
import {
  noFollower,
  openTestSequencing,
  sequenceAll,
  startTestSequencer,
} from '../support/feed/sequencing.ts'
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
  const options = { connectionsMax: 1, applicationName: 'test', statementTimeoutMs: 60_000 }
  const sql = connect({ url: databaseUrl(name), ...options })
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
    const { floor_log_id, newest_log_id } = await sequencing.look(true)
    return floor_log_id === newest_log_id
  }, 30_000)

/** The same, until all is settled in what is remembered: a late transaction puts that off for longer. */
const settle = (sql: Sql, sequencing: ReturnType<typeof openTestSequencing>) =>
  until(async () => {
    await sequencing.look(true)
    await sequencing.save()
    const [row] = await sql`
      select feed_settled.cursor = feed_state.head as is_settled from feed_settled cross join feed_state`
    return row?.is_settled === true
  }, 30_000)

test('after a failover it remembers nothing of the database that is gone', async () => {
  const name = await newDatabase()
  const before = session(name)
  await emit(before, 10)
  await sequenceAll(before)
  await before.end({ timeout: 1 })
  // The standby lacks the last commits.
  const standby = session(await newDatabase(name))
  let now = session(name)
  const rows: Database['rows'] = (name, args) => openDatabase(now, queries).rows(name, args)
  const database = { rows } as Database
  const sequencing = openBatchSequencer({ database, follower: noFollower }, 'test')
  await emit(now, 20)
  await raiseFloor(sequencing)
  // Between a look and what it saves the address leads to the standby.
  now = standby
  await sequencing.save()
  await emit(standby, 8)
  await sequencing.look(true)
  await sequenceAll(standby)
  expect(await unsequenced(standby)).toBe(0)
})

test('one that begins after another was killed settles the log, though no event comes', async () => {
  const sql = session(await newDatabase())
  await emit(sql, 300)
  // It gave them their cursors and remembered nothing.
  await openTestSequencing(sql).look(false)
  const database = openDatabase(sql, queries)
  const sequencer = startTestSequencer(database)
  try {
    await until(async () => {
      const [row] = await sql`
        select log_id = (select max(log_id) from events) as is_settled from feed_floor`
      return row?.is_settled === true
    }, 30_000)
  } finally {
    await sequencer.stop()
  }
})

test('one that stood still while cursors expired gives their events no new ones', async () => {
  const sql = session(await newDatabase())
  await sequenceAll(sql)
  await emit(sql, 5)
  // Its floor is below these five.
  const held = openTestSequencing(sql)
  await held.look(false)
  await emit(sql, 1)
  const other = openTestSequencing(sql)
  await settle(sql, other)
  const prune = async (days: number) => {
    const [pruned] = await sql`
      select partitions_dropped from prune_events(interval '30 days', now() + ${`${days} days`}::text::interval, interval '100 years')`
    return pruned?.partitions_dropped
  }
  // The partition is closed, and is dropped once it has expired.
  await prune(2)
  await emit(sql, 1)
  await settle(sql, other)
  expect(await prune(40)).toBe(1)
  expect((await held.look(false)).sequenced).toBe(0)
  await emit(sql, 1)
  expect((await held.look(false)).sequenced).toBe(1)
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
    await Promise.all(sequencers.map(one => one.look(false)))
  }
  await sequenceAll(first)
  expect(await unsequenced(writer)).toBe(0)
})
