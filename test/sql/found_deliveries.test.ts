// Deliveries by a filter: what matches, how many in each state, how far one look goes, and all of them sent again.
import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import {
  type DeliveryState,
  getDelivery,
  getRedelivery,
  redeliver,
} from '../../src/operations/deliveries.ts'
import {
  type DeliveryFilter,
  findCursors,
  findDeliveries,
  redeliverFound,
} from '../../src/operations/found_deliveries.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)
const hourAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)

let id = ''
let no = 0

/** Ten events, one an hour and the last one now; the even ones are new leads. The subscription gets both types. */
beforeEach(async () => {
  const { sql } = test_
  await sql`truncate leads, events, event_cursors, hook_subscriptions, hook_positions, hook_retries, hook_failures, hook_skips, hook_attempts, hook_redeliveries cascade`
  id = (await factory.hook(sql, { event_types: ['lead.created', 'signal.opened'] })).id
  no = (await factory.position(sql, id, { cursor: 10 })).no
  for (let cursor = 1; cursor <= 10; cursor += 1) {
    const event_type = cursor % 2 === 0 ? 'lead.created' : 'signal.opened'
    await factory.event(sql, { cursor, event_type, sequenced_at: hourAgo(10 - cursor) })
  }
})

const attempt = (cursor: number, columns: factory.Columns = {}) =>
  factory.attempt(test_.sql, { no, cursor, started_at: hourAgo(10 - cursor), ...columns })
const delivered = (cursor: number, columns: factory.Columns = {}) => attempt(cursor, columns)
const failed = async (cursor: number, columns: factory.Columns = {}) => {
  await attempt(cursor, { outcome: 'f', ...columns })
  await factory.failure(test_.sql, { no, cursor })
}
const waiting = async (cursor: number, columns: factory.Columns = {}) => {
  await attempt(cursor, { outcome: 'r', ...columns })
  await factory.retry(test_.sql, { no, cursor, due_at: hourAgo(-1) })
}

const none: DeliveryFilter = { types: null, reason: null, since: null, until: null, searched: '' }

const find = (filter: Partial<DeliveryFilter>, state: DeliveryState | null = null, more = {}) =>
  findDeliveries(
    database(),
    id,
    { ...none, ...filter },
    { state, before: null, limit: 25, ...more },
  )
const cursors = async (...args: Parameters<typeof find>) =>
  (await find(...args)).rows.map(({ cursor }) => cursor)
const countsOf = async (...args: Parameters<typeof find>) =>
  Object.fromEntries(
    [...(await find(...args)).counts].map(([state, one]) => [state, one.deliveries]),
  )
const again = (filter: Partial<DeliveryFilter>, state: DeliveryState | null = null) =>
  redeliverFound(database(), id, { ...none, ...filter }, state)
const retries = async () =>
  (await test_.sql`select cursor from hook_retries where no = ${no} order by cursor`).map(row =>
    Number(row.cursor),
  )

/** One of each: 1 and 2 skipped, 3 and 4 failed, 5 waits, the rest delivered. */
async function mixed() {
  await factory.skip(test_.sql, { no, to_cursor: 2, events: 2 })
  await failed(3, { status: 404 })
  await failed(4, { status: 503 })
  await waiting(5, { status: null, error_class: 'timeout' })
  for (const cursor of [6, 7, 8, 9, 10]) await delivered(cursor)
}

test('every state together, newest first, each delivery with its state and counted', async () => {
  await mixed()
  const { rows, next } = await find({})
  expect(rows.map(({ cursor, state }) => [cursor, state])).toEqual([
    ...[10, 9, 8, 7, 6].map(cursor => [cursor, 'delivered']),
    [5, 'pending'],
    ...[4, 3].map(cursor => [cursor, 'failed']),
    ...[2, 1].map(cursor => [cursor, 'skipped']),
  ])
  expect(next).toBeNull()
  expect(await countsOf({})).toEqual({ failed: 2, pending: 1, skipped: 2, delivered: 5 })
})

test('page by page no delivery is left out and none comes twice', async () => {
  await mixed()
  for (const limit of [1, 2, 3, 4, 9, 10]) {
    const seen: number[] = []
    for (let before: number | null | undefined; before !== null; ) {
      const page = await find({}, null, { limit, before: before ?? null })
      seen.push(...page.rows.map(({ cursor }) => cursor))
      before = page.next
    }
    expect([limit, seen]).toEqual([limit, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]])
  }
})

