// One look of the sequencer: what gets a cursor, what it answers with, what it writes, and which database it is.
import { describe, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import type { Look } from '../../src/feed/log_floor.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { rolledBack } from '../support/database/rolled_back.ts'
import { until } from '../support/until.ts'

const test_ = useDatabase()

type Asked = Partial<{
  row_limit: number
  sequenced_limit: number
  known_identity: string | null
  after_log_id: number
  after_cursor: number
  late: object[]
  settling: boolean
  wanted_types: string[]
}>

/** Looks from the beginning, unless told otherwise. */
async function sequence(asked: Asked = {}, sql: Sql = test_.sql) {
  const rows = await openDatabase(sql, queries).rows('sequenceEvents', {
    row_limit: 500,
    sequenced_limit: 20_000,
    known_identity: null,
    after_log_id: 0,
    after_cursor: 0,
    late: [],
    settling: false,
    wanted_types: ['signal.opened'],
    sequenced_by: 'us',
    ...asked,
  })
  const state = rows.find(row => row.state !== null)?.state ?? '{}'
  const events = rows
    .filter(row => row.state === null)
    .sort((one, other) => Number(one.cursor) - Number(other.cursor))
  return { look: JSON.parse(state) as Look, events }
}

const emit = (count: number, type = 'signal.opened', data = '{"ä": "\\u00df", "n": 1.50}') =>
  test_.sql`select append_event(${type}, 'signal', n::text, '{}', ${data}::jsonb) as id from generate_series(1, ${String(count)}::integer) as n`

const feed = async () => [
  ...(await test_.sql`
    select cursor::float8 as cursor, object_id from feed_events order by cursor`),
]

/** Where the next look of a process goes on that has seen everything. */
const goOn = ({ identity, newest_log_id, head }: Look): Asked => ({
  known_identity: identity,
  after_log_id: newest_log_id,
  after_cursor: head,
})

test('events get the next cursors in the order of their ids, and come with the body that readers get', async () => {
  const before = (await sequence()).look
  await emit(3)
  const { look, events } = await sequence(goOn(before))
  expect(look).toMatchObject({ sequenced: 3, head_before: before.head, head: before.head + 3 })
  expect(events.map(({ cursor }) => cursor)).toEqual([1, 2, 3].map(n => before.head + n))
  const [page] = await openDatabase(test_.sql, queries).list('getEventPage', {
    after: before.head,
    event_types: null,
    row_limit: 10,
    bytes_max: 100_000,
  })
  const data = JSON.parse(page?.data ?? '')
  for (const [place, { body, cursor }] of events.entries())
    expect({ ...JSON.parse(body ?? ''), cursor }).toEqual(data[place])
  // The exact text, but for the cursor.
  expect(page?.data).toContain(events[0]?.body?.slice(0, -1))
})

test('bodies come for the types that are asked for alone, cursors for all', async () => {
  const before = (await sequence()).look
  await emit(1)
  await emit(2, 'lead.created')
  const { look, events } = await sequence(goOn(before))
  expect([look.sequenced, events.map(({ event_type }) => event_type)]).toEqual([
    3,
    ['signal.opened'],
  ])
  expect((await feed()).slice(-3)).toMatchObject([1, 2, 3].map(n => ({ cursor: before.head + n })))
})

test('no more than its limit, the oldest first, and the next look goes on', async () => {
  const before = (await sequence()).look
  await emit(5)
  const first = await sequence({ ...goOn(before), row_limit: 3 })
  expect(first.look).toMatchObject({ sequenced: 3, head: before.head + 3 })
  const second = await sequence({ ...goOn(before), row_limit: 3 })
  expect(second.look).toMatchObject({ sequenced: 2, head_before: before.head + 3 })
  expect((await feed()).slice(-5).map(({ object_id }) => object_id)).toEqual([
    '1',
    '2',
    '3',
    '4',
    '5',
  ])
})

test('it reads no more events that have a cursor than it may, and says how far it came', async () => {
  const before = (await sequence()).look
  await emit(5)
  expect((await sequence({ ...goOn(before), sequenced_limit: 3 })).look).toMatchObject({
    sequenced: 5,
    scanned_to: null,
  })
  // Ids that no event has cost nothing.
  await test_.sql`select nextval('events_log_id_seq') from generate_series(1, 100)`
  await emit(1)
  const first = (await sequence({ ...goOn(before), sequenced_limit: 3 })).look
  expect(first).toMatchObject({ sequenced: 0, scanned_to: before.newest_log_id + 3 })
  const next = { ...goOn(before), after_log_id: first.scanned_to ?? 0, sequenced_limit: 3 }
  expect((await sequence(next)).look).toMatchObject({ sequenced: 1, scanned_to: null })
})

test('beyond 4 MB of bodies they are left to be read', async () => {
  const before = (await sequence()).look
  // Which does not compress.
  await test_.sql`
    select append_event('signal.opened', 'signal', n::text, '{}', jsonb_build_object('noise', (
      select string_agg(md5(n::text || m), '') from generate_series(1, 40000) as m)))
    from generate_series(1, 6) as n`
  const { look, events } = await sequence(goOn(before))
  expect(look.sequenced).toBe(6)
  const missing = events.findIndex(({ body }) => body === null)
  expect(missing).toBeWithin(1, 6)
  expect(events.slice(missing).every(({ body }) => body === null)).toBe(true)
})

test('a look that finds nothing writes nothing, locks nothing and draws no transaction id', async () => {
  const { look } = await sequence()
  const [locker, looking] = [oneConnection(test_.url), oneConnection(test_.url)]
  try {
    await locker`begin`
    await locker`select from feed for update`
    await looking`begin`
    expect((await sequence(goOn(look), looking)).look).toMatchObject({ sequenced: 0, xid: null })
    const [drawn] = await looking`select pg_current_xact_id_if_assigned() as xid`
    expect(drawn?.xid).toBe(null)
    await looking`commit`
    // Settling takes an id, and still waits for no one.
    expect((await sequence({ ...goOn(look), settling: true })).look.xid).toBeNumber()
  } finally {
    await Promise.all([locker, looking].map(session => session.end({ timeout: 1 })))
  }
})

test('a batch waits for the disk, whatever the session is set to, and a look that finds nothing for nothing', async () => {
  const sql = oneConnection(test_.url)
  try {
    await sql`set synchronous_commit = off`
    const look = (await sequence({}, sql)).look
    const within = (asked: Asked) =>
      sql.begin(async transaction => {
        await sequence(asked, transaction as unknown as Sql)
        return (await transaction`show synchronous_commit`)[0]?.synchronous_commit
      })
    expect(await within(goOn(look))).toBe('off')
    await emit(1)
    expect(await within(goOn(look))).toBe('local')
  } finally {
    await sql.end()
  }
})

test('what moves the head of the feed waits for the disk too', async () => {
  const sql = oneConnection(test_.url)
  try {
    await sql`set synchronous_commit = off`
    const within = async (work: (transaction: Sql) => Promise<unknown>) => {
      const shown: string[] = []
      await rolledBack(sql, async transaction => {
        await work(transaction)
        shown.push((await transaction`show synchronous_commit`)[0]?.synchronous_commit)
      })
      return shown[0]
    }
    expect(await within(inside => openDatabase(inside, queries).rows('updateFeedHead', {}))).toBe(
      'local',
    )
    const prune = (days: number) => (inside: Sql) =>
      inside`select from prune_events(interval '30 days', now() + ${`${days} days`}::text::interval, interval '1 year')`
    expect(await within(prune(0))).toBe('off')
    expect(await within(prune(2))).toBe('local')
  } finally {
    await sql.end()
  }
})

test('a batch updates no row', async () => {
  const { look } = await sequence()
  const versions = async () => [
    ...(await test_.sql`select feed.xmin::text as feed, feed_floor.xmin::text as floor from feed, feed_floor`),
  ]
  const before = await versions()
  await emit(2)
  expect((await sequence(goOn(look))).look.sequenced).toBe(2)
  expect(await versions()).toEqual(before)
})

test('others are notified once a batch while they ask for it, with the name of the process that sequenced', async () => {
  const heard: string[] = []
  const listener = oneConnection(test_.url)
  try {
    await listener.listen('event_sequenced', payload => heard.push(payload))
    await emit(1)
    await sequence()
    await openDatabase(test_.sql, queries).rows('updateFeedWatch', {})
    await emit(2)
    await sequence()
    await until(() => heard.length > 0)
    await sequence()
    await test_.sql`select pg_notify('event_sequenced', 'end')`
    await until(() => heard.includes('end'))
    expect(heard).toEqual(['us', 'end'])
  } finally {
    await listener.end({ timeout: 1 })
  }
})

test('what another process sequenced while this one waited for the lock is not sequenced again', async () => {
  const { look } = await sequence()
  await emit(4)
  const locker = oneConnection(test_.url)
  try {
    await locker`begin`
    await locker`select from feed for update`
    const waiting = sequence(goOn(look))
    await until(async () => {
      const rows = await test_.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%sequence_events%'`
      return rows.length > 0
    })
    await locker`
      insert into event_cursors (cursor, log_id, event_type)
      select ${String(look.head)}::bigint + row_number() over (order by log_id), log_id, event_type
      from (select log_id, event_type from events order by log_id desc limit 4) as newest order by log_id limit 3`
    await locker`commit`
    // Its own transaction id is older than the second look.
    expect((await waiting).look).toMatchObject({
      sequenced: 1,
      head_before: look.head + 3,
      head: look.head + 4,
      xid: null,
    })
  } finally {
    await locker.end({ timeout: 1 })
  }
})

test('a partition that was closed meanwhile is not filled further', async () => {
  const { look } = await sequence()
  await test_.sql`update feed set head_floor = ${String(look.head + 1_000)}::bigint`
  await emit(1)
  expect((await sequence(goOn(look))).look.head).toBe(look.head + 1_001)
})

test('an event that was erased before its turn gets no cursor, one erased later keeps its own', async () => {
  const { look } = await sequence()
  await emit(3)
  await test_.sql`delete from events where log_id > ${String(look.newest_log_id)}::bigint and object_id = '2'`
  const next = await sequence(goOn(look))
  expect(next.look.head).toBe(look.head + 2)
  await test_.sql`delete from events where log_id > ${String(look.newest_log_id)}::bigint`
  await emit(1)
  expect((await sequence(goOn(look))).look.head).toBe(look.head + 3)
  const [last] =
    await test_.sql`select count(*)::integer as count from event_cursors where cursor > ${String(look.head)}::bigint`
  expect(last?.count).toBe(3)
})

describe('a feed that another database wrote', () => {
  const headOf = async () => (await sequence()).look.head

  test('a fresh one is taken as it is, and by its own process again', async () => {
    await test_.sql`update feed set identity = null`
    const head = await headOf()
    expect(await headOf()).toBe(head)
    const [feed] = await test_.sql`select identity = database_identity() as own from feed`
    expect(feed?.own).toBe(true)
  })

  test('it advances before the next cursor is given out, once for all processes', async () => {
    const before = (await sequence()).look
    const startedAt = Date.now()
    await test_.sql`update feed set identity = 'another'`
    await emit(1)
    const looks = await Promise.all([sequence(), sequence(), sequence()])
    const far = Math.max(...looks.map(({ look }) => look.head)) - 1
    expect(far).toBeWithin(startedAt * 1_000, (Date.now() + 1_000) * 1_000)
    expect(far).toBeGreaterThan(before.head)
    expect(looks.reduce((sum, { look }) => sum + look.sequenced, 0)).toBe(1)
    expect((await feed()).at(-1)?.cursor).toBe(far + 1)
  })

  test('two copies of a database that has just advanced go on apart from each other', () =>
    rolledBack(test_.sql, async inside => {
      await inside`delete from event_cursors`
      const advanceFrom = async (head: string) => {
        await inside`update feed set head_floor = ${head}`
        return Number((await inside`select advance_feed()::text as head`)[0]?.head)
      }
      // Five minutes ago by the clock.
      const head = String((Date.now() - 300_000) * 1_000)
      const first = await advanceFrom(head)
      const second = await advanceFrom(head)
      expect(second).toBeGreaterThan(first)
    }))

  test('one that is beyond the clock goes on from there', () =>
    rolledBack(test_.sql, async inside => {
      const far = '8000000000000000'
      await inside`update feed set head_floor = ${far}`
      const [row] = await inside`select advance_feed()::text as head`
      expect(row?.head).toBe('8000001000000000')
    }))

  test('a late transaction of the cluster that a dump is of has ended', async () => {
    const { look } = await sequence()
    await emit(2)
    const { look: next } = await sequence(goOn(look))
    // Ids of transactions begin anew in a new cluster.
    const late = [{ xid: next.xmax + 1_000_000, log_id: look.newest_log_id, cursor: look.head }]
    const looked = (await sequence({ ...goOn(next), late })).look
    expect([looked.after_log_id, looked.after_cursor]).toEqual([look.newest_log_id, look.head])
  })

  test('a process that knows another identity begins with what is stored', async () => {
    const { look } = await sequence()
    // That of a transaction that is not running any more.
    const late = [{ xid: 3, log_id: look.newest_log_id - 1, cursor: look.head - 1 }]
    await test_.sql`
      update feed_floor
      set log_id = ${String(look.newest_log_id)}, cursor = ${String(look.head)}, late = ${JSON.stringify(late)}::text::jsonb`
    const elsewhere = { after_log_id: 1e9, after_cursor: 1e9 }
    const { look: next } = await sequence({ known_identity: 'another', ...elsewhere })
    expect(next).toMatchObject({
      after_log_id: late[0]?.log_id,
      after_cursor: late[0]?.cursor,
      late,
    })
    const { look: own } = await sequence({ known_identity: next.identity, ...elsewhere })
    expect(own).toMatchObject({ ...elsewhere, sequenced: 0, late: [] })
  })
})
