// What the owner sees of deliveries, and what sending again, delivering what was missed and dismissing change.
import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import {
  type DeliveryState,
  deliverMissed,
  deliveryStates,
  dismissMissed,
  dismissUpTo,
  getDelivery,
  getRedelivery,
  listAttempts,
  listDeliveries,
  redeliver,
  redeliverAll,
  sendTestEvent,
} from '../../src/operations/deliveries.ts'
import { reactivateHook } from '../../src/operations/hooks.ts'
import {
  getHookReport,
  getOverview,
  type HookReport,
  listHookNames,
  listHookReports,
} from '../../src/operations/overview.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { attemptRecord, recordAttempts } from '../support/delivery/recording.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)

let id = ''
let no = 0

/** A subscription to new leads at cursor 0; of ten events the even ones are new leads. */
beforeEach(async () => {
  const { sql } = test_
  await sql`truncate events, event_cursors, hook_subscriptions, hook_positions, hook_retries, hook_failures, hook_skips, hook_attempts, hook_test_events, hook_redeliveries`
  id = (await factory.hook(sql)).id
  no = (await factory.position(sql, id)).no
  for (let cursor = 1; cursor <= 10; cursor += 1) {
    const event_type = cursor % 2 === 0 ? 'lead.created' : 'signal.opened'
    await factory.event(sql, { cursor, event_type })
  }
})

const at = (cursor: number) => factory.position(test_.sql, id, { cursor })
const delivered = (cursor: number, columns = {}) =>
  factory.attempt(test_.sql, { no, cursor, ...columns })
const failed = async (cursor: number) => {
  await factory.attempt(test_.sql, { no, cursor, outcome: 'f' })
  await factory.failure(test_.sql, { no, cursor })
}
const waiting = async (cursor: number, columns: factory.Columns = {}) => {
  await factory.attempt(test_.sql, { no, cursor, outcome: 'r' })
  await factory.retry(test_.sql, { no, cursor, due_at: ago(-60), ...columns })
}
const skipped = (from_cursor: number, to_cursor: number, columns: factory.Columns = {}) =>
  factory.skip(test_.sql, { no, from_cursor, to_cursor, ...columns })

const page = (state: DeliveryState, before: number | null = null, limit = 10) =>
  listDeliveries(database(), { subscription_id: id, state, before, limit })
const cursors = async (...args: Parameters<typeof page>) =>
  (await page(...args)).map(({ cursor }) => cursor)
const stateOf = async (cursor: number) => (await getDelivery(database(), id, cursor))?.state
const again = (cursor: number) => redeliver(database(), id, cursor)
const report = async () => (await getHookReport(database(), id)) as HookReport

const retries = async () => {
  const rows = await test_.sql`select cursor, attempts, due_at <= now() as due, taken_by
    from hook_retries where no = ${no} order by cursor`
  return rows.map(({ cursor, attempts, due, taken_by }) => [
    Number(cursor),
    attempts,
    due,
    taken_by,
  ])
}

test('each state lists its own, the newest event first, page by page', async () => {
  await at(10)
  await delivered(2)
  await failed(4)
  await waiting(6)
  await skipped(7, 10)
  await delivered(8, { no: no + 1 })
  const lists = Object.fromEntries(
    await Promise.all(deliveryStates.map(async state => [state, await cursors(state)])),
  )
  expect(lists).toEqual({ delivered: [2], failed: [4], pending: [6], skipped: [10, 8] })
  expect(await cursors('skipped', null, 1)).toEqual([10])
  expect(await cursors('skipped', 10, 1)).toEqual([8])
  expect(await cursors('skipped', 8)).toEqual([])
  for (const cursor of [4, 6, 8, 10]) await delivered(cursor)
  await test_.sql`delete from hook_failures`
  await test_.sql`delete from hook_retries`
  expect(await cursors('delivered', null, 2)).toEqual([10, 8])
  expect(await cursors('delivered', 8, 2)).toEqual([6, 4])
  expect(await cursors('delivered', 4)).toEqual([2])
})