test('a filter holds for every state: type, reason, time, and all of them together', async () => {
  await mixed()
  expect(await cursors({ types: ['lead.created'] })).toEqual([10, 8, 6, 4, 2])
  expect(await cursors({ reason: '404' })).toEqual([3])
  expect(await cursors({ reason: '5__' })).toEqual([4])
  expect(await cursors({ reason: 'timeout' })).toEqual([5])
  expect(await cursors({ reason: '2__' })).toEqual([10, 9, 8, 7, 6])
  expect(await cursors({ since: hourAgo(3.5) })).toEqual([10, 9, 8, 7])
  expect(await cursors({ until: hourAgo(6.5) })).toEqual([3, 2, 1])
  expect(await cursors({ since: hourAgo(7.5), until: hourAgo(5.5) })).toEqual([4, 3])
  expect(await cursors({ since: hourAgo(-1) })).toEqual([])
  expect(await cursors({ until: hourAgo(99) })).toEqual([])
  expect(await cursors({ types: ['signal.opened'], reason: '4__', since: hourAgo(8) })).toEqual([3])
  expect(await countsOf({ types: ['lead.created'] })).toEqual({
    failed: 1,
    pending: 0,
    skipped: 1,
    delivered: 3,
  })
  expect(await cursors({ types: ['lead.created'] }, 'failed')).toEqual([4])
})

test('the last attempt gives the reason, and what is sent again is not delivered meanwhile', async () => {
  await attempt(4, { outcome: 'r', status: 500, started_at: hourAgo(6.1) })
  await failed(4, { status: 404 })
  expect([await cursors({ reason: '500' }), await cursors({ reason: '404' })]).toEqual([[], [4]])
  await delivered(6)
  await redeliver(database(), id, 6)
  expect(await countsOf({})).toMatchObject({ delivered: 0, pending: 1 })
})

test('what was missed and then sent is not missed any more', async () => {
  await factory.skip(test_.sql, { no, to_cursor: 2, events: 2 })
  expect(await again({ types: ['lead.created'] }, 'skipped')).toBe(1)
  expect(await countsOf({})).toMatchObject({ skipped: 1, pending: 1 })
  await test_.sql`delete from hook_retries`
  await delivered(2)
  expect(await countsOf({})).toMatchObject({ skipped: 1, delivered: 1 })
})

test('what arrived before its range was made is delivered, and sent again once', async () => {
  for (const cursor of [1, 2]) await delivered(cursor)
  // A failure that was dismissed: it is sent with what was missed.
  await attempt(3, { outcome: 'f' })
  await factory.skip(test_.sql, { no, to_cursor: 4, events: 4 })
  expect(await countsOf({})).toEqual({ failed: 0, pending: 0, skipped: 2, delivered: 2 })
  expect(await cursors({}, 'skipped')).toEqual([4, 3])
  expect(await cursors({})).toEqual([4, 3, 2, 1])
  expect(await again({})).toBe(4)
  expect(await retries()).toEqual([1, 2, 3, 4])
})

test('one look goes so far and says so; the next page goes on from there', async () => {
  const fill = (first: number, last: number) =>
    test_.sql`insert into hook_attempts (no, cursor, started_at, fence, duration_ms, attempt, status, outcome)
      select ${no}, n, now(), 1, 1, 1, 200, 'd' from generate_series(${first}::integer, ${last}::integer) as n`
  await fill(1_001, 2_800)
  await failed(3)
  await delivered(4, { status: 202 })
  const first = await find({ reason: '202' })
  expect(first.rows).toEqual([])
  expect(first.counts.get('delivered')).toEqual({ deliveries: 0, isCut: true })
  const second = await find({ reason: '202' }, null, { before: first.next })
  expect(second.rows.map(({ cursor }) => cursor)).toEqual([4])
  expect(second.next).toBeNull()
  // What failed is found at once, however much was delivered since.
  expect(await cursors({ reason: '500' }, 'failed')).toEqual([3])
})

test('a search finds events by object, lead, person and id', async () => {
  const { id: lead } = await factory.lead(test_.sql, {
    email: 'anna.weber@example.org',
    phone: null,
  })
  const object = randomUUID()
  const links = { lead_id: lead, session_id: null }
  await factory.event(test_.sql, { cursor: 11, object_id: lead, links })
  await factory.event(test_.sql, { cursor: 12, object_id: object, object_type: 'signal', links })
  await factory.event(test_.sql, { cursor: 13, data: { email: 'Bert.Klein@EXAMPLE.org' } })
  const { id: event } = await factory.event(test_.sql, { cursor: 14, object_id: 'anna' })
  await factory.event(test_.sql, {
    cursor: 15,
    data: { kontakt_key: 'email:anna.weber@example.org' },
  })
  const found = (searched: string) => findCursors(database(), searched)
  expect(await found('anna.weber@example.org')).toEqual([15, 12, 11])
  expect(await found('email:anna.weber@example.org')).toEqual([15, 12, 11])
  expect(await found(lead.toUpperCase())).toEqual([15, 12, 11])
  // Of no lead that is there: by the payload.
  expect(await found('bert.klein@example.org')).toEqual([13])
  expect(await found(object)).toEqual([12])
  expect(await found(event)).toEqual([14])
  expect(await found('ANNA')).toEqual([14])
  for (const odd of ['nirgends', "' or 1=1", '%', '?', 'a'.repeat(320), randomUUID()])
    expect([odd, await found(odd)]).toEqual([odd, []])
  await delivered(12)
  await delivered(14)
  await delivered(10)
  expect(await cursors({ searched: 'anna.weber@example.org' })).toEqual([12])
  expect(await cursors({ searched: event })).toEqual([14])
  expect(await cursors({ searched: '14' })).toEqual([14])
  expect(await cursors({ searched: '11' })).toEqual([])
  expect(await cursors({ searched: 'nirgends' })).toEqual([])
  expect(await cursors({ searched: event, types: ['signal.opened'] })).toEqual([])
})

