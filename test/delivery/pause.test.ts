// Ten final failures in a row pause a subscription; nothing of what it then misses is lost.
import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { silentWindowMax, windowMax } from '../../src/delivery/limits.ts'
import { deliverMissed } from '../../src/operations/deliveries.ts'
import { deleteHook, pauseHook, reactivateHook } from '../../src/operations/hooks.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { positionRow } from '../support/delivery/positions.ts'
import { feedReader } from '../support/feed/feed_reader.ts'
import { useService } from '../support/http/service.ts'
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
const sentTo = async (hook: Hook) => (await hooks.ids(hook)).length

/** A type of its own per test: they share one feed. */
const subscribe = (path: string, type: string) =>
  hooks.subscribe(receiver.url(path), { event_types: [type] })

/** Ten events fail, and pause it; resolves when all of it is recorded. */
async function pauseBy(hook: Hook, type: string): Promise<string[]> {
  await receiver.answer(hook.path, 404)
  const ids = await hooks.emit(10, type)
  await paused(hook)
  await until(async () => (await statesOf(hook)).failed === 10)
  return ids
}

// Few enough to be in flight at once, however little of a processor there is, and however long they are held.
const few = silentWindowMax

/** In flight and not answered: all of them, or of many as many as there may be, which are at least a few. */
async function inFlight(hook: Hook, type: string, count: number) {
  const before = await sentTo(hook)
  await receiver.hold(hook.path)
  const ids = await hooks.emit(count, type)
  await until(async () => (await sentTo(hook)) >= before + Math.min(count, few), 10_000)
  return ids
}

test('nine failures and a success do not pause', async () => {
  const type = 'lead.archived'
  const hook = await subscribe('/nine', type)
  await receiver.answer('/nine', 404)
  await hooks.emit(9, type)
  await hooks.ended(hook, 9)
  await until(async () => (await hooks.state(hook)).consecutive_failures === 9)
  expect(await hooks.state(hook)).toMatchObject({ active: true })
  await receiver.answer('/nine', 200)
  await hooks.emit(1, type)
  await hooks.ended(hook, 10)
  expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 0 })
  // Nine more do not pause it either.
  await receiver.answer('/nine', 404)
  await hooks.emit(9, type)
  await hooks.ended(hook, 19)
  expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 9 })
})

test('ten in a row pause at exactly ten with many in flight; then nothing is sent, and all of it later', async () => {
  const type = 'lead.stage_changed'
  const hook = await subscribe('/ten', type)
  await receiver.answer('/ten', 410)
  const first = await inFlight(hook, type, 200)
  const inFlightAtLeast = await sentTo(hook)
  await receiver.release('/ten')
  expect(await paused(hook)).toMatchObject({ consecutive_failures: 10 })
  // What was in flight, and at most one for each of the nine failures before the tenth.
  await until(async () => (await statesOf(hook)).failed === (await sentTo(hook)))
  const sent = await sentTo(hook)
  expect(sent).toBeWithin(inFlightAtLeast, windowMax + 10)

  const second = await hooks.emit(20, type)
  await until(async () => (await hooks.deliveries(hook)).length === 220)
  expect(await statesOf(hook)).toEqual({ failed: sent, pending: 220 - sent })
  expect(await sentTo(hook)).toBe(sent)

  // The pause tells from where the feed gives all of it.
  const { catch_up_cursor } = await hooks.state(hook)
  const reader = feedReader(api, { types: type, after: Number(catch_up_cursor) })
  await reader.readAll()
  expect(new Set(reader.seen.map(event => event.id))).toEqual(new Set([...first, ...second]))

  // Reactivated, it receives what it missed, each event once.
  await receiver.answer('/ten', 200)
  await receiver.forget()
  expect(await reactivateHook(database(), hook.id, { deliverMissed: true })).toBe(true)
  expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 0 })
  await hooks.ended(hook, 220)
  expect(await statesOf(hook)).toEqual({ delivered: 220 })
  expect((await hooks.ids(hook)).sort()).toEqual([...first, ...second].sort())
  await until(async () => (await hooks.state(hook)).catch_up_cursor === null)
}, 40_000)

