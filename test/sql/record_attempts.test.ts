// Recording attempts: what becomes of a delivery, and the run of final failures that pauses at exactly ten.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { AttemptRecord } from '../../src/delivery/queue.ts'
import { useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'
import { attemptRecord, claimedDelivery, recordAttempts } from '../support/recording.ts'

const test_ = useDatabase()

type Outcome = AttemptRecord['outcome']

const now = () => new Date().toISOString()

async function hook(columns: factory.Columns = {}) {
  return await factory.hook(test_.sql, columns)
}

const claimed = (subscription_id: string, cursor = 1) =>
  claimedDelivery(test_.sql, subscription_id, cursor)

const ended = (
  delivery: { id: unknown; claim: string },
  outcome: Outcome,
  members: Partial<AttemptRecord> = {},
) => {
  const failed = outcome !== 'delivered' && { status: 404, error_class: 'status' }
  return attemptRecord(delivery, { outcome, ...failed, ...members })
}

const record = (attempts: AttemptRecord[]) => recordAttempts(test_.sql, attempts)

/** Records outcomes in their order, as one batch; returns the deliveries. */
async function recordAll(subscription_id: string, outcomes: Outcome[]) {
  const deliveries = await Promise.all(
    outcomes.map((_, index) => claimed(subscription_id, index + 1)),
  )
  await record(deliveries.map((delivery, index) => ended(delivery, outcomes[index] as Outcome)))
  return deliveries
}

async function state(id: unknown) {
  const [row] = await test_.sql`select state, attempts, claim, ended_at, due_at > now() as later
    from hook_deliveries where id = ${String(id)}`
  return row as Record<string, unknown>
}

async function subscription(id: string) {
  const [row] =
    await test_.sql`select active, consecutive_failures, failing_cursor, failing_since, paused_at,
    catch_up_cursor(hook_subscriptions) from hook_subscriptions where id = ${id}`
  return row as Record<string, unknown>
}

const repeat = (times: number, outcome: Outcome) => Array.from({ length: times }, () => outcome)

const attemptsOf = async (id: unknown) =>
  (await test_.sql`select 1 from hook_attempts where delivery_id = ${String(id)}`).length

test('a delivered one ends, with its attempt', async () => {
  const { id } = await hook()
  const [delivery] = await recordAll(id, ['delivered'])
  expect(await state(delivery?.id)).toMatchObject({
    state: 'delivered',
    attempts: 1,
    claim: delivery?.claim,
  })
  expect(await attemptsOf(delivery?.id)).toBe(1)
  expect(await subscription(id)).toMatchObject({ active: true, consecutive_failures: 0 })
})

test('one to retry waits for its time and counts no failure', async () => {
  const { id } = await hook()
  const delivery = await claimed(id)
  await record([ended(delivery, 'retry', { retry_ms: 30_000 })])
  expect(await state(delivery.id)).toMatchObject({
    state: 'pending',
    attempts: 1,
    claim: null,
    later: true,
  })
  expect(await subscription(id)).toMatchObject({ consecutive_failures: 0 })
})

test('one given back is due at once and has no attempt', async () => {
  const { id } = await hook()
  const [delivery] = await recordAll(id, ['released'])
  expect(await state(delivery?.id)).toMatchObject({
    state: 'pending',
    attempts: 0,
    claim: null,
    later: false,
  })
  expect(await attemptsOf(delivery?.id)).toBe(0)
})

test('one whose event is gone is skipped without an attempt', async () => {
  const { id } = await hook()
  const [delivery] = await recordAll(id, ['skipped'])
  expect(await state(delivery?.id)).toMatchObject({ state: 'skipped', attempts: 0 })
  expect(await attemptsOf(delivery?.id)).toBe(0)
})

test('said twice, an attempt is recorded once', async () => {
  const { id } = await hook()
  const delivery = await claimed(id)
  const said = [ended(delivery, 'failed')]
  await record(said)
  await record(said)
  expect(await subscription(id)).toMatchObject({ consecutive_failures: 1 })
  expect(await attemptsOf(delivery.id)).toBe(1)
  expect(await state(delivery.id)).toMatchObject({ attempts: 1 })
})

test('a late answer of a lapsed claim is kept and changes nothing', async () => {
  const { id } = await hook()
  const delivery = await claimed(id)
  const current = randomUUID()
  await test_.sql`update hook_queue set claim = ${current} where id = ${String(delivery.id)}`
  await record([ended(delivery, 'failed')])
  expect(await state(delivery.id)).toMatchObject({ state: 'pending', claim: current, attempts: 0 })
  expect(await attemptsOf(delivery.id)).toBe(1)
  expect(await subscription(id)).toMatchObject({ consecutive_failures: 0 })
})

test('ten final failures pause, nine and a success do not', async () => {
  const nine = await hook()
  await recordAll(nine.id, [...repeat(9, 'failed'), 'delivered'])
  expect(await subscription(nine.id)).toMatchObject({ active: true, consecutive_failures: 0 })
  const ten = await hook()
  await recordAll(ten.id, repeat(10, 'failed'))
  expect(await subscription(ten.id)).toMatchObject({
    active: false,
    consecutive_failures: 10,
    paused_at: expect.any(String),
  })
})

test('the count goes on over batches, and only a success ends it', async () => {
  const { id } = await hook()
  for (const outcomes of [repeat(4, 'failed'), ['retry', 'released'], repeat(5, 'failed')])
    await recordAll(id, outcomes as Outcome[])
  expect(await subscription(id)).toMatchObject({ active: true, consecutive_failures: 9 })
  await recordAll(id, ['delivered', 'failed', 'failed'])
  expect(await subscription(id)).toMatchObject({ active: true, consecutive_failures: 2 })
})

test('in one batch the tenth in a row pauses, and what fails after it is skipped', async () => {
  const { id } = await hook()
  const outcomes: Outcome[] = [
    'failed',
    'delivered',
    ...repeat(10, 'failed'),
    'failed',
    'retry',
    'delivered',
    'failed',
  ]
  const deliveries = await recordAll(id, outcomes)
  const states = await Promise.all(deliveries.map(async ({ id }) => (await state(id)).state))
  expect(states).toEqual([
    'failed',
    'delivered',
    ...Array.from({ length: 10 }, () => 'failed'),
    'skipped',
    'skipped',
    'delivered',
    'skipped',
  ])
  expect(await subscription(id)).toMatchObject({ active: false, consecutive_failures: 10 })
  // What failed after the pause was attempted, and its attempt is kept.
  expect(await attemptsOf(deliveries.at(-1)?.id)).toBe(1)
})

test('while paused, what fails is skipped, what arrives is delivered, and the count stays', async () => {
  const { id } = await hook({ active: false, paused_at: now(), consecutive_failures: 10 })
  const [failed, retried, delivered] = await recordAll(id, ['failed', 'retry', 'delivered'])
  expect(await state(failed?.id)).toMatchObject({ state: 'skipped' })
  expect(await state(retried?.id)).toMatchObject({ state: 'skipped' })
  expect(await state(delivered?.id)).toMatchObject({ state: 'delivered' })
  expect(await subscription(id)).toMatchObject({ active: false, consecutive_failures: 10 })
})

test('the answer names the subscriptions whose count changed, and no other', async () => {
  const failing = await hook()
  const healthy = await hook()
  const deliveries = [await claimed(failing.id), await claimed(healthy.id)]
  const [first, second] = deliveries
  const counted = await record([
    ended(first as never, 'failed'),
    ended(second as never, 'delivered'),
  ])
  expect(counted).toEqual([
    { id: failing.id, consecutive_failures: 1, active: true, moved_id: null },
  ])
})

test('attempts at subscriptions that were deleted meanwhile end without a fault', async () => {
  const { id } = await hook()
  const failed = await claimed(id)
  const delivered = await claimed(id)
  await test_.sql`delete from hook_subscriptions where id = ${id}`
  expect(await record([ended(failed, 'failed'), ended(delivered, 'delivered')])).toEqual([])
  expect(await state(failed.id)).toMatchObject({ state: 'failed' })
  expect(await state(delivered.id)).toMatchObject({ state: 'delivered' })
})

test('the owner can catch up from below everything that was not delivered', async () => {
  const { id } = await hook()
  expect(await subscription(id)).toMatchObject({ catch_up_cursor: null })
  const [first, second, third] = [
    await claimed(id, 70),
    await claimed(id, 50),
    await claimed(id, 90),
  ]
  await record([ended(first as never, 'failed')])
  expect(await subscription(id)).toMatchObject({ failing_cursor: 70, catch_up_cursor: 49 })
  await record([ended(second as never, 'failed'), ended(third as never, 'failed')])
  expect(await subscription(id)).toMatchObject({ failing_cursor: 50, catch_up_cursor: 49 })
  await recordAll(id, ['delivered'])
  expect(await subscription(id)).toMatchObject({ consecutive_failures: 0, catch_up_cursor: null })
})

test('sixteen processes that record failures at once pause at exactly ten', async () => {
  const { id } = await hook()
  const deliveries = await Promise.all(
    Array.from({ length: 64 }, (_, index) => claimed(id, index + 1)),
  )
  const batches = Array.from({ length: 16 }, (_, index) =>
    deliveries.slice(index * 4, index * 4 + 4),
  )
  const answers = await Promise.all(
    batches.map(batch => record(batch.map(delivery => ended(delivery, 'failed')))),
  )
  expect(await subscription(id)).toMatchObject({ active: false, consecutive_failures: 10 })
  expect(answers.flat().filter(({ active }) => !active)).toHaveLength(1)
  const rows = await test_.sql`select state, count(*)::integer as count from hook_deliveries
    where subscription_id = ${id} group by state order by state`
  expect(rows.map(({ state, count }) => [state, count])).toEqual([
    ['failed', 10],
    ['skipped', 54],
  ])
  const [{ attempts } = {}] =
    await test_.sql`select count(*)::integer as attempts from hook_attempts
    where delivery_id in (select id from hook_deliveries where subscription_id = ${id})`
  expect(attempts).toBe(64)
})
