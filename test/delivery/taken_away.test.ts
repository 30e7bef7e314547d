// What the owner takes away is not sent any more: event types, and what is caught up with.
import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { deliverMissed, dismissMissed } from '../../src/operations/deliveries.ts'
import { pauseHook, reactivateHook } from '../../src/operations/hooks.ts'
import { listHooksBehind } from '../../src/operations/overview.ts'
import { useDatabase } from '../support/database/database.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { until } from '../support/until.ts'

const test_ = useDatabase()
const hooks = useHooks(test_)
const { receiver } = hooks
const database = () => openDatabase(test_.sql, queries)

const isPaused = (hook: Hook) =>
  until(async () => (await hooks.state(hook)).active === false, 15_000)
const keepOnly = (hook: Hook, type: string) =>
  test_.sql`update hook_subscriptions set event_types = array[${type}] where id = ${hook.id}`
const rangesOf = (hook: Hook) => test_.sql`
  select catching_up, events from hook_skips join hook_positions using (no) where subscription_id = ${hook.id}`

test('a retry whose type was taken away ends untried, and one of another type goes on', async () => {
  const event_types = ['lead.created', 'lead.archived']
  const hook = await hooks.subscribe(receiver.url('/retry'), { event_types })
  await receiver.answer('/retry', 503)
  const worker = await hooks.startWorker({}, undefined, { WEBHOOK_RETRY_DELAYS: '1.5,1.5' })
  try {
    const [taken] = await hooks.emit(1, 'lead.archived')
    const [kept] = await hooks.emit(1, 'lead.created')
    await until(async () => (await hooks.attempts(hook)).length === 2)
    await keepOnly(hook, 'lead.created')
    await receiver.answer('/retry', 200)
    await until(async () => (await hooks.ids(hook)).filter(id => id === kept).length === 2, 15_000)
    await until(async () => (await test_.sql`select from hook_retries`).length === 0, 15_000)
    expect((await hooks.ids(hook)).filter(id => id === taken)).toHaveLength(1)
  } finally {
    await worker.stop()
  }
})

test('what failed and is of a type that was taken away is not among what is delivered again', async () => {
  const event_types = ['lead.created', 'lead.archived']
  const hook = await hooks.subscribe(receiver.url('/missed'), { event_types })
  await receiver.answer('/missed', 404)
  const worker = await hooks.startWorker()
  try {
    const [taken] = await hooks.emit(1, 'lead.archived')
    const [kept] = await hooks.emit(1, 'lead.created')
    await until(async () => (await hooks.state(hook)).consecutive_failures === 2)
    await keepOnly(hook, 'lead.created')
    await receiver.answer('/missed', 200)
    expect(await deliverMissed(database(), hook.id)).toBe(1)
    await hooks.ended(hook, 1)
    const ids = await hooks.ids(hook)
    expect(ids.filter(id => id === taken)).toHaveLength(1)
    expect(ids.filter(id => id === kept)).toHaveLength(2)
    expect(await test_.sql`select from hook_failures`).toHaveLength(0)
  } finally {
    await worker.stop()
  }
})

test('a pause ends what was caught up with, unless it is asked for again', async () => {
  const type = 'signal.opened'
  const hook = await hooks.subscribe(receiver.url('/caught'), { event_types: [type] })
  const worker = await hooks.startWorker()
  try {
    await pauseHook(database(), hook.id, '')
    await hooks.emit(200, type)
    await until(
      async () =>
        (
          await test_.sql`select from events where log_id > (
      select coalesce(max(log_id), 0) from event_cursors)`
        ).length === 0,
    )
    await receiver.answer('/caught', 404)
    await reactivateHook(database(), hook.id, { deliverMissed: true })
    // Ten failures in a row pause it.
    await isPaused(hook)
    const failed = async () =>
      Number((await test_.sql`select count(*) from hook_failures`)[0]?.count)
    // What was in flight when it was paused is recorded, and its process has written how far it came.
    let sent = 0
    await until(async () => {
      sent = await failed()
      const [row] = await test_.sql`
        select count_events(array[${type}], from_cursor, to_cursor)::integer as count
        from hook_skips join hook_positions using (no) where subscription_id = ${hook.id}`
      return row?.count === 200 - sent && (await hooks.ids(hook)).length === sent
    }, 15_000)
    await dismissMissed(database(), hook.id)
    await receiver.answer('/caught', 200)
    await reactivateHook(database(), hook.id)
    const [next] = await hooks.emit(1, type)
    await until(async () => (await hooks.ids(hook)).includes(next ?? ''))
    expect(await hooks.ids(hook)).toHaveLength(sent + 1)
    expect([...(await rangesOf(hook))]).toEqual([
      { catching_up: false, events: 200 - sent },
    ] as never[])
    await deliverMissed(database(), hook.id)
    await until(async () => (await rangesOf(hook)).length === 0, 15_000)
    const ids = await hooks.ids(hook)
    expect([ids.length, new Set(ids).size]).toEqual([201, 201])
  } finally {
    await worker.stop()
  }
})

test('ten test events that fail pause nothing, and one that arrives is no success', async () => {
  const type = 'signal.opened'
  const hook = await hooks.subscribe(receiver.url('/tested'), { event_types: [type] })
  const worker = await hooks.startWorker()
  try {
    await receiver.answer('/tested', 404)
    await hooks.emit(1, type)
    await until(async () => (await hooks.state(hook)).consecutive_failures === 1)
    for (let sent = 0; sent < 10; sent += 1) await hooks.sendTest(hook)
    await until(async () => (await hooks.attempts(hook)).length === 11)
    await receiver.answer('/tested', 200)
    await hooks.sendTest(hook)
    await until(async () => (await hooks.attempts(hook)).length === 12)
    expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 1 })
  } finally {
    await worker.stop()
  }
})

test('deliveries that a process puts off because no key opens the secret are overdue', async () => {
  const type = 'haushalt.updated'
  await test_.sql`delete from hook_subscriptions`
  const SECRETS_KEY = randomBytes(32).toString('base64')
  const worker = await hooks.startWorker({}, undefined, { SECRETS_KEY })
  try {
    const hook = await hooks.subscribe(receiver.url('/sealed'), { event_types: [type] })
    await hooks.emit(1, type)
    const isPutOff = async () =>
      (
        await test_.sql`select from hook_retries join hook_positions using (no)
          where subscription_id = ${hook.id} and attempts = 0 and due_at > now()`
      ).length === 1
    await until(isPutOff)
    const behind = async () => (await listHooksBehind(database())).map(({ id }) => id)
    expect(await behind()).toEqual([])
    await test_.sql`update hook_retries set created_at = created_at - interval '5 minutes'`
    expect(await behind()).toEqual([hook.id])
    expect(await hooks.ids(hook)).toEqual([])
  } finally {
    await worker.stop()
  }
})