test('in flight at the pause: what arrives is delivered, what fails is kept as missed', async () => {
  const type = 'meeting.intelligence_ready'
  const hook = await subscribe('/mixed', type)
  await receiver.answer('/mixed', 410)
  await hooks.emit(9, type)
  await hooks.ended(hook, 9)
  await inFlight(hook, type, few)
  await receiver.release('/mixed', 1)
  await paused(hook)
  await receiver.answer('/mixed', 200)
  await receiver.release('/mixed', 4)
  await until(async () => (await statesOf(hook)).delivered === 4)
  await receiver.answer('/mixed', 503)
  await receiver.release('/mixed')
  // 503 is worth another attempt: it waits for that, and is not sent while paused.
  await until(async () => (await hooks.attempts(hook)).length === 17)
  expect(await statesOf(hook)).toEqual({ failed: 10, delivered: 4, pending: 3 })
  expect(await hooks.state(hook)).toMatchObject({ active: false, consecutive_failures: 10 })
  await until(async () => (await positionRow(api.sql, hook)).claimed_to < Number.MAX_SAFE_INTEGER)
  await api.sql`update hook_retries set due_at = now()
    where no = (select no from hook_positions where subscription_id = ${hook.id})`
  // The look that finds a later one would find these.
  const other = await subscribe('/ok/due-later', 'lead.created')
  await hooks.sendTest(other)
  await until(async () => (await sentTo(other)) === 1)
  expect(await sentTo(hook)).toBe(17)

  await receiver.answer('/mixed', 200)
  expect(await reactivateHook(database(), hook.id, { deliverMissed: true })).toBe(true)
  await hooks.ended(hook, 17)
  expect(await statesOf(hook)).toEqual({ delivered: 17 })
  // Of what had arrived nothing came again.
  expect(await sentTo(hook)).toBe(30)
}, 20_000)

test('what paused it is still missing after a reactivation and another failure', async () => {
  const type = 'haushalt.updated'
  const hook = await subscribe('/again', type)
  await pauseBy(hook, type)
  const { catch_up_cursor } = await hooks.state(hook)
  expect(catch_up_cursor).not.toBeNull()
  await reactivateHook(database(), hook.id)
  await hooks.emit(1, type)
  await hooks.ended(hook, 11)
  expect(await hooks.state(hook)).toMatchObject({ consecutive_failures: 1, catch_up_cursor })
  await receiver.answer('/again', 200)
  await hooks.emit(1, type)
  await hooks.ended(hook, 12)
  await until(async () => (await hooks.state(hook)).consecutive_failures === 0)
  expect(await hooks.state(hook)).toMatchObject({ catch_up_cursor })
  expect(await deliverMissed(database(), hook.id)).toBe(11)
  const rows = await hooks.ended(hook, 12)
  expect(rows.every(({ state }) => state === 'delivered')).toBe(true)
  await until(async () => (await hooks.state(hook)).catch_up_cursor === null)
  expect(await deliverMissed(database(), hook.id)).toBe(0)
})

test('reactivated without what it missed, it receives what comes, and the rest when it is asked for', async () => {
  const type = 'appointment.updated'
  const hook = await subscribe('/onward', type)
  const failed = await pauseBy(hook, type)
  const missed = await hooks.emit(5, type)
  await until(async () => (await hooks.deliveries(hook)).length === 15)
  await receiver.answer('/onward', 200)
  await receiver.forget()
  await reactivateHook(database(), hook.id)
  const [id = ''] = await hooks.emit(1, type)
  await hooks.ended(hook, 16)
  expect(await hooks.ids(hook)).toEqual([id])
  expect(await statesOf(hook)).toEqual({ delivered: 1, failed: 10, skipped: 5 })
  expect(await deliverMissed(database(), hook.id)).toBe(15)
  await hooks.ended(hook, 16)
  expect((await hooks.ids(hook)).sort()).toEqual([id, ...failed, ...missed].sort())
})

