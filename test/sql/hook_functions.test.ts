// What moves a subscription along the feed: beginning, reading, claiming, taking over, reactivating, expiring, ending.
import { beforeEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { finalFailuresMax } from '../../src/model/delivery_rules.ts'
import { reactivateHook } from '../../src/operations/hooks.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { positionRow } from '../support/delivery/positions.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)
const largest = Number.MAX_SAFE_INTEGER

let id = ''
let no = 0

/** A subscription to new leads that begins at cursor 0; of ten events the even ones are new leads. */
beforeEach(async () => {
  const { sql } = test_
  await sql`truncate events, event_cursors, hook_subscriptions, hook_positions, hook_retries, hook_failures, hook_skips, hook_attempts, hook_test_events`
  id = (await factory.hook(sql)).id
  no = (await factory.position(sql, id)).no
  for (let cursor = 1; cursor <= 10; cursor += 1)
    await factory.event(sql, {
      cursor,
      event_type: cursor % 2 === 0 ? 'lead.created' : 'signal.opened',
    })
})

const position = () => positionRow(test_.sql, { id })
const cursorsIn = async (table: string) =>
  (await test_.sql.unsafe(`select cursor from ${table} where no = ${no} order by cursor`)).map(
    row => Number(row.cursor),
  )
const skips = async () =>
  (
    await test_.sql`
      select from_cursor::float8, to_cursor::float8, claimed_to::float8, reason, events::integer, catching_up
      from hook_skips where no = ${no} order by to_cursor`
  ).map(row => ({ ...row }))

test('database and deliverer pause at the same number of failures', async () => {
  const [row] = await test_.sql`select hook_failures_max() as most`
  expect(row?.most).toBe(finalFailuresMax)
})

describe('a subscription', () => {
  test('begins at the head that its insert sees', async () => {
    const made = await factory.hook(test_.sql)
    expect(await positionRow(test_.sql, made)).toMatchObject({
      cursor: 10,
      claimed_to: 10,
      worker: null,
    })
  })

  test('that is deleted leaves attempts and its number, and no one owns it', async () => {
    await factory.position(test_.sql, id, { worker: crypto.randomUUID(), fence: 4 })
    for (const row of [factory.retry, factory.failure, factory.skip, factory.attempt])
      await row(test_.sql, { no })
    await test_.sql`delete from hook_subscriptions where id = ${id}`
    expect(await position()).toMatchObject({ no, worker: null, fence: 5 })
    for (const table of ['hook_retries', 'hook_failures'])
      expect(await cursorsIn(table)).toEqual([])
    expect(await skips()).toEqual([])
    expect(await cursorsIn('hook_attempts')).toEqual([1])
  })

  test('keeps its position as long as it is there', async () => {
    const removal = () => test_.sql`delete from hook_positions where no = ${no}`
    await expect(removal().execute()).rejects.toThrow('delete that one instead')
    await test_.sql`delete from hook_subscriptions where id = ${id}`
    expect((await removal()).count).toBe(1)
  })

  test('that is put back goes on from the head under its number', async () => {
    const [row] = await test_.sql`select * from hook_subscriptions where id = ${id}`
    await test_.sql`delete from hook_subscriptions where id = ${id}`
    await factory.hook(test_.sql, { ...row })
    expect(await position()).toMatchObject({ no, cursor: 10, claimed_to: 10, fence: 2 })
  })

  test('that is put back is sent nothing that was under way before', async () => {
    const [row] = await test_.sql`select * from hook_subscriptions where id = ${id}`
    await factory.retry(test_.sql, { no, cursor: 2, taken_by: 0 })
    await factory.skip(test_.sql, { no, to_cursor: 4, claimed_to: 4, catching_up: true })
    await test_.sql`delete from hook_subscriptions where id = ${id}`
    expect([await cursorsIn('hook_retries'), (await skips()).length]).toEqual([[2], 1])
    await factory.hook(test_.sql, { ...row })
    expect([await cursorsIn('hook_retries'), await skips()]).toEqual([[], []])
  })

  test.each([
    ['pausing', 'update hook_subscriptions set active = false, paused_at = now()'],
    ['a rotated secret', "update hook_subscriptions set secret = 'new'"],
    ['another address', "update hook_subscriptions set target_url = 'https://b.example/'"],
    ['deleting', 'delete from hook_subscriptions'],
    [
      'subscribing',
      "insert into hook_subscriptions (target_url, event_types, secret) values ('https://b.example/', '{lead.created}', 's')",
    ],
  ])('tells its worker of %s', async (_, statement) => {
    const heard = Promise.withResolvers<void>()
    const { unlisten } = await test_.sql.listen('hooks_changed', () => heard.resolve())
    await test_.sql.unsafe(statement)
    await heard.promise
    await unlisten()
  })
})

