// Recording batches that were all delivered: the same as record_attempts does, also beside others.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { recordParameters, recordStatement } from '../../src/delivery/queue.ts'
import { useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'
import { attemptRecord, claimedDelivery, recordAttempts } from '../support/recording.ts'
import { until } from '../support/until.ts'

const test_ = useDatabase()

const hook = (columns: factory.Columns = {}) => factory.hook(test_.sql, columns)
const claimed = (subscription_id: string, cursor = 1) =>
  claimedDelivery(test_.sql, subscription_id, cursor)
const paused = { active: false, paused_at: '2026-01-01T00:00:00Z', consecutive_failures: 10 }

/** What a statement leaves behind; it is undone. */
async function leftBy({ name, parameters }: ReturnType<typeof recordStatement>) {
  let left: unknown
  const undone = test_.sql.begin(async transaction => {
    const sql = transaction as unknown as Sql
    const counted = await openDatabase(sql, queries).rows(name, parameters)
    left = {
      counted,
      deliveries:
        await sql`select id, state, attempts, claim, due_at, ended_at is null as open, maybe_sent
        from hook_deliveries order by id`,
      subscriptions: await sql`select * from hook_subscriptions order by id`,
      attempts: await sql`select * from hook_attempts order by delivery_id, claim`,
    }
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  return left
}

test('where all were delivered, the shorter statement leaves what the other one does', async () => {
  const healthy = await hook()
  const failing = await hook({ consecutive_failures: 3 })
  const told = await Promise.all(
    [healthy, failing, failing, await hook(paused)].map(({ id }, place) => claimed(id, place)),
  )
  const lapsed = { id: (await claimed(healthy.id, 20)).id, claim: randomUUID() }
  const gone = { id: 999_999_999, claim: randomUUID() }
  const batch = [...told, lapsed, gone].map(delivery => attemptRecord(delivery, { excerpt: 'ok' }))
  const shorter = recordStatement(batch)
  expect(shorter.name).toBe('recordDelivered')
  const left = await leftBy(shorter)
  expect(left).toEqual(
    await leftBy({ name: 'recordAttempts', parameters: recordParameters(batch) }),
  )
  expect(left).toMatchObject({
    counted: [{ id: failing.id, consecutive_failures: 0, active: true }],
  })
})

const somebodyWaits = async () =>
  (
    await test_.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  ).length > 0

/** Records beside a transaction that has done `first`, and does `then` while the record waits for it. */
async function recordBeside(
  deliveries: { id: unknown; claim: string }[],
  first: (sql: Sql) => Promise<unknown>,
  then: (sql: Sql) => Promise<unknown> = async () => {},
) {
  let recording: ReturnType<typeof recordAttempts> | undefined
  await test_.sql.begin(async transaction => {
    const sql = transaction as unknown as Sql
    await first(sql)
    recording = recordAttempts(
      test_.sql,
      deliveries.map(delivery => attemptRecord(delivery)),
    )
    await until(somebodyWaits)
    await then(sql)
  })
  return await recording
}

const countOf = async (id: string) => {
  const [row] =
    await test_.sql`select active, consecutive_failures from hook_subscriptions where id = ${id}`
  return row
}

test('a failure that was recorded a moment before is counted away', async () => {
  const { id } = await hook({ consecutive_failures: 4 })
  const counted = await recordBeside(
    [await claimed(id)],
    sql => sql`update hook_subscriptions set consecutive_failures = 5 where id = ${id}`,
  )
  expect(counted).toEqual([{ id, consecutive_failures: 0, active: true, moved_id: null }])
  expect(await countOf(id)).toMatchObject({ active: true, consecutive_failures: 0 })
})

test('a subscription that was paused a moment before stays paused', async () => {
  const { id } = await hook({ consecutive_failures: 9 })
  const counted = await recordBeside(
    [await claimed(id)],
    sql => sql`update hook_subscriptions set consecutive_failures = 10, active = false, paused_at = now()
      where id = ${id}`,
  )
  expect(counted).toEqual([])
  expect(await countOf(id)).toMatchObject({ active: false, consecutive_failures: 10 })
})

test('deliveries are locked in the order of their ids, whatever the order of their attempts', async () => {
  const { id } = await hook()
  const [low, high] = [await claimed(id, 1), await claimed(id, 2)]
  const lock =
    ({ id }: { id: unknown }) =>
    (sql: Sql) =>
      sql`select from hook_queue where id = ${String(id)} for update`
  await recordBeside([high, low], lock(low), lock(high))
  const states = await test_.sql`select state from hook_deliveries where subscription_id = ${id}`
  expect(states.map(({ state }) => state)).toEqual(['delivered', 'delivered'])
})
