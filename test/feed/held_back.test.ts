// What is not delivered yet holds its part of the feed back for a day; then it expires, and is shown with its number.
import { beforeEach, expect, test } from 'bun:test'
import * as factory from '../support/database/factory.ts'
import { useRetention } from '../support/feed/retention.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const { age, bounds, namesFrom, pruneAt, sequence } = useRetention(api)

let id: string
let no: number
/** The last cursor before the events of a test. */
let before: number

/** A subscription that has delivered everything, and four events in a partition that is closed. */
beforeEach(async () => {
  await api.sql`delete from hook_subscriptions`
  before = (await bounds()).head
  await sequence('one', 'two', 'three', 'four')
  ;({ id } = await factory.hook(api.sql, { event_types: ['lead.created', 'signal.opened'] }))
  ;({ no } = await factory.position(api.sql, id))
  await pruneAt(2)
})

const skips = async () => [
  ...(await api.sql`
    select from_cursor::float8 as from_cursor, to_cursor::float8 as to_cursor, reason, events::integer as events, catching_up
    from hook_skips where no = ${no} order by to_cursor`),
]

/** When the four events are gone, and how many partitions that took. */
async function goesAfter(days: number) {
  expect(await pruneAt(days - 0.1)).toMatchObject({ partitions_dropped: 0 })
  expect(await namesFrom()).toHaveLength(4)
  expect(await pruneAt(days + 0.1)).toMatchObject({ partitions_dropped: 1 })
  expect(await namesFrom()).toEqual([])
}

test('a subscription that has everything holds nothing back', async () => {
  await goesAfter(30)
  expect(await skips()).toEqual([])
})

test('a position holds its events for a day, then moves, and the range is kept with its number', async () => {
  await factory.position(api.sql, id, { cursor: before + 1, claimed_to: before + 2, fence: 5 })
  await goesAfter(31)
  const { horizon } = await bounds()
  expect(horizon).toBe(before + 4)
  expect(await factory.position(api.sql, id)).toMatchObject({
    cursor: horizon,
    claimed_to: horizon,
    fence: 6,
  })
  expect(await skips()).toEqual([
    {
      from_cursor: before + 1,
      to_cursor: horizon,
      reason: 'expired',
      events: 3,
      catching_up: false,
    },
  ])
})

test('what ended above a position that is not saved yet is not counted as expired', async () => {
  await api.sql`update hook_subscriptions set active = false, paused_at = now()`
  await factory.position(api.sql, id, { cursor: before })
  await factory.attempt(api.sql, { no, cursor: before + 1, started_at: new Date() })
  await factory.failure(api.sql, { no, cursor: before + 2 })
  await factory.retry(api.sql, { no, cursor: before + 3 })
  await goesAfter(30)
  // The one that waits, and the one that was never tried.
  expect(await skips()).toMatchObject([{ from_cursor: before, reason: 'expired', events: 2 }])
})

test('a delivery that waits for its next attempt holds its event for a day as well', async () => {
  await factory.retry(api.sql, { no, cursor: before + 2 })
  await goesAfter(31)
  expect(await skips()).toMatchObject([
    { from_cursor: before + 1, to_cursor: before + 4, reason: 'expired', events: 1 },
  ])
  expect([...(await api.sql`select from hook_retries`)]).toEqual([])
})

test('a range that is caught up with holds its events for a day, and goes on behind the horizon', async () => {
  await sequence('five')
  await age(-10, 'five')
  const { head } = await bounds()
  await factory.position(api.sql, id, { cursor: head, fence: 5 })
  const range = { no, from_cursor: before + 1, to_cursor: head, events: 4, catching_up: true }
  await factory.skip(api.sql, range)
  expect(await pruneAt(30.9)).toMatchObject({ partitions_dropped: 0 })
  expect(await pruneAt(31.1)).toMatchObject({ partitions_dropped: 1 })
  const { horizon } = await bounds()
  expect(await skips()).toEqual([
    {
      from_cursor: before + 1,
      to_cursor: horizon,
      reason: 'expired',
      events: 3,
      catching_up: false,
    },
    { from_cursor: horizon, to_cursor: head, reason: 'paused', events: 1, catching_up: true },
  ])
  // Its worker begins anew.
  expect(await factory.position(api.sql, id)).toMatchObject({ cursor: head, fence: 6 })
})

test('a range that was left out holds nothing back', async () => {
  await factory.skip(api.sql, { no, from_cursor: before, to_cursor: before + 4, events: 4 })
  await goesAfter(30)
  expect(await skips()).toMatchObject([{ to_cursor: before + 4, reason: 'expired', events: 4 }])
})

test('a subscription that is paused holds nothing back, and what it missed is shown as expired', async () => {
  await api.sql`update hook_subscriptions set active = false, paused_at = now()`
  await factory.position(api.sql, id, { cursor: before })
  await goesAfter(30)
  expect(await skips()).toMatchObject([{ reason: 'expired', events: 4 }])
})

test('of many that are behind each is told its own number', async () => {
  const others = [
    { event_types: ['lead.created'], after: 0, events: 4 },
    { event_types: ['lead.created', 'signal.opened'], after: 2, events: 2 },
    { event_types: ['signal.opened'], after: 0, events: 0 },
    { event_types: ['lead.created'], after: 3, events: 1 },
  ]
  const ids: string[] = []
  for (const { event_types, after } of others) {
    const hook = await factory.hook(api.sql, { event_types })
    await factory.position(api.sql, hook.id, { cursor: before + after })
    ids.push(hook.id)
  }
  await goesAfter(31)
  for (const [place, { after, events }] of others.entries()) {
    const found = await api.sql`
      select from_cursor::float8 as from_cursor, events::integer as events from hook_skips
      join hook_positions on hook_positions.no = hook_skips.no where subscription_id = ${ids[place] ?? ''}`
    expect([...found]).toEqual(events === 0 ? [] : [{ from_cursor: before + after, events }])
  }
})