test('a delivery is listed once, however often it was sent, with its last attempt', async () => {
  await at(10)
  await factory.attempt(test_.sql, { no, cursor: 2, outcome: 'r', status: 503 })
  await delivered(2, { attempt: 2, status: 202 })
  await delivered(2, { attempt: 1, status: 204 })
  const [row, ...others] = await page('delivered')
  expect(others).toEqual([])
  expect(row).toMatchObject({ cursor: 2, attempts: 3, status: 204, error_class: null })
  expect(row?.event_type).toBe('lead.created')
  expect(row?.event_id).toMatch(/^[\da-f-]{36}$/)
  await waiting(2, { attempts: 1 })
  expect([await cursors('delivered'), await cursors('pending')]).toEqual([[], [2]])
  const [pending] = await page('pending')
  expect(pending).toMatchObject({ attempts: 4, status: 500, error_class: 'status', ended_at: null })
  expect(Date.parse(pending?.due_at ?? '')).toBeGreaterThan(Date.now())
})

test('what is skipped is of the types listed, and in no range that is being caught up with', async () => {
  await at(10)
  await skipped(0, 4)
  await skipped(6, 10, { catching_up: true })
  expect(await cursors('skipped')).toEqual([4, 2])
  await test_.sql`update hook_subscriptions set event_types = array['lead.created', 'signal.opened'] where id = ${id}`
  expect(await cursors('skipped')).toEqual([4, 3, 2, 1])
  expect(await cursors('skipped', 3)).toEqual([2, 1])
})

test('what arrived or failed before its range was made, or since, is not skipped; what was dismissed is', async () => {
  await at(10)
  await skipped(0, 10)
  await delivered(2)
  await failed(4)
  await waiting(6)
  await factory.attempt(test_.sql, { no, cursor: 8, outcome: 'f' })
  expect(await cursors('skipped')).toEqual([10, 8])
  expect(await cursors('skipped', 8)).toEqual([])
})

test('a delivery that is named twice is sent again once', async () => {
  await at(10)
  await delivered(2)
  expect(await redeliverAll(database(), id, [2, 2])).toBe(1)
  expect(await retries()).toEqual([[2, 0, true, null]])
})

test('the state of one delivery, whatever stands of it', async () => {
  await at(6)
  await failed(2)
  expect(await stateOf(2)).toBe('failed')
  await factory.retry(test_.sql, { no, cursor: 2, attempts: 0 })
  expect(await stateOf(2)).toBe('pending')
  await delivered(4)
  await factory.attempt(test_.sql, { no, cursor: 4, outcome: 'f' })
  expect(await stateOf(4)).toBe('delivered')
  await factory.failure(test_.sql, { no, cursor: 4 })
  expect(await stateOf(4)).toBe('failed')
  await factory.attempt(test_.sql, { no, cursor: 6, outcome: 'f' })
  expect(await stateOf(6)).toBe('failed')
  // Above the position, of the type listed and of another one.
  expect([await stateOf(8), await stateOf(9)]).toEqual(['pending', undefined])
  await delivered(8)
  expect(await stateOf(8)).toBe('delivered')
  await at(10)
  expect(await stateOf(10)).toBeUndefined()
  await skipped(8, 10)
  expect([await stateOf(10), await stateOf(9)]).toEqual(['skipped', undefined])
  await test_.sql`update hook_skips set catching_up = true`
  expect(await stateOf(10)).toBe('pending')
  expect(await stateOf(999)).toBeUndefined()
  expect(await getDelivery(database(), randomUUID(), 8)).toBeNull()
})

test('a delivery shows the event as it is sent, until it is erased', async () => {
  await delivered(2)
  const found = await getDelivery(database(), id, 2)
  expect(Object.keys(found?.event as object)).toEqual([
    ...['id', 'event_type', 'schema_version', 'occurred_at'],
    ...['object_type', 'object_id', 'links', 'data'],
  ])
  expect(found).toMatchObject({ subscription_id: id, cursor: 2, due_at: null })
  expect(Date.parse(found?.ended_at ?? '')).toBeGreaterThan(Date.parse(found?.created_at ?? ''))
  await test_.sql`delete from events`
  expect(await getDelivery(database(), id, 2)).toMatchObject({ state: 'delivered', event: null })
  expect((await page('delivered'))[0]).toMatchObject({ event_type: 'lead.created', event_id: null })
})

test('of what has expired there is a delivery where it was tried, and else none', async () => {
  await at(10)
  await factory.attempt(test_.sql, { no, cursor: 4, outcome: 'r' })
  await test_.sql`delete from event_cursors`
  await factory.skip(test_.sql, { no, to_cursor: 10, reason: 'expired', events: 5 })
  expect(await stateOf(4)).toBe('skipped')
  // Nothing tells whether it was one of the subscription's.
  expect(await stateOf(6)).toBeUndefined()
})