describe('reading the log', () => {
  const read = async (
    after: number,
    { up_to = null, types = ['lead.created'], limit = 100, bytes = 1_000_000 } = {} as {
      up_to?: number | null
      types?: string[]
      limit?: number
      bytes?: number
    },
  ) => {
    const args = { after, up_to, event_types: types, row_limit: limit, bytes_max: bytes }
    const rows = await database().rows('listLogEvents', args)
    const end = rows.find(row => row.event_type === null)
    const events = rows.filter(row => row.event_type !== null)
    return { cursors: events.map(({ cursor }) => cursor).sort(), end: end?.cursor, events }
  }

  test('gives the events of the types asked for, and how far that is all', async () => {
    expect(await read(3)).toMatchObject({ cursors: [4, 6, 8, 10].sort(), end: 10 })
    const both = await read(8, { types: ['signal.opened', 'lead.created'] })
    expect(both).toMatchObject({ cursors: [9, 10].sort(), end: 10 })
    expect(await read(0, { types: ['lead.archived'] })).toMatchObject({ cursors: [], end: 10 })
  })

  test('a full page ends with its last event, of whatever type', async () => {
    expect(await read(0, { limit: 2 })).toMatchObject({ cursors: [2, 4], end: 4 })
    const types = ['signal.opened', 'lead.created']
    expect(await read(0, { types, limit: 3 })).toMatchObject({ cursors: [1, 2, 3], end: 3 })
  })

  test('a page of large events ends sooner, and with one at least', async () => {
    const [{ size } = { size: 0 }] = await test_.sql`
      select pg_column_size(data) as size from events limit 1`
    expect(await read(0, { bytes: size + 1 })).toMatchObject({ cursors: [2, 4], end: 4 })
    expect(await read(4, { bytes: 1 })).toMatchObject({ cursors: [6], end: 6 })
    expect(await read(8, { bytes: 1 })).toMatchObject({ cursors: [10], end: 10 })
  })

  test('nothing beyond the bound, and none beyond the head', async () => {
    expect(await read(0, { up_to: 5 })).toMatchObject({ cursors: [2, 4], end: 5 })
    expect(await read(10)).toMatchObject({ cursors: [], end: 10 })
    expect(await read(50)).toMatchObject({ cursors: [], end: 50 })
  })

  test('an event that was erased comes without its body', async () => {
    await test_.sql`delete from events using event_cursors
      where event_cursors.log_id = events.log_id and cursor = 4`
    const { events } = await read(2, { up_to: 6 })
    expect(events.map(({ body }) => body === null).sort()).toEqual([false, true])
  })
})

describe('a position', () => {
  const move = (fence: number, cursor: number, claimed_to: number) =>
    database().rows('updateHookPositions', {
      nos: [no],
      fences: [fence],
      cursors: [cursor],
      claimed_to: [claimed_to],
    })

  test('moves under the present fence alone', async () => {
    await factory.position(test_.sql, id, { fence: 3 })
    for (const fence of [2, 4]) expect(await move(fence, 5, 9)).toEqual([])
    expect(await position()).toMatchObject({ cursor: 0, claimed_to: 0 })
    expect(await move(3, 5, 9)).toEqual([{ no, was_ahead: false }])
    expect(await position()).toMatchObject({ cursor: 5, claimed_to: 9 })
  })

  test('is where its worker is, also where it was further; what may be sent goes as far at least', async () => {
    await move(0, 5, largest)
    expect(await move(0, 3, 8)).toEqual([{ no, was_ahead: true }])
    expect(await position()).toMatchObject({ cursor: 3, claimed_to: 8 })
    await move(0, 6, 4)
    expect(await position()).toMatchObject({ cursor: 6, claimed_to: 6 })
  })
})

describe('a range', () => {
  const move = (fence: number, from_cursor: number, claimed_to: number) =>
    database().rows('updateHookSkips', {
      nos: [no],
      fences: [fence],
      to_cursors: [6],
      from_cursors: [from_cursor],
      claimed_to: [claimed_to],
    })

  test('moves on and ends under the present fence alone', async () => {
    await factory.position(test_.sql, id, { fence: 3 })
    await factory.skip(test_.sql, { no, from_cursor: 0, to_cursor: 6, catching_up: true })
    for (const cursor of [4, 6]) expect(await move(2, cursor, 6)).toEqual([])
    expect(await skips()).toMatchObject([{ from_cursor: 0, claimed_to: 0 }])
    expect(await move(3, 4, 5)).toEqual([{ no }])
    expect(await skips()).toMatchObject([{ from_cursor: 4, claimed_to: 5 }])
    expect(await move(3, 6, 6)).toEqual([{ no }])
    expect(await skips()).toEqual([])
  })

  test('that is not caught up with stays as it is', async () => {
    await factory.skip(test_.sql, { no, from_cursor: 0, to_cursor: 6 })
    for (const cursor of [4, 6]) await move(0, cursor, 6)
    expect(await skips()).toMatchObject([{ from_cursor: 0 }])
  })
})

