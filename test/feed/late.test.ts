// Transactions that run for long: the feed goes on next to them, and what they add comes when they end, before what was
// written by those who could see it.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { openTestSequencing, sequenceAll } from '../support/feed/sequencing.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(90_000)

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

/** Into the log itself, which is faster. */
const emit = (count: number) => database.sql`
  insert into events (event_type, schema_version, object_type, object_id, links, data)
  select 'signal.opened', '1', 'signal', n::text, '{}', '{}' from generate_series(1, ${String(count)}::integer) as n`

/** A transaction that has written and is not over. */
async function begin(name: string): Promise<Sql> {
  const writer = oneConnection(database.url)
  writers.push(writer)
  await writer`begin`
  await write(writer, name)
  return writer
}

/** Names in the order of the feed. */
const feed = async () =>
  (
    await database.sql`
      select data ->> 'name' as name from feed_events where cursor > ${String(since)} order by cursor`
  ).map(row => row.name as string)

type Stored = { log_id: number; late: number[]; drawn: number }

const stored = async () => {
  const [row] = await database.sql`
    select log_id::integer as log_id, array(select (one ->> 'xid')::integer from jsonb_array_elements(late) as one) as late,
      (select last_value::integer from events_log_id_seq) as drawn
    from feed_floor`
  return row as unknown as Stored
}

const xidOf = async (writer: Sql) =>
  Number((await writer`select pg_current_xact_id()::text as xid`)[0]?.xid)

/** Whether a look still waits for a transaction. It may wait for those of other databases of the server. */
async function isAwaited(sequencing: ReturnType<typeof openTestSequencing>, xid: number) {
  const { late, sequenced } = await sequencing.look(false)
  expect(sequenced).toBe(0)
  return late.some(one => one.xid === xid)
}

/**
 * Looks until the floor has passed transactions that are still open, and remembers them. Those of other databases of the
 * server put it off.
 */
async function passBy(sequencing: ReturnType<typeof openTestSequencing>, open: Sql[]) {
  const xids = await Promise.all(open.map(xidOf))
  const { drawn } = await stored()
  await until(async () => {
    await write(database.sql, 'meanwhile')
    await sequencing.look(true)
    await sequencing.save()
    const { late, log_id } = await stored()
    return log_id > drawn && xids.every(xid => late.includes(xid))
  }, 60_000)
}

test('one that ended is remembered no longer, though no event follows', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('undone')
  const xid = await xidOf(writer)
  await passBy(sequencing, [writer])
  const rememberedAfterLook = async () => {
    await sequencing.look(true)
    await sequencing.save()
    return await stored()
  }
  // Nothing is left by which the floor could follow.
  await until(async () => {
    const { log_id, drawn } = await rememberedAfterLook()
    return log_id === drawn
  }, 60_000)
  await writer`rollback`
  await until(async () => !(await rememberedAfterLook()).late.includes(xid))
})

test('what it added comes with the next look after its end', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('long')
  const xid = await xidOf(writer)
  await passBy(sequencing, [writer])
  expect(await isAwaited(sequencing, xid)).toBe(true)
  await writer`commit`
  expect((await sequencing.look(false)).sequenced).toBe(1)
  expect((await feed()).at(-1)).toBe('long')
  expect(await isAwaited(sequencing, xid)).toBe(false)
})

test('a process that begins then finds it too, and one that begins before its end', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('long')
  const other = await begin('longer')
  await passBy(sequencing, [writer, other])
  const second = openTestSequencing(database.sql)
  // From where the first one was, and not from the beginning.
  expect((await second.look(false)).after_log_id).toBe((await stored()).log_id)
  await writer`commit`
  expect((await openTestSequencing(database.sql).look(false)).sequenced).toBe(1)
  expect((await feed()).at(-1)).toBe('long')
  await other`commit`
  expect((await second.look(false)).sequenced).toBe(1)
  expect((await feed()).at(-1)).toBe('longer')
})

test('an event comes after what its writer could see, however late that was', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('first')
  await passBy(sequencing, [writer])
  await writer`commit`
  // Of the same writer, and of another one.
  await write(writer, 'second')
  await write(database.sql, 'third')
  await sequencing.look(false)
  expect((await feed()).slice(-3)).toEqual(['first', 'second', 'third'])
})

test('one that is rolled back leaves nothing to be done', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('never')
  const xid = await xidOf(writer)
  await passBy(sequencing, [writer])
  expect(await isAwaited(sequencing, xid)).toBe(true)
  await writer`rollback`
  expect((await sequencing.look(false)).sequenced).toBe(0)
  expect(await isAwaited(sequencing, xid)).toBe(false)
  expect(await feed()).not.toContain('never')
})

