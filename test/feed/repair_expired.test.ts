// A repair of a feed that is older than its retention: what has expired stays so, and nothing that waits is taken for it.
import { expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { useDatabase } from '../support/database/database.ts'
import { rolledBack } from '../support/database/rolled_back.ts'
import { sequenceAll, sequenceSettled } from '../support/feed/sequencing.ts'

const database = useDatabase()

const prune = (sql: Sql, days: number) => sql`
  select from prune_events(interval '30 days', now() + ${`${days} days`}::text::interval, interval '100 years')`

/** Of the events one has a cursor. The cursors of all before it have expired; the log still has them. */
async function expire(sql: Sql) {
  await sql`insert into leads (name) values ('Old')`
  await sequenceSettled(sql)
  // The partition is closed, and is dropped once it has expired.
  await prune(sql, 2)
  await sql`insert into leads (name) values ('Kept')`
  await sequenceSettled(sql)
  await prune(sql, 40)
}

test('events that have expired get no cursor again, though the log still has them', () =>
  rolledBack(database.sql, async sql => {
    await expire(sql)
    const [expired] = await sql`
      select count(*)::int as count from events
      where not exists (select from event_cursors where event_cursors.log_id = events.log_id)`
    expect(expired?.count).toBeGreaterThan(0)
    const repaired = async () =>
      (await sql`select cardinality(mended) as mended from repair_feed()`)[0]?.mended
    expect(await repaired()).toBe(0)
    // A floor that is wrong is put right without them too, and what has no cursor yet gets one.
    await sql`insert into leads (name) values ('Waiting')`
    await sql`update feed_floor set log_id = (select max(log_id) from events)`
    expect(await repaired()).toBe(1)
    await sequenceAll(sql)
    await sql`delete from feed_floor`
    expect(await repaired()).toBe(1)
    await sequenceAll(sql)
    const [left] = await sql`
      select count(*)::int as count from events
      where not exists (select from event_cursors where event_cursors.log_id = events.log_id)`
    expect(left?.count).toBe(expired?.count)
    // No cursor is left at all: the floor tells.
    await prune(sql, 80)
    expect(await repaired()).toBe(0)
  }))

const lateDamages: [name: string, damage: (sql: Sql) => Promise<unknown>][] = [
  ['nothing was wrong', async () => {}],
  ['the floor was lost', sql => sql`delete from feed_floor`],
  [
    'the floor hid cursors',
    sql => sql`update feed_floor set log_id = 0, cursor = (select max(cursor) from event_cursors)`,
  ],
  [
    'the floor was too high',
    sql => sql`update feed_floor set log_id = (select max(log_id) from events)`,
  ],
]

const namesOf = async (sql: Sql) =>
  (await sql`select data ->> 'name' as name from feed_events order by cursor`).map(
    ({ name }) => name,
  )

test.each(lateDamages)(
  'nor do they where the first cursor there is came late, and %s',
  (...given) =>
    rolledBack(database.sql, async sql => {
      await sql`insert into leads (name) values ('Late'), ('Expired'), ('Expired too')`
      await sequenceSettled(sql)
      // It ends when the partition of the others has been closed.
      const [late] = await sql`
        delete from event_cursors
        where log_id = (select log_id from events where data ->> 'name' = 'Late') returning log_id::text, event_type`
      await prune(sql, 2)
      await sql`
        insert into event_cursors (cursor, log_id, event_type)
        select head + 1, ${late?.log_id}, ${late?.event_type} from feed_state`
      await sql`insert into leads (name) values ('Kept')`
      await sequenceSettled(sql)
      await prune(sql, 40)
      await sql`insert into leads (name) values ('Waiting')`
      await given[1](sql)
      await sql`select from repair_feed()`
      await sequenceAll(sql)
      expect(await namesOf(sql)).toEqual(['Late', 'Kept', 'Waiting'])
    }),
)

test('cursors that were lost and not expired are given anew', () =>
  rolledBack(database.sql, async sql => {
    await expire(sql)
    await sql`insert into leads (name) values ('Newest')`
    await sequenceSettled(sql)
    await sql`truncate event_cursors`
    await sql`select from repair_feed()`
    await sequenceAll(sql)
    expect((await namesOf(sql)).slice(-2)).toEqual(['Kept', 'Newest'])
  }))

test('while the floor is lost nothing expires: a repair would take it for what waits', () =>
  rolledBack(database.sql, async sql => {
    await sql`insert into leads (name) values ('Kept')`
    await sequenceSettled(sql)
    await prune(sql, 2)
    await sql`delete from feed_floor`
    await prune(sql, 40)
    expect((await namesOf(sql)).slice(-1)).toEqual(['Kept'])
    await sql`select from repair_feed()`
    await sequenceSettled(sql)
    await prune(sql, 40)
    expect(await namesOf(sql)).toEqual([])
  }))

test('where the row of feed was lost, what has expired and what a reader has are known again', () =>
  rolledBack(database.sql, async sql => {
    const state = async () => {
      const [row] = await sql`
        select feed_state.head::float8, feed.horizon::float8, (select max(cursor)::float8 from event_cursors) as newest from feed_state, feed`
      return row as { head: number; horizon: number; newest: number | null }
    }
    await expire(sql)
    const before = await state()
    expect(before.horizon).toBeGreaterThan(0)
    await sql`delete from feed`
    await sql`select from repair_feed()`
    const after = await state()
    expect(after.horizon).toBeGreaterThanOrEqual(before.horizon)
    expect(after.horizon).toBeLessThan(before.newest ?? 0)
    expect(after.head).toBeGreaterThan(before.head)
  }))