test('what a new worker leaves out: delivered, waiting, failed; not what was tried in vain', async () => {
  for (const [cursor, outcome] of [
    [1, 'd'],
    [4, 'd'],
    [5, 'r'],
    [6, 'f'],
    [9, 'd'],
  ] as const)
    await factory.attempt(test_.sql, { no, cursor, outcome })
  await factory.attempt(test_.sql, { no: no + 1, cursor: 3 })
  await factory.retry(test_.sql, { no, cursor: 7 })
  await factory.failure(test_.sql, { no, cursor: 8 })
  const ended = async (cursor: number, up_to: number) => {
    const args = { nos: [no], cursors: [cursor], up_to: [up_to] }
    const rows = await database().rows('listEndedDeliveries', args)
    return rows.map(row => Number(row.cursor)).sort()
  }
  expect(await ended(1, largest)).toEqual([4, 7, 8, 9])
  expect(await ended(1, 7)).toEqual([4, 7])
})

test('reactivating moves the position to the head and raises the fence, which ends what was taken', async () => {
  await factory.position(test_.sql, id, {
    cursor: 4,
    claimed_to: 6,
    fence: 3,
    worker: crypto.randomUUID(),
  })
  await factory.retry(test_.sql, { no, cursor: 2, taken_by: 3, attempts: 4, due_at: '2999-01-01' })
  const pause = () =>
    test_.sql`update hook_subscriptions set active = false, paused_at = now() where id = ${id}`
  await pause()
  expect(await reactivateHook(database(), id, { deliverMissed: true })).toBe(true)
  const { fence, cursor, claimed_to } = await position()
  expect({ cursor, claimed_to }).toEqual({ cursor: 10, claimed_to: 10 })
  expect(fence).toBeGreaterThan(3)
  expect(await skips()).toEqual([
    {
      from_cursor: 4,
      to_cursor: 10,
      // What its worker may have sent before the pause.
      claimed_to: 6,
      reason: 'paused',
      events: 3,
      catching_up: true,
    },
  ])
  const [retry] = await test_.sql`select attempts, due_at <= now() as due from hook_retries`
  expect({ ...retry }).toEqual({ attempts: 0, due: true })
  // Nothing came since: there is no range, and the one under way stops.
  await pause()
  await factory.attempt(test_.sql, { no, cursor: 6, outcome: 'd' })
  expect(await reactivateHook(database(), id)).toBe(true)
  expect(await skips()).toMatchObject([{ from_cursor: 4, catching_up: false, events: 2 }])
  expect([await cursorsIn('hook_retries'), await cursorsIn('hook_failures')]).toEqual([[], [2]])
  // Nothing is left of it by the next pause.
  await test_.sql`update hook_skips set catching_up = true`
  for (const cursor of [8, 10]) await factory.attempt(test_.sql, { no, cursor, outcome: 'd' })
  await pause()
  expect(await reactivateHook(database(), id)).toBe(true)
  expect(await skips()).toEqual([])
})

test('what ended above a position that is not written yet is not counted as missed', async () => {
  await factory.position(test_.sql, id, { cursor: 0, claimed_to: 0 })
  await factory.failure(test_.sql, { no, cursor: 2 })
  await factory.retry(test_.sql, { no, cursor: 4 })
  await factory.attempt(test_.sql, { no, cursor: 6, outcome: 'd' })
  await test_.sql`update hook_subscriptions set active = false, paused_at = now() where id = ${id}`
  expect(await reactivateHook(database(), id)).toBe(true)
  expect(await skips()).toMatchObject([{ from_cursor: 0, to_cursor: 10, events: 2 }])
})

