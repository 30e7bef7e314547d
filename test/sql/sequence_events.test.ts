// One look of the sequencer: what gets a cursor, what it answers with, what it writes, and which database it is.
import { describe, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import type { Look } from '../../src/feed/log_floor.ts'
import { oneConnection, rolledBack, useDatabase } from '../support/database/database.ts'

const test_ = useDatabase()

type Asked = Partial<{
  row_limit: number
  known_identity: string | null
  log_floor: number
  late: object[]
  sleeping: boolean
  wanted_types: string[]
}>

/** Looks from the stored floor, unless told otherwise. */
async function sequence(asked: Asked = {}, sql: Sql = test_.sql) {
  const rows = await openDatabase(sql, queries).rows('sequenceEvents', {
    row_limit: 500,
    known_identity: null,
    log_floor: 0,
    late: [],
    sleeping: false,
    wanted_types: ['signal.opened'],
    ...asked,
  })
  const state = rows.find(row => row.state !== null)?.state ?? '{}'
  const events = rows
    .filter(row => row.state === null)
    .sort((one, other) => Number(one.cursor) - Number(other.cursor))
  return { look: JSON.parse(state) as Look, events }
}

const emit = (count: number, type = 'signal.opened', data = '{"ä": "\\u00df", "n": 1.50}') =>
  test_.sql`
    insert into events (event_type, schema_version, object_type, object_id, links, data)
    select ${type}, '1', 'signal', n::text, event_links(null, null), ${data}::jsonb
    from generate_series(1, ${String(count)}::integer) as n
    returning id`

const feed = async () => [
  ...(await test_.sql`
    select cursor::float8 as cursor, object_id from feed_events order by cursor`),
]

/** Where the next look of a process goes on that has seen everything. */
const goOn = ({ identity, newest }: Look): Asked => ({
  known_identity: identity,
  log_floor: newest,
})

test('events get the next cursors in the order of their ids, and come with the body that readers get', async () => {
  const before = (await sequence()).look
  await emit(3)
  const { look, events } = await sequence(goOn(before))
  expect(look).toMatchObject({ sequenced: 3, head_before: before.head, head: before.head + 3 })
  expect(events.map(({ cursor }) => cursor)).toEqual([1, 2, 3].map(n => before.head + n))
  const [page] = await openDatabase(test_.sql, queries).rows('getEventPage', {
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

test('bodies come for the types that are asked for alone, cursors for all, and no event gets a second one', async () => {
  const before = (await sequence()).look
  await emit(1)
  await emit(2, 'lead.created')
  const { look, events } = await sequence(goOn(before))
  expect(look.sequenced).toBe(3)
  expect(events.map(({ event_type }) => event_type)).toEqual(['signal.opened'])
  expect((await feed()).slice(-3)).toMatchObject([1, 2, 3].map(n => ({ cursor: before.head + n })))
  const second = test_.sql`
    insert into event_cursors (cursor, log_id, event_type)
    select ${String(look.head + 1)}::bigint, max(log_id), 'signal.opened' from events`
  await expect(Promise.resolve(second)).rejects.toMatchObject({ code: '23505' })
})

test('no more than its limit, the oldest first, and the next look goes on', async () => {
  const before = (await sequence()).look
  await emit(5)
  const first = await sequence({ ...goOn(before), row_limit: 3 })
  expect(first.look).toMatchObject({
    sequenced: 3,
    head: before.head + 3,
    scanned_to: before.newest + 3,
  })
  const second = await sequence({ ...goOn(before), row_limit: 3 })
  expect(second.look).toMatchObject({
    sequenced: 2,
    head_before: before.head + 3,
    scanned_to: null,
  })
  const ids = (await feed()).slice(-5).map(({ object_id }) => object_id)
  expect(ids).toEqual(['1', '2', '3', '4', '5'])
})

test('beyond 4 MB of bodies they are left to be read', async () => {
  const before = (await sequence()).look
  // Which does not compress.
  await test_.sql`
    insert into events (event_type, schema_version, object_type, object_id, links, data)
    select 'signal.opened', '1', 'signal', n::text, '{}', jsonb_build_object('noise', (
      select string_agg(md5(n::text || m), '') from generate_series(1, 30000) as m))
    from generate_series(1, 6) as n`
  const { look, events } = await sequence(goOn(before))
  expect(look.sequenced).toBe(6)
  const missing = events.findIndex(({ body }) => body === null)
  expect(missing).toBeWithin(1, 6)
  expect(events.slice(missing).every(({ body }) => body === null)).toBe(true)
})

test('what gives out a cursor or moves the head waits for the disk, an empty look does not', async () => {
  const sql = oneConnection(test_.url)
  await sql`set synchronous_commit = off`
  const within = async (work: (inside: Sql) => Promise<unknown>) => {
    const shown: string[] = []
    await rolledBack(sql, async inside => {
      await work(inside)
      shown.push((await inside`show synchronous_commit`)[0]?.synchronous_commit)
    })
    return shown[0]
  }
  const { look } = await sequence({}, sql)
  expect(await within(inside => sequence(goOn(look), inside))).toBe('off')
  await emit(1)
  expect(await within(inside => sequence(goOn(look), inside))).toBe('local')
  const advance = (inside: Sql) => openDatabase(inside, queries).rows('updateFeedHead', {})
  expect(await within(advance)).toBe('local')
  await sql.end()
})

test('the head is never below the horizon or its floor', async () => {
  const { look } = await sequence()
  await emit(1)
  for (const column of ['horizon', 'head_floor'])
    await rolledBack(test_.sql, async inside => {
      await inside`delete from event_cursors`
      await inside.unsafe(`update feed set ${column} = ${look.head + 7}`)
      expect((await sequence(goOn(look), inside)).look.head).toBe(look.head + 8)
    })
})

test('an event that was erased before its turn gets no cursor, one erased later keeps its own', async () => {
  const { look } = await sequence()
  await emit(3)
  await test_.sql`delete from events where log_id > ${String(look.newest)}::bigint and object_id = '2'`
  expect((await sequence(goOn(look))).look.head).toBe(look.head + 2)
  await test_.sql`delete from events where log_id > ${String(look.newest)}::bigint`
  await emit(1)
  expect((await sequence(goOn(look))).look.head).toBe(look.head + 3)
  const [last] =
    await test_.sql`select count(*)::integer as count from event_cursors where cursor > ${String(look.head)}::bigint`
  expect(last?.count).toBe(3)
})

describe('a feed that another database wrote', () => {
  test('a fresh one is taken as it is, and by its own process again', async () => {
    await test_.sql`update feed set identity = null`
    const { look } = await sequence()
    expect(look.advanced).toBe(false)
    expect((await sequence()).look).toMatchObject({ advanced: false, head: look.head })
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
    expect(looks.filter(({ look }) => look.advanced)).toHaveLength(1)
    expect(looks.reduce((sum, { look }) => sum + look.sequenced, 0)).toBe(1)
    expect((await feed()).at(-1)?.cursor).toBe(far + 1)
  })

  test('two copies that have just advanced go on apart; one beyond the clock goes on until there is no room', () =>
    rolledBack(test_.sql, async inside => {
      const advanceFrom = async (head: number) => {
        await inside`update feed set head_floor = ${String(head)}`
        return Number((await inside`select advance_feed()::text as head`)[0]?.head)
      }
      await inside`delete from event_cursors`
      // Five minutes ago by the clock.
      const ago = (Date.now() - 300_000) * 1_000
      const first = await advanceFrom(ago)
      expect(await advanceFrom(ago)).toBeGreaterThan(first)
      expect(await advanceFrom(8e15)).toBe(8_000_001_000_000_000)
      await expect(advanceFrom(9e15)).rejects.toMatchObject({ code: '22003' })
    }))

  test('a process that knows another identity begins with what is stored', async () => {
    const { look } = await sequence()
    const late = [{ xid: 3, log_id: look.newest - 1 }]
    await test_.sql`
      update feed set log_floor = ${String(look.newest)}, late = ${JSON.stringify(late)}::text::jsonb`
    const { look: next } = await sequence({ known_identity: 'another', log_floor: 1e9 })
    expect(next).toMatchObject({ floor: look.newest, late })
    const { look: own } = await sequence({ known_identity: next.identity, log_floor: 1e9 })
    expect(own).toMatchObject({ floor: 1e9, sequenced: 0, late: [] })
  })
})