test('what a filter shows is sent again, all of it and nothing else, with how far it is', async () => {
  await mixed()
  expect(await again({ reason: '9__' })).toBe(0)
  expect(await getRedelivery(database(), id)).toBeNull()
  expect(await again({ since: hourAgo(7.5) }, 'failed')).toBe(2)
  expect(await retries()).toEqual([3, 4, 5])
  expect(await getRedelivery(database(), id)).toMatchObject({
    deliveries: 2,
    waiting: 2,
    failed: 0,
  })
  await test_.sql`delete from hook_retries where cursor in (3, 4)`
  await factory.failure(test_.sql, { no, cursor: 3 })
  expect(await getRedelivery(database(), id)).toMatchObject({
    deliveries: 2,
    waiting: 0,
    failed: 1,
  })
  // One alone is the last one, too.
  expect(await redeliver(database(), id, 6)).toBe(true)
  expect(await getRedelivery(database(), id)).toMatchObject({
    deliveries: 1,
    waiting: 1,
    failed: 0,
  })
  expect(await again({ types: ['lead.created'] }, 'delivered')).toBe(2)
  expect(await getRedelivery(database(), id)).toMatchObject({
    deliveries: 2,
    waiting: 2,
    failed: 0,
  })
  expect((await getDelivery(database(), id, 8))?.state).toBe('pending')
  await test_.sql`update hook_subscriptions set active = false, paused_at = now() where id = ${id}`
  expect(await again({ since: hourAgo(99) }, 'failed')).toBe(0)
})

test('how far it is costs little also where a moment ago nothing waited', async () => {
  // By the statistics there is none.
  await test_.sql`analyze hook_retries`
  await test_.sql`insert into hook_retries (no, cursor) select ${no}, n from generate_series(1, 10000) as n`
  await test_.sql`insert into hook_redeliveries (no, cursors)
    select ${no}, array_agg(n::bigint) from generate_series(1, 10000) as n`
  const runs: number[] = []
  for (let run = 0; run < 3; run += 1) {
    const startedAt = performance.now()
    expect((await getRedelivery(database(), id))?.waiting).toBe(10_000)
    runs.push(performance.now() - startedAt)
  }
  // A look for each takes 20 ms; a look at all for each takes four seconds.
  expect(Math.min(...runs)).toBeLessThan(500)
})

test('what was sent again counts as delivered once it has arrived, not where it is dismissed or has expired', async () => {
  await mixed()
  await again({ since: hourAgo(99) }, 'failed')
  const sent = (await getRedelivery(database(), id))?.deliveries
  await test_.sql`delete from hook_retries where no = ${no}`
  // Sent before that.
  await factory.attempt(test_.sql, { no, cursor: 3, started_at: hourAgo(2) })
  const progress = { deliveries: sent, waiting: 0, failed: 0 }
  expect(await getRedelivery(database(), id)).toMatchObject({ ...progress, delivered: 0 })
  await factory.attempt(test_.sql, { no, cursor: 3, started_at: new Date() })
  expect(await getRedelivery(database(), id)).toMatchObject({ ...progress, delivered: 1 })
})

test('how far it was is forgotten after a day', async () => {
  await mixed()
  await again({ since: hourAgo(99) }, 'failed')
  const prune = (at: Date) =>
    test_.sql`select prune_attempts(interval '30 days', ${at.toISOString()})`
  await prune(hourAgo(-23))
  expect(await getRedelivery(database(), id)).not.toBeNull()
  await prune(hourAgo(-25))
  expect(await getRedelivery(database(), id)).toBeNull()
})

test('the cursor at a moment, with gaps, at the ends, and in an empty feed', async () => {
  const at = async (moment: Date) => {
    const [row] = await test_.sql`select cursor_at(${moment.toISOString()}) as cursor`
    return Number(row?.cursor)
  }
  await test_.sql`delete from event_cursors where cursor in (4, 5, 6)`
  const found = await Promise.all([99, 8.5, 5.5, 2.5, -1].map(hours => at(hourAgo(hours))))
  expect(found).toEqual([0, 1, 3, 7, 10])
  await test_.sql`truncate event_cursors`
  expect(await at(hourAgo(0))).toBe(0)
})

test('an id of an event is looked for among the newest alone: no index has it', async () => {
  const [row] =
    await test_.sql`select id from events join event_cursors using (log_id) where cursor = 7`
  const found = async (log_max: number) => {
    const rows =
      await test_.sql`select unnest(find_events(${row?.id}, ${String(log_max)})) as cursor`
    return rows.map(({ cursor }) => Number(cursor))
  }
  expect([await found(3), await found(4)]).toEqual([[], [7]])
})