test('what is being sent, or waits for its turn, has no time at which it is due', async () => {
  await waiting(2, { taken_by: 0 })
  expect(await getDelivery(database(), id, 2)).toMatchObject({ state: 'pending', due_at: null })
  expect((await page('pending'))[0]?.due_at).toBeNull()
  expect(await getDelivery(database(), id, 4)).toMatchObject({ state: 'pending', due_at: null })
  // Taken by the owner before: free again.
  await factory.position(test_.sql, id, { fence: 1 })
  expect((await getDelivery(database(), id, 2))?.due_at).toBeString()
})

test('attempts come in the order they were made', async () => {
  await factory.attempt(test_.sql, { no, cursor: 2, outcome: 'r', started_at: ago(50) })
  await delivered(2, { started_at: ago(90), excerpt: 'ok' })
  await delivered(4)
  await delivered(2, { no: no + 1 })
  const attempts = await listAttempts(database(), id, 2)
  expect(attempts.map(({ status, excerpt }) => [status, excerpt])).toEqual([
    [200, 'ok'],
    [500, null],
  ])
})

test('what failed, was delivered or waits is sent again at once, anew', async () => {
  await at(10)
  await failed(2)
  await delivered(4)
  await waiting(6, { attempts: 3 })
  await skipped(7, 8)
  for (const cursor of [2, 4, 6, 8]) expect([cursor, await again(cursor)]).toEqual([cursor, true])
  expect(await retries()).toEqual([2, 4, 6, 8].map(cursor => [cursor, 0, true, null]))
  expect(await cursors('failed')).toEqual([])
  for (const cursor of [2, 4, 6, 8]) expect(await stateOf(cursor)).toBe('pending')
})

test('what waits for its turn stays where it is; what ended above the position is sent again', async () => {
  await at(2)
  expect(await again(4)).toBe(true)
  expect(await retries()).toEqual([])
  await failed(6)
  await delivered(8)
  expect([await again(6), await again(8)]).toEqual([true, true])
  expect((await retries()).map(([cursor]) => cursor)).toEqual([6, 8])
  await at(10)
  await skipped(8, 10, { catching_up: true })
  expect(await again(10)).toBe(true)
  expect(await retries()).toHaveLength(2)
  await failed(10)
  expect(await again(10)).toBe(true)
  expect(await retries()).toHaveLength(3)
})

test('what is being sent now is not sent again; what a process before took is', async () => {
  await waiting(2, { taken_by: 7 })
  await factory.position(test_.sql, id, { fence: 7 })
  expect(await again(2)).toBe(false)
  expect(await retries()).toEqual([[2, 1, false, 7]])
  await factory.position(test_.sql, id, { fence: 8 })
  expect(await again(2)).toBe(true)
  // Its fence stays: the report of an erasure says that it may be under way.
  expect(await retries()).toEqual([[2, 0, true, 7]])
})

test('nothing is sent again to a paused subscription, of a type it does not list, or of what is gone', async () => {
  await at(10)
  await failed(2)
  await failed(4)
  await factory.testEvent(test_.sql, { no: no + 1, cursor: -1 })
  await test_.sql`delete from events using event_cursors where event_cursors.log_id = events.log_id and cursor = 2`
  expect([await again(2), await again(3), await again(99), await again(-1)]).toEqual(
    Array(4).fill(false),
  )
  await test_.sql`update hook_subscriptions set active = false, paused_at = now() where id = ${id}`
  expect([await again(4), await redeliver(database(), randomUUID(), 4)]).toEqual([false, false])
  expect([await retries(), await cursors('failed')]).toEqual([[], [4, 2]])
})

test('a test event is due at once, is no event of the feed, and can be sent again', async () => {
  const cursor = (await sendTestEvent(database(), id)) as number
  expect(cursor).toBeLessThan(0)
  expect(await retries()).toEqual([[cursor, 0, true, null]])
  const found = await getDelivery(database(), id, cursor)
  expect(found).toMatchObject({ state: 'pending', event: { event_type: 'lead.created' } })
  expect((await page('pending'))[0]).toMatchObject({ cursor, event_type: 'lead.created' })
  await test_.sql`delete from hook_retries`
  await delivered(cursor)
  expect(await stateOf(cursor)).toBe('delivered')
  expect(await cursors('delivered')).toEqual([cursor])
  expect([await again(cursor), await again(cursor - 1)]).toEqual([true, false])
  expect(await sendTestEvent(database(), id, 'signal.opened')).toBeNull()
  await test_.sql`update hook_subscriptions set active = false, paused_at = now()`
  expect(await sendTestEvent(database(), id)).toBeNull()
})