describe('reactivated while requests are in flight', () => {
  test.each([
    ['with', true, 'signal.status_changed'],
    ['without', false, 'signal.outcome_recorded'],
  ])('%s what it missed: none of them is sent again', async (_, withMissed, type) => {
    const hook = await subscribe(`/flying/${withMissed}`, type)
    await receiver.answer(hook.path, 410)
    const ids = await hooks.emit(9, type)
    await hooks.ended(hook, 9)
    // One of them is the tenth failure, and few are held: however long that takes, there is room for what comes.
    ids.push(...(await inFlight(hook, type, 6)))
    await receiver.release(hook.path, 1)
    await paused(hook)
    await receiver.answer(hook.path, 200)
    expect(await reactivateHook(database(), hook.id, { deliverMissed: withMissed })).toBe(true)
    ids.push(...(await hooks.emit(5, type)))
    // Of those that failed one comes in any case when the owner is at work again.
    const again = withMissed ? 15 : 5
    await until(async () => (await sentTo(hook)) === 15 + again, 10_000)
    await receiver.release(hook.path)
    await hooks.ended(hook, 20)
    const seen = await hooks.ids(hook)
    expect(seen).toHaveLength(15 + again)
    expect(new Set(seen)).toEqual(new Set(ids))
    expect(await statesOf(hook)).toEqual(
      withMissed ? { delivered: 20 } : { delivered: 10, failed: 10 },
    )
  })

  test('a retry that arrives after all is no failure any more', async () => {
    const type = 'kontakt.merged'
    const hook = await subscribe('/arrives', type)
    await receiver.answer('/arrives', 503)
    const [first] = await hooks.emit(1, type)
    await until(async () => (await hooks.attempts(hook)).length === 1)
    await receiver.hold('/arrives')
    await until(async () => (await sentTo(hook)) === 2)
    await api.sql`update hook_subscriptions set active = false, paused_at = now() where id = ${hook.id}`
    await reactivateHook(database(), hook.id)
    expect(await statesOf(hook)).toEqual({ failed: 1 })
    await receiver.answer('/arrives', 200)
    await receiver.release('/arrives')
    await until(async () => (await statesOf(hook)).delivered === 1)
    expect(await statesOf(hook)).toEqual({ delivered: 1 })
    expect(await hooks.ids(hook)).toEqual([first, first] as string[])
  })
})

test('exhausted retries are final failures, too', async () => {
  const type = 'appointment.cancelled'
  const hook = await subscribe('/down', type)
  await receiver.answer('/down', 503)
  await hooks.emit(10, type)
  await paused(hook)
  expect(await hooks.ids(hook)).toHaveLength(50)
}, 20_000)

test('a deleted subscription gets nothing more, and what is under way to it disturbs no other', async () => {
  const type = 'advisory_doc.sent'
  const hook = await subscribe('/deleted', type)
  await inFlight(hook, type, 100)
  await deleteHook(database(), hook.id)
  const other = await subscribe('/ok/other', type)
  await hooks.emit(1, type)
  // Who delivers to the new one knows that the old one is gone.
  await hooks.ended(other, 1)
  await receiver.release('/deleted')
  await hooks.emit(3, type)
  await hooks.ended(other, 4)
  expect(await statesOf(other)).toEqual({ delivered: 4 })
  expect(await sentTo(hook)).toBeLessThanOrEqual(windowMax)
})

describe('paused by the owner while requests are in flight', () => {
  /** The worker, which has heard of a change by the time it delivers to a subscription that is newer. */
  const heard = async () => {
    const type = 'signal.opened'
    const newer = await subscribe('/ok/newer', type)
    await hooks.emit(1, type)
    await hooks.ended(newer, 1)
  }
  const pausedByOwner = async (hook: Hook) => {
    await pauseHook(database(), hook.id, '')
    await heard()
  }
  const answered = async (hook: Hook, status: number) => {
    await receiver.answer(hook.path, status)
    await receiver.release(hook.path)
  }

  test.each([
    [200, 'appointment.updated'],
    [503, 'advisory_doc.sent'],
  ])(
    'paused twice and then answered %d: reactivated, it receives everything',
    async (status, type) => {
      const hook = await subscribe(`/twice${status}`, type)
      await inFlight(hook, type, windowMax)
      await pausedByOwner(hook)
      await reactivateHook(database(), hook.id, { deliverMissed: true })
      await heard()
      await pausedByOwner(hook)
      await answered(hook, status)
      // Paused, it is sent nothing more.
      await until(async () => (await hooks.attempts(hook)).length === (await sentTo(hook)))
      await receiver.answer(hook.path, 200)
      await reactivateHook(database(), hook.id, { deliverMissed: true })
      await hooks.emit(5, type)
      await until(async () => (await statesOf(hook)).delivered === windowMax + 5, 20_000)
    },
    60_000,
  )

  test('reactivated without what it missed, which is delivered later: nothing is sent twice', async () => {
    const type = 'meeting.intelligence_failed'
    const hook = await subscribe('/missed-later', type)
    await inFlight(hook, type, 4)
    await pausedByOwner(hook)
    await reactivateHook(database(), hook.id, { deliverMissed: false })
    await heard()
    await deliverMissed(database(), hook.id)
    await heard()
    await answered(hook, 200)
    await until(async () => (await statesOf(hook)).delivered === 4, 10_000)
    await hooks.emit(1, type)
    await until(async () => (await statesOf(hook)).delivered === 5, 10_000)
    expect(await sentTo(hook)).toBe(5)
  }, 30_000)
})
