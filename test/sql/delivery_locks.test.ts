// What locks rows of several subscriptions, or several of one, does so in one order, so that no two wait for each other.
import { afterAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { dismissMissed, redeliverAll } from '../../src/operations/deliveries.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { attemptRecord, recordAttempts } from '../support/delivery/recording.ts'
import { until } from '../support/until.ts'

const database = useDatabase()

const opened: Sql[] = []
afterAll(() => Promise.all(opened.map(sql => sql.end({ timeout: 1 }))))

/** A connection of its own, and whether it waits for a lock. */
async function open() {
  const sql = oneConnection(database.url)
  opened.push(sql)
  const [own] = await sql`select pg_backend_pid() as pid`
  return {
    sql,
    async waits() {
      const [row] =
        await database.sql`select wait_event_type from pg_stat_activity where pid = ${own?.pid}`
      return row?.wait_event_type === 'Lock'
    },
  }
}

type Owned = { worker: string; nos: number[] }

const statements: [what: string, work: (sql: Sql, owned: Owned) => Promise<unknown>][] = [
  [
    'writing positions',
    (sql, { nos }) =>
      openDatabase(sql, queries).rows('updateHookPositions', {
        nos,
        fences: nos.map(() => 1),
        cursors: nos.map(() => 3),
        claimed_to: nos.map(() => 3),
      }),
  ],
  [
    'giving subscriptions back',
    (sql, { worker, nos }) =>
      openDatabase(sql, queries).rows('updateHooksReleased', {
        ...{ worker, nos, leaving: false, lease_ms: 1_000, lock_key: null },
      }),
  ],
]

test.each(statements)(
  '%s waits for the first subscription first, in whatever order they are listed',
  async (_, work) => {
    const worker = randomUUID()
    const hooks = [await factory.hook(database.sql), await factory.hook(database.sql)]
    const positions = []
    for (const { id } of hooks)
      positions.push(await factory.position(database.sql, id, { worker, fence: 1 }))
    // An update puts a row behind the others.
    await database.sql`update hook_positions set claimed_to = 1 where no = ${Number(positions[0]?.no)}`
    const nos = positions.map(({ no }) => Number(no)).sort((one, other) => one - other)
    const [first = 0, second = 0] = nos
    const [one, other] = [await open(), await open()]
    let done: Promise<unknown>[] = []
    await database.sql.begin(async transaction => {
      await transaction`select from hook_positions where no = ${second} for update`
      const working = work(one.sql, { worker, nos: [second, first] })
      await until(one.waits)
      const record = (no: number) =>
        attemptRecord({ no, fence: 1, cursor: 2 }, { outcome: 'retry', retry_ms: 1_000 })
      const recording = recordAttempts(other.sql, nos.map(record))
      await until(other.waits)
      done = [working, recording].map(statement => statement.catch(error => error))
    })
    expect((await Promise.all(done)).map(result => Object(result).code)).toEqual([
      undefined,
      undefined,
    ])
  },
)

test('dismissing what was missed waits until it is put on its way, and both come to an end', async () => {
  const { id: subscription_id } = await factory.hook(database.sql)
  const { no } = await factory.position(database.sql, subscription_id, { cursor: 9 })
  for (const cursor of [1, 3, 4, 5]) await factory.event(database.sql, { cursor })
  await factory.failure(database.sql, { no, cursor: 1 })
  await factory.skip(database.sql, { no, from_cursor: 2, to_cursor: 9, events: 3 })
  const [one, other] = [await open(), await open()]
  const put = () =>
    openDatabase(one.sql, queries).rows('updateDeliveriesMissed', { subscription_id })
  const dismiss = () => dismissMissed(openDatabase(other.sql, queries), subscription_id)
  let done: Promise<unknown>[] = []
  await database.sql.begin(async transaction => {
    await transaction`select from hook_skips where no = ${no} for update`
    done = [put().catch(error => error)]
    await until(one.waits)
    done.push(dismiss().catch(error => error))
    await until(other.waits)
  })
  expect(await Promise.all(done)).toEqual([[{ deliveries: 4 }], 0])
})

test('sending again one by one waits until what was missed is put on its way, and both come to an end', async () => {
  const { id: subscription_id } = await factory.hook(database.sql)
  const { no } = await factory.position(database.sql, subscription_id, { cursor: 29 })
  for (const cursor of [21, 22, 23, 24, 25, 26]) await factory.event(database.sql, { cursor })
  for (const cursor of [21, 22, 24, 25]) await factory.failure(database.sql, { no, cursor })
  await factory.retry(database.sql, { no, cursor: 23 })
  await factory.skip(database.sql, { no, from_cursor: 25, to_cursor: 29, events: 1 })
  const [one, other] = [await open(), await open()]
  const put = () =>
    openDatabase(one.sql, queries).rows('updateDeliveriesMissed', { subscription_id })
  const again = () =>
    redeliverAll(openDatabase(other.sql, queries), subscription_id, [21, 22, 23, 24, 25])
  let done: Promise<unknown>[] = []
  await database.sql.begin(async transaction => {
    await transaction`select from hook_skips where no = ${no} for update`
    done = [put().catch(error => error)]
    await until(one.waits)
    done.push(again().catch(error => error))
    await until(other.waits)
  })
  expect(await Promise.all(done)).toEqual([[{ deliveries: 5 }], 5])
})

test('what arrives while sending again waits for its worker is not sent once more', async () => {
  const { id: subscription_id } = await factory.hook(database.sql)
  const { no, fence } = await factory.position(database.sql, subscription_id, { cursor: 39 })
  await factory.event(database.sql, { cursor: 31 })
  await factory.retry(database.sql, { no, cursor: 31, taken_by: fence })
  const other = await open()
  let again: Promise<unknown> = Promise.resolve()
  await database.sql.begin(async transaction => {
    await transaction`select from hook_subscriptions where id = ${subscription_id} for no key update`
    again = redeliverAll(openDatabase(other.sql, queries), subscription_id, [31])
    await until(other.waits)
    await transaction`delete from hook_retries where no = ${no} and cursor = 31`
  })
  expect(await again).toBe(0)
  expect([...(await database.sql`select from hook_retries where no = ${no}`)]).toEqual([])
})

test('two that send again at the same time each take theirs out of what was missed', async () => {
  const { id: subscription_id } = await factory.hook(database.sql)
  const { no } = await factory.position(database.sql, subscription_id, { cursor: 59 })
  for (const cursor of [51, 52, 53, 54]) await factory.event(database.sql, { cursor })
  await factory.skip(database.sql, {
    no,
    from_cursor: 50,
    to_cursor: 59,
    events: 4,
    reason: 'paused',
  })
  const [one, other] = [await open(), await open()]
  // Both want the third.
  const again = ({ sql }: typeof one, cursor: number) =>
    redeliverAll(openDatabase(sql, queries), subscription_id, [cursor, 53])
  let done: Promise<number>[] = []
  await database.sql.begin(async transaction => {
    await transaction`select from hook_subscriptions where id = ${subscription_id} for update`
    done = [again(one, 51), again(other, 52)]
    await until(async () => (await one.waits()) && (await other.waits()))
  })
  expect(await Promise.all(done)).toEqual([2, 2])
  const [range] = await database.sql`select events from hook_skips where no = ${no}`
  expect(Number(range?.events)).toBe(1)
})

test('what ends while its webhook is switched on is recorded after that, and stands in one list at most', async () => {
  const worker = randomUUID()
  const { id: subscription_id } = await factory.hook(database.sql, {
    active: false,
    paused_at: new Date(),
  })
  const { no, fence } = await factory.position(database.sql, subscription_id, {
    worker,
    cursor: 39,
  })
  for (const cursor of [31, 32]) await factory.retry(database.sql, { no, cursor, taken_by: fence })
  const attempts = [
    attemptRecord({ no, fence, cursor: 31 }),
    attemptRecord({ no, fence, cursor: 32 }, { outcome: 'retry', retry_ms: 60_000 }),
  ]
  const { sql, waits } = await open()
  const record = () => recordAttempts(sql, attempts, new Map(), worker).catch(error => error.code)
  let recording: Promise<unknown> = Promise.resolve()
  await database.sql.begin(async transaction => {
    await transaction`select reactivate_hook(${subscription_id}, false)`
    recording = record()
    await until(waits)
  })
  expect(await recording).toBe('40001')
  await record()
  const cursors = async (rows: PromiseLike<readonly Record<string, unknown>[]>) =>
    (await rows).map(({ cursor }) => Number(cursor))
  expect([
    await cursors(database.sql`select cursor from hook_failures where no = ${no}`),
    await cursors(database.sql`select cursor from hook_retries where no = ${no}`),
    await cursors(database.sql`select cursor from hook_attempts where no = ${no} order by cursor`),
  ]).toEqual([[], [32], [31, 32]])
})
