// Deliveries that are due by the clock: which are taken, by which worker, with which body.
import { beforeEach, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const test_ = useDatabase()
const ahead = () => new Date(Date.now() + 60_000)

let id = ''
let no = 0
let fence = 0

beforeEach(async () => {
  await test_.sql`truncate hook_subscriptions, hook_positions, hook_retries, hook_test_events, events, event_cursors`
  id = (await factory.hook(test_.sql)).id
  ;({ no, fence } = await factory.position(test_.sql, id, { fence: 3 }))
})

const claim = (
  owned: [no: number, fence: number, capacity?: number][] = [[no, fence]],
  row_limit = 100,
  underWay: number[] = [],
) =>
  openDatabase(test_.sql, queries).rows('claimRetries', {
    nos: owned.map(([one]) => one),
    fences: owned.map(([, of]) => of),
    capacities: owned.map(([, , capacity = 100]) => capacity),
    row_limit,
    under_way_nos: underWay.map(() => no),
    under_way_cursors: underWay,
  })
const cursors = async (...args: Parameters<typeof claim>) =>
  (await claim(...args)).map(({ cursor }) => cursor).sort((one, other) => one - other)

const retry = (cursor: number, columns: factory.Columns = {}) =>
  factory.retry(test_.sql, { no, cursor, ...columns })

test('what is due is taken, but for what the worker has under way', async () => {
  await retry(1)
  await retry(2, { taken_by: 2 })
  await retry(3, { due_at: ahead() })
  await factory.retry(test_.sql, { no: no + 1, cursor: 4 })
  expect(await cursors()).toEqual([1, 2])
  expect(await cursors([[no, fence]], 100, [1, 2])).toEqual([])
  const rows = await test_.sql`select cursor, taken_by from hook_retries where taken_by is not null`
  expect(rows.map(({ taken_by }) => taken_by)).toEqual([fence, fence])
})

test('what was taken comes again when the answer was lost', async () => {
  await retry(1)
  expect(await cursors()).toEqual([1])
  expect(await cursors()).toEqual([1])
})

test('another fence than that of the worker takes nothing', async () => {
  await retry(1)
  expect(await claim([[no, fence - 1]])).toEqual([])
  expect(await claim([[no, fence + 1]])).toEqual([])
})

test('of each subscription comes as many as it can take', async () => {
  const other = await factory.position(test_.sql, (await factory.hook(test_.sql)).id, { fence: 1 })
  for (const cursor of [1, 2, 3]) await retry(cursor)
  for (const cursor of [4, 5, 6]) await factory.retry(test_.sql, { no: other.no, cursor })
  const both: [number, number, number][] = [
    [no, fence, 1],
    [other.no, 1, 2],
  ]
  expect(await cursors(both)).toEqual([1, 4, 5])
})

test('what the worker is sending since before its fence was raised is left to it', async () => {
  const other = await factory.position(test_.sql, (await factory.hook(test_.sql)).id, { fence: 1 })
  await retry(1, { taken_by: 2 })
  await retry(2, { taken_by: 2 })
  await factory.retry(test_.sql, { no: other.no, cursor: 1 })
  const both: [number, number][] = [
    [no, fence],
    [other.no, 1],
  ]
  const rows = await claim(both, 100, [1])
  expect(rows.map(row => [row.no, row.cursor]).sort()).toEqual([
    [no, 2],
    [other.no, 1],
  ])
})

test('the oldest come first when not all can be taken', async () => {
  await retry(1, { due_at: '2026-01-02T00:00:00Z' })
  await retry(2, { due_at: '2026-01-01T00:00:00Z' })
  await retry(3, { due_at: '2026-01-02T00:00:00Z' })
  expect(await cursors([[no, fence]], 2)).toEqual([1, 2])
  expect(await cursors([[no, fence]], 2, [1, 2])).toEqual([3])
})

test('each comes with the number of its attempts and the exact body of the feed', async () => {
  await factory.event(test_.sql, { cursor: 5, data: { number: 5 } })
  await retry(5, { attempts: 3 })
  const [row] = await claim()
  expect(row).toMatchObject({ no, cursor: 5, attempts: 3, test: false })
  const [page] = await openDatabase(test_.sql, queries).rows('listLogEvents', {
    after: 0,
    up_to: null,
    event_types: ['lead.created'],
    row_limit: 1,
    bytes_max: 1,
  })
  expect(row?.body).toBe(page?.body ?? '')
  expect(JSON.parse(row?.body ?? '')).toMatchObject({ data: { number: 5 } })
})

test('a body is missing when the event is gone, or there never was one', async () => {
  await factory.event(test_.sql, { cursor: 6 })
  await test_.sql`delete from events`
  for (const cursor of [6, 7, -8]) await retry(cursor)
  const rows = await claim()
  expect(rows.map(({ cursor, body }) => [cursor, body])).toEqual(
    expect.arrayContaining([6, 7, -8].map(cursor => [cursor, null])),
  )
})

test('a test event is said to be one', async () => {
  const { envelope } = await factory.testEvent(test_.sql, { no, cursor: -1 })
  await retry(-1)
  const [row] = await claim()
  expect(row).toMatchObject({ cursor: -1, test: true })
  expect(JSON.parse(row?.body ?? '')).toEqual(envelope)
})

test('what another transaction changes at this moment is left for the next look', async () => {
  await retry(1)
  await retry(2)
  const other = oneConnection(test_.url)
  try {
    await other.begin(async transaction => {
      await transaction`select from hook_retries where cursor = 1 for update`
      expect(await cursors()).toEqual([2])
    })
  } finally {
    await other.end()
  }
  expect(await cursors([[no, fence]], 100, [2])).toEqual([1])
})