test('a test event that fails is listed, and nothing counts it', async () => {
  await at(10)
  const cursor = (await sendTestEvent(database(), id)) as number
  expect((await report()).waiting).toBe(0)
  expect((await getOverview(database())).pending).toBe(0)
  const { no, fence } = await factory.position(test_.sql, id)
  const failing = { outcome: 'failed', status: 500, error_class: 'status' } as const
  await recordAttempts(test_.sql, [attemptRecord({ no, cursor, fence }, failing)])
  expect(await stateOf(cursor)).toBe('failed')
  expect(await report()).toMatchObject({ failures: 0, waiting: 0, consecutive_failures: 0 })
  expect(await cursors('failed')).toEqual([cursor])
  const [name] = await listHookNames(database())
  const { given_up } = await getOverview(database())
  expect([name?.has_missed, given_up]).toEqual([false, 0])
  expect(await deliverMissed(database(), id)).toBe(0)
  expect(await again(cursor)).toBe(true)
  await failed(cursor)
  expect(await dismissMissed(database(), id)).toBe(0)
  expect(await cursors('failed')).toEqual([])
})

test.each(['redelivery', 'test', 'delivering what was missed'])(
  'the owner of a subscription hears of a %s',
  async kind => {
    await at(10)
    await failed(2)
    const heard = Promise.withResolvers<void>()
    const { unlisten } = await test_.sql.listen('hooks_changed', () => heard.resolve())
    if (kind === 'test') await sendTestEvent(database(), id)
    else if (kind === 'redelivery') await again(2)
    else await deliverMissed(database(), id)
    await heard.promise
    await unlisten()
  },
)

test('failures short of ten stay in the report until they are sent again, however healthy the rest is', async () => {
  await at(10)
  await failed(2)
  await failed(4)
  await delivered(6)
  expect(await report()).toMatchObject({
    consecutive_failures: 0,
    failures: 2,
    waiting: 0,
    failure_cursor: 4,
    failure_status: 500,
    catch_up_cursor: 1,
  })
  expect(await deliverMissed(database(), id)).toBe(2)
  expect(await report()).toMatchObject({ failures: 0, waiting: 2 })
  expect(await getRedelivery(database(), id)).toMatchObject({ deliveries: 2, waiting: 2 })
  expect(await retries()).toEqual([2, 4].map(cursor => [cursor, 0, true, null]))
  expect(await deliverMissed(database(), id)).toBe(0)
  expect(await deliverMissed(database(), randomUUID())).toBeNull()
})

test('how far an earlier one is, is not shown for what was missed and is on its way now', async () => {
  await at(10)
  await failed(2)
  await failed(4)
  expect(await deliverMissed(database(), id)).toBe(2)
  await failed(6)
  expect(await deliverMissed(database(), id)).toBe(1)
  expect(await getRedelivery(database(), id)).toMatchObject({ deliveries: 1, waiting: 1 })
  expect(await deliverMissed(database(), id)).toBe(0)
  expect(await getRedelivery(database(), id)).not.toBeNull()
  await skipped(6, 8)
  expect(await deliverMissed(database(), id)).toBe(1)
  expect(await getRedelivery(database(), id)).toBeNull()
})

test('what was sent again by itself is not counted once more when all that was missed is', async () => {
  await at(10)
  await skipped(0, 10, { events: 5 })
  await delivered(2)
  await failed(4)
  await waiting(6)
  expect(await deliverMissed(database(), id)).toBe(3)
  expect(await report()).toMatchObject({ waiting: 2, catching_up_of: 2, catching_up: 2 })
})

test('dismissing forgets failures and what was passed over; what is on its way stays', async () => {
  await at(10)
  await failed(2)
  await waiting(4)
  await skipped(4, 6, { events: 20 })
  await skipped(6, 7, { events: 300, reason: 'expired' })
  await skipped(7, 8, { events: 4_000, catching_up: true })
  expect(await report()).toMatchObject({
    failures: 1,
    waiting: 1,
    missed: 20,
    expired: 300,
    catching_up_of: 4_000,
    catching_up: 1,
  })
  expect(await dismissMissed(database(), id)).toBe(321)
  expect(await report()).toMatchObject({
    failures: 0,
    waiting: 1,
    missed: 0,
    expired: 0,
    catching_up_of: 4_000,
  })
  expect(await dismissMissed(database(), id)).toBe(0)
  expect(await dismissMissed(database(), randomUUID())).toBeNull()
  expect(await listAttempts(database(), id, 2)).toHaveLength(1)
})

