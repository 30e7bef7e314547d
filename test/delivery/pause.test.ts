// Ten final failures in a row pause a subscription; nothing of what it then misses is lost.
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { deliverMissed } from '../../src/operations/deliveries.ts'
import { reactivateHook } from '../../src/operations/hooks.ts'
import { type Hook, useHooks } from '../support/delivery.ts'
import { feedReader } from '../support/feed_reader.ts'
import { useService } from '../support/service.ts'
import { until } from '../support/until.ts'

const api = useService()
const hooks = useHooks(api)
const { receiver } = hooks
hooks.useWorker()

const database = () => openDatabase(api.sql, queries)
const paused = (hook: Hook) =>
  until(async () => {
    const state = await hooks.state(hook)
    return state.active === false && state
  }, 15_000)
const statesOf = async (hook: Hook) =>
  Object.fromEntries(
    [...Map.groupBy(await hooks.deliveries(hook), row => row.state)].map(([state, rows]) => [
      state,
      rows.length,
    ]),
  )

/** A type of its own per test: they share one feed. */
const subscribe = (path: string, type: string) =>
  hooks.subscribe(receiver.url(path), { event_types: [type] })

test('nine failures and a success do not pause', async () => {
  const type = 'lead.archived'
  const hook = await subscribe('/nine', type)
  await receiver.answer('/nine', 404)
  await hooks.emit(9, type)
  await hooks.ended(hook, 9)
  expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 9 })
  await receiver.answer('/nine', 200)
  await hooks.emit(1, type)
  await hooks.ended(hook, 10)
  expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 0 })
})

test('ten in a row pause at exactly ten with 64 under way; then nothing is sent, and all of it later', async () => {
  const type = 'lead.stage_changed'
  const hook = await subscribe('/ten', type)
  // A receiver that has answered for a while has all its places.
  await receiver.answer('/ten', 200)
  await hooks.emit(30, type)
  await hooks.ended(hook, 30)
  await api.sql`delete from hook_outcomes where subscription_id = ${hook.id}`
  await receiver.forget()
  await receiver.answer('/ten', 410)
  await receiver.hold('/ten')
  const first = await hooks.emit(100, type)
  await until(async () => (await receiver.requests('/ten')).length === 64, 10_000)
  await receiver.release('/ten')
  expect(await paused(hook)).toMatchObject({ consecutive_failures: 10 })
  await hooks.ended(hook, 100)
  // What was under way was attempted, and at most one for each of the nine failures before the tenth; only ten
  // of them count.
  expect(await statesOf(hook)).toEqual({ failed: 10, skipped: 90 })
  const sent = (await hooks.ids(hook)).length
  expect(sent).toBeLessThanOrEqual(64 + 9)

  // While paused: recorded, not sent.
  const second = await hooks.emit(20, type)
  await hooks.ended(hook, 120)
  expect(await statesOf(hook)).toEqual({ failed: 10, skipped: 110 })
  expect(await hooks.ids(hook)).toHaveLength(sent)

  // The pause tells from where the feed gives all of it.
  const { catch_up_cursor } = await hooks.state(hook)
  const reader = feedReader(api, { types: type, after: Number(catch_up_cursor) })
  await reader.readAll()
  expect(new Set(reader.seen.map(event => event.id))).toEqual(new Set([...first, ...second]))

  // Reactivated, it receives what it missed, each event once.
  await receiver.answer('/ten', 200)
  await receiver.forget()
  expect(await reactivateHook(database(), hook.id)).toBe(true)
  expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 0 })
  expect(await deliverMissed(database(), hook.id)).toBe(120)
  await hooks.ended(hook, 120)
  expect(await statesOf(hook)).toEqual({ delivered: 120 })
  expect((await hooks.ids(hook)).sort()).toEqual([...first, ...second].sort())
  expect(await hooks.state(hook)).toMatchObject({ active: true, catch_up_cursor: null })
}, 40_000)

test('what paused it is still missing after a reactivation and another failure', async () => {
  const type = 'haushalt.updated'
  const hook = await subscribe('/again', type)
  await receiver.answer('/again', 404)
  const ids = await hooks.emit(10, type)
  await paused(hook)
  await hooks.ended(hook, 10)
  const { catch_up_cursor } = await hooks.state(hook)
  await reactivateHook(database(), hook.id)
  ids.push(...(await hooks.emit(1, type)))
  await hooks.ended(hook, 11)
  expect(await hooks.state(hook)).toMatchObject({ consecutive_failures: 1, catch_up_cursor })
  await receiver.answer('/again', 200)
  ids.push(...(await hooks.emit(1, type)))
  await hooks.ended(hook, 12)
  expect(await hooks.state(hook)).toMatchObject({ consecutive_failures: 0, catch_up_cursor })
  expect(await deliverMissed(database(), hook.id)).toBe(11)
  const rows = await hooks.ended(hook, 12)
  expect(rows.every(({ state }) => state === 'delivered')).toBe(true)
  expect(await hooks.state(hook)).toMatchObject({ catch_up_cursor: null })
  expect(await deliverMissed(database(), hook.id)).toBe(0)
})

test('reactivated without what it missed, it receives what comes', async () => {
  const type = 'appointment.updated'
  const hook = await subscribe('/onward', type)
  await receiver.answer('/onward', 404)
  await hooks.emit(10, type)
  await paused(hook)
  await hooks.ended(hook, 10)
  await receiver.answer('/onward', 200)
  await receiver.forget()
  await reactivateHook(database(), hook.id)
  const [id] = await hooks.emit(1, type)
  await hooks.ended(hook, 11)
  expect(await hooks.ids(hook)).toEqual([id as string])
})

test('exhausted retries are final failures, too', async () => {
  const type = 'appointment.cancelled'
  const hook = await subscribe('/down', type)
  await receiver.answer('/down', 503)
  await hooks.emit(10, type)
  await paused(hook)
  expect(await hooks.ids(hook)).toHaveLength(50)
}, 20_000)

test('a deleted subscription gets nothing more, and its queue disturbs nobody', async () => {
  const type = 'kontakt.merged'
  const hook = await subscribe('/deleted', type)
  await receiver.hold('/deleted')
  await hooks.emit(100, type)
  await until(async () => (await hooks.ids(hook)).length === 8, 10_000)
  await api.sql`delete from hook_subscriptions where id = ${hook.id}`
  await receiver.release('/deleted')
  await hooks.ended(hook, 100)
  expect(await hooks.ids(hook)).toHaveLength(8)
  const other = await subscribe('/ok/other', type)
  await hooks.emit(1, type)
  await hooks.ended(other, 1)
  expect(await statesOf(other)).toEqual({ delivered: 1 })
})