test('what was delivered of types that were taken away since hides nothing that was missed', async () => {
  const { sql } = test_
  await sql`update hook_subscriptions set event_types = array['lead.created', 'signal.opened'] where id = ${id}`
  await factory.position(sql, id, { cursor: 0, claimed_to: 0 })
  for (const cursor of [2, 4, 6, 8, 10, 1]) await factory.attempt(sql, { no, cursor })
  await sql`update hook_subscriptions set event_types = array['signal.opened'] where id = ${id}`
  await sql`update hook_subscriptions set active = false, paused_at = now() where id = ${id}`
  expect(await reactivateHook(database(), id, { deliverMissed: true })).toBe(true)
  // Events 3, 5, 7 and 9.
  expect(await skips()).toMatchObject([{ from_cursor: 0, to_cursor: 10, events: 4 }])
})

test('a range is put on its way, however many events it is said to have', async () => {
  const { fence } = await factory.position(test_.sql, id, { cursor: 10 })
  await factory.skip(test_.sql, { no, from_cursor: 2, to_cursor: 4, events: 0 })
  await test_.sql`select deliver_missed(${id})`
  expect(await skips()).toMatchObject([{ to_cursor: 4, catching_up: true }])
  expect((await position()).fence).toBe(fence + 1)
})

describe('pruning attempts', () => {
  const day = 86_400_000
  const prune = (at: Date) => database().rows('pruneAttempts', { keep_seconds: 5 * 86_400, at })
  const partitions = async () =>
    (
      await test_.sql`select relname from pg_class where relname ~ '^hook_attempts_\\d{8}$' order by relname`
    ).map(row => row.relname)

  test('drops the oldest day that is over, one a run, and no other', async () => {
    const [oldest, ...rest] = await partitions()
    expect(await prune(new Date())).toEqual([{ pruned: 0 }])
    // Yesterday's is over, and the retention time with it.
    const at = new Date(Date.now() + 5 * day)
    expect(await prune(at)).toEqual([{ pruned: 1 }])
    expect(await partitions()).toEqual(rest)
    expect(oldest).toBeString()
    await test_.sql`select make_attempt_partitions(now())`
  })

  test('what else is old goes as well, and what is not stays', async () => {
    const old = new Date(Date.now() - 6 * day)
    const young = new Date(Date.now() - 4 * day)
    for (const [place, at] of [old, young].entries()) {
      await factory.testEvent(test_.sql, { no, cursor: -1 - place, created_at: at })
      await factory.failure(test_.sql, { no, cursor: -1 - place, failed_at: at })
      const range = { from_cursor: place, to_cursor: 1 + place, reason: 'expired', created_at: at }
      await factory.skip(test_.sql, { no, ...range })
      await factory.attempt(test_.sql, { no, cursor: 1 + place, started_at: at })
    }
    await factory.skip(test_.sql, { no, to_cursor: 9, created_at: old })
    // Its event is there.
    await factory.failure(test_.sql, { no, cursor: 3, failed_at: old })
    await prune(new Date())
    expect(await cursorsIn('hook_test_events')).toEqual([-2])
    expect(await cursorsIn('hook_failures')).toEqual([-2, 3])
    expect(await cursorsIn('hook_attempts')).toEqual([2])
    expect((await skips()).map(({ to_cursor }) => to_cursor)).toEqual([2, 9])
  })

  test('what was said of an event that has expired since goes, and nothing else of its attempt', async () => {
    const said = { excerpt: 'Danke, Erika Mustermann', headers: 'x-customer: Erika' }
    for (const cursor of [-1, 2, 4])
      await factory.attempt(test_.sql, { no, cursor, started_at: new Date(), ...said })
    await test_.sql`update feed set horizon = 2`
    try {
      await prune(new Date())
      const left = await test_.sql`
        select cursor::integer, excerpt, headers, status from hook_attempts where no = ${no} order by cursor`
      expect([...left]).toEqual([
        { cursor: -1, ...said, status: 200 },
        { cursor: 2, excerpt: null, headers: null, status: 200 },
        { cursor: 4, ...said, status: 200 },
      ])
    } finally {
      await test_.sql`update feed set horizon = 0`
    }
  })

  test('the number of a deleted subscription goes after its attempts, with what was under way', async () => {
    await factory.retry(test_.sql, { no, cursor: 2, taken_by: 0 })
    await factory.skip(test_.sql, { no, to_cursor: 4, claimed_to: 4 })
    await test_.sql`delete from hook_subscriptions where id = ${id}`
    await prune(new Date(Date.now() + 5.5 * day))
    expect((await position()).no).toBe(no)
    expect([await cursorsIn('hook_retries'), (await skips()).length]).toEqual([[2], 1])
    await prune(new Date(Date.now() + 6.5 * day))
    expect(await position()).toBeUndefined()
    expect([await cursorsIn('hook_retries'), await skips()]).toEqual([[], []])
  })
})