test('no more is dismissed than was asked about; what fails meanwhile refuses it all', async () => {
  await at(10)
  await failed(2)
  await skipped(4, 6, { events: 20 })
  const upTo = (most: number | null) => dismissUpTo(database(), id, most)
  expect(await upTo(20)).toEqual([{ missed: 21, deliveries: null }])
  expect(await report()).toMatchObject({ failures: 1, missed: 20 })
  expect(await upTo(21)).toEqual([{ missed: 21, deliveries: 21 }])
  expect(await dismissUpTo(database(), randomUUID(), 0)).toEqual([])
})

test('what had arrived above the position of one that is paused does not count as to come, however long ago', async () => {
  const sequenced_at = new Date(Date.now() - 3 * 86_400_000)
  for (const age of [4, 3, 2, 1, 0])
    await test_.sql`select make_attempt_partition((now() - ${`${age} days`}::text::interval)::date)`
  await test_.sql`update event_cursors set sequenced_at = ${sequenced_at.toISOString()}`
  await at(2)
  for (const cursor of [6, 8]) await delivered(cursor, { started_at: sequenced_at })
  await test_.sql`update hook_subscriptions set active = false, paused_at = ${sequenced_at.toISOString()}, pause_reason = '' where id = ${id}`
  expect((await report()).untried).toBe(2)
})

test('paused, everything above the position is still to come; reactivated, it is a range', async () => {
  const paused = () =>
    test_.sql`update hook_subscriptions set active = false, paused_at = now(), consecutive_failures = 10 where id = ${id}`
  await at(4)
  await failed(4)
  await waiting(2)
  await paused()
  expect(await report()).toMatchObject({
    untried: 3,
    next_cursor: 6,
    failures: 1,
    waiting: 1,
    missed: 0,
  })
  expect(await deliverMissed(database(), id)).toBeNull()
  expect(await reactivateHook(database(), id)).toBe(true)
  expect(await reactivateHook(database(), id)).toBe(false)
  expect(await report()).toMatchObject({
    active: true,
    consecutive_failures: 0,
    untried: 0,
    failures: 2,
    waiting: 0,
    missed: 3,
    catching_up_of: 0,
  })
  await factory.event(test_.sql, { cursor: 12 })
  expect(await deliverMissed(database(), id)).toBe(5)
  expect(await report()).toMatchObject({
    untried: 1,
    waiting: 2,
    missed: 0,
    catching_up_of: 3,
    catching_up: 3,
  })
  // As the owner of the subscription goes on with it.
  await test_.sql`update hook_skips set from_cursor = 8`
  expect(await report()).toMatchObject({ catching_up_of: 3, catching_up: 1 })
  await paused()
  expect(await reactivateHook(database(), id, { deliverMissed: true })).toBe(true)
  expect(await report()).toMatchObject({ untried: 0, missed: 0, catching_up_of: 4, catching_up: 2 })
})

test('the last delivery and the last failure are those of the newest events; a test counts as well', async () => {
  expect(await report()).toMatchObject({ delivered_at: null, failure_at: null })
  await factory.testEvent(test_.sql, { no, cursor: -2 })
  await delivered(-2, { started_at: ago(9) })
  expect(Date.parse((await report()).delivered_at ?? '')).toBeCloseTo(ago(9).getTime(), -4)
  await delivered(2, { started_at: ago(90) })
  await delivered(4, { started_at: ago(5) })
  await factory.attempt(test_.sql, { no, cursor: 6, outcome: 'r', started_at: ago(4) })
  await factory.retry(test_.sql, { no, cursor: 6, due_at: ago(2) })
  const found = await report()
  expect(found.failure_cursor).toBe(6)
  expect((found.failure_at ?? '') > (found.delivered_at ?? '')).toBe(true)
  expect(Date.parse(found.delivered_at ?? '')).toBeGreaterThan(ago(7).getTime())
})

test('a list of all counts nothing above positions, one alone does, up to the limit', async () => {
  const { id: other } = await factory.hook(test_.sql, { event_types: ['signal.opened'] })
  await factory.position(test_.sql, other, { cursor: 3 })
  const all = await listHookReports(database())
  expect(all.map(({ id, untried, next_cursor }) => [id, untried, next_cursor])).toEqual(
    expect.arrayContaining([
      [id, null, 2],
      [other, null, 5],
    ]),
  )
  const counted = async (count_max: number) => {
    const [row] = await database().list('listHookReports', { id: other, count_max })
    return row?.untried
  }
  expect([await counted(100), await counted(2)]).toEqual([3, 2])
})