test('more than a batch of it comes in order, batch after batch', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('0')
  await writer`insert into leads (name) select n::text from generate_series(1, 2400) as n`
  await passBy(sequencing, [writer])
  await writer`commit`
  await write(database.sql, 'after it')
  const batches = []
  for (let look = await sequencing.look(false); look.sequenced > 0; ) {
    batches.push(look.sequenced)
    look = await sequencing.look(false)
  }
  expect(batches).toEqual([1000, 1000, 402])
  const names = (await feed()).filter(name => name !== 'meanwhile')
  expect(names).toEqual([...Array.from({ length: 2401 }, (_, n) => String(n)), 'after it'])
})

test('what came since it began is looked through in chunks, and a process that begins goes on', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = await begin('early')
  await passBy(sequencing, [writer])
  const from = (await stored()).log_id
  await emit(30_000)
  while ((await sequencing.look(true)).scanned_to !== null);
  await write(writer, 'late')
  await writer`commit`
  await write(database.sql, 'after it')
  const first = await sequencing.look(false)
  expect(first.sequenced).toBe(1)
  expect((first.scanned_to ?? 0) - from).toBeLessThan(20_010)
  await sequencing.save()
  const another = openTestSequencing(database.sql)
  let look = await another.look(false)
  expect(look.after_log_id).toBe(first.scanned_to ?? 0)
  for (let looks = 0; look.scanned_to !== null && looks < 50; looks += 1) {
    const scanned = look.scanned_to
    look = await another.look(true)
    expect(look.after_log_id).toBeWithin(from, scanned + 1)
  }
  expect(look.scanned_to).toBe(null)
  const names = (await feed()).filter(name => name !== 'meanwhile' && name !== null)
  expect(names).toEqual(['early', 'late', 'after it'])
})

test('ids that a rolled back import drew hold nothing up next to a young transaction', async () => {
  const sequencing = openTestSequencing(database.sql)
  const writer = oneConnection(database.url)
  writers.push(writer)
  await writer`begin`
  await xidOf(writer)
  await write(database.sql, 'before')
  // A transaction of another database may hold it up for a moment.
  await until(async () => (await sequencing.look(true)).sequenced === 1)
  await database.sql`select setval('events_log_id_seq', last_value + 50000) from events_log_id_seq`
  await write(database.sql, 'after')
  expect(await sequencing.look(true)).toMatchObject({ sequenced: 1, scanned_to: null })
  await writer`rollback`
})

describe('what waits is counted', () => {
  const waiting = async () => {
    const [row] = await database.sql`
      select total, extract(epoch from now() - since)::float8 as seconds from count_unsequenced(10000)`
    return row as unknown as { total: number; seconds: number | null }
  }

  test('behind much that has its cursors already, when a process was killed before it remembered that', async () => {
    await emit(25_000)
    const killed = openTestSequencing(database.sql)
    // A look for a transaction of another database that was late finds nothing.
    for (let given = 0; given < 23_000; ) given += (await killed.look(false)).sequenced
    expect(await waiting()).toEqual({ total: 2_000, seconds: expect.any(Number) })
  })

  test('far above the place from which it is looked for a late transaction', async () => {
    const sequencing = openTestSequencing(database.sql)
    const writer = await begin('early')
    await passBy(sequencing, [writer])
    await emit(21_000)
    while ((await sequencing.look(true)).sequenced > 0);
    await write(writer, 'late')
    await write(database.sql, 'the last one')
    await until(async () => {
      await sequencing.look(true)
      await sequencing.save()
      const { log_id, drawn } = await stored()
      return log_id === drawn
    }, 60_000)
    expect((await waiting()).total).toBe(0)
    await writer`commit`
    expect((await waiting()).total).toBe(2)
  })
})

test('an owner who writes into the log directly has a transaction id before an event has its own', async () => {
  const writer = oneConnection(database.url)
  writers.push(writer)
  // Its id is drawn a while before the row is there.
  const writing = writer`
    with slow as (
      insert into events (log_id, event_type, schema_version, object_type, object_id, links, data)
      select nextval('events_log_id_seq'), 'signal.opened', '1', 'signal', pg_sleep(0.3)::text, '{}', '{"name": "slow"}'
      returning log_id
    )
    select from slow`
  const drawn = async () =>
    Number((await database.sql`select last_value from events_log_id_seq`)[0]?.last_value)
  const before = await drawn()
  const running = writing.execute()
  await until(async () => (await drawn()) > before)
  const [row] = await database.sql`
    select backend_xid::text as xid from pg_stat_activity where datname = current_database() and query like '%with slow%' and pid <> pg_backend_pid()`
  expect(row?.xid).toBeString()
  await running
})
