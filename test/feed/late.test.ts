// Transactions that run for long: the feed goes on next to them, and what they add comes when they end, before what was
// written by those who could see it.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { openTestSequencing, sequenceAll } from '../support/feed/sequencing.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(60_000)

const database = useDatabase()
const writers: Sql[] = []

/** The head when a test began. */
let since = 0

beforeEach(async () => {
  since = (await sequenceAll(database.sql)).head
})
afterEach(async () => {
  await Promise.all(writers.splice(0).map(writer => writer.end({ timeout: 1 })))
})

const write = (sql: Sql, name: string) => sql`insert into leads (name) values (${name})`

/** A transaction that has written and is not over. */
async function begin(name: string): Promise<Sql> {
  const writer = oneConnection(database.url)
  writers.push(writer)
  await writer`begin`
  await write(writer, name)
  return writer
}

/** Names in the order of the feed. */
const feed = async () => {
  const rows = await database.sql`
    select data ->> 'name' as name from feed_events where cursor > ${String(since)} order by cursor`
  return rows.map(row => row.name as string).filter(name => name !== 'meanwhile')
}

const xidOf = async (writer: Sql) =>
  Number((await writer`select pg_current_xact_id()::text as xid`)[0]?.xid)

/** Looks until the floor has passed the event of a transaction that is still open. */
async function passBy(sequencing: ReturnType<typeof openTestSequencing>, writer: Sql) {
  const xid = await xidOf(writer)
  const [drawn] = await database.sql`select last_value::integer as log_id from events_log_id_seq`
  await until(async () => {
    await write(database.sql, 'meanwhile')
    const { floor, late } = await sequencing.look()
    return floor > drawn?.log_id && late.some(one => one.xid === xid)
  }, 30_000)
  await sequencing.save()
}

test('what it added comes with the next look after its end, and the transaction is forgotten', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('long')
  const xid = await xidOf(writer)
  await passBy(sequencing, writer)
  await writer`commit`
  expect((await sequencing.look()).sequenced).toBe(1)
  expect((await feed()).at(-1)).toBe('long')
  expect((await sequencing.look()).late.some(one => one.xid === xid)).toBe(false)
})

test('a process that begins after its end finds it, and one that begins before', async () => {
  const sequencing = openTestSequencing(database.sql)
  const [writer, other] = [await begin('long'), await begin('longer')]
  await passBy(sequencing, writer)
  await passBy(sequencing, other)
  const before = openTestSequencing(database.sql)
  expect((await before.look()).sequenced).toBe(0)
  await writer`commit`
  expect((await openTestSequencing(database.sql).look()).sequenced).toBe(1)
  await other`commit`
  expect((await before.look()).sequenced).toBe(1)
  expect((await feed()).slice(-2)).toEqual(['long', 'longer'])
})

test('an event comes after what its writer could see, however late that was', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('first')
  await passBy(sequencing, writer)
  await writer`commit`
  // Of the same writer, and of another one.
  await write(writer, 'second')
  await write(database.sql, 'third')
  await sequencing.look()
  expect((await feed()).slice(-3)).toEqual(['first', 'second', 'third'])
})

test('more than a batch of it comes in order, batch after batch, also from a process that begins between', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('0')
  await writer`insert into leads (name) select n::text from generate_series(1, 2400) as n`
  await passBy(sequencing, writer)
  await writer`commit`
  await write(database.sql, 'after it')
  expect((await sequencing.look()).sequenced).toBe(1_000)
  await sequencing.save()
  const next = openTestSequencing(database.sql)
  const batches = [await next.look(), await next.look(), await next.look()]
  expect(batches.map(({ sequenced }) => sequenced)).toEqual([1_000, 402, 0])
  expect(await feed()).toEqual([...Array.from({ length: 2_401 }, (_, n) => String(n)), 'after it'])
})

test('what waits for its cursor is counted, with the events of a late transaction', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('early')
  await passBy(sequencing, writer)
  const waiting = async (max: number) => {
    const [row] =
      await database.sql`select total, since is null as none from count_unsequenced(${max}::integer)`
    return row as unknown as { total: number; none: boolean }
  }
  expect(await waiting(100)).toEqual({ total: 0, none: true })
  await writer`commit`
  await write(database.sql, 'another')
  expect(await waiting(100)).toEqual({ total: 2, none: false })
  expect(await waiting(1)).toEqual({ total: 1, none: false })
})
