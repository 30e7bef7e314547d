// What waits for its moment: how much of that there may be, what it holds up, and what comes of it in the end.
import { afterEach, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { probingFrom } from '../../src/delivery/dispatch.ts'
import { windowMax } from '../../src/delivery/limits.ts'
import { redeliver, sendTestEvent } from '../../src/operations/deliveries.ts'
import type { RunningWorker } from '../../src/worker/start.ts'
import { useDatabase } from '../support/database/database.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { positionRow } from '../support/delivery/positions.ts'
import { isPoison } from '../support/receiver/flaky_responses.ts'
import { until } from '../support/until.ts'

const database_ = useDatabase()
const hooks = useHooks(database_)
const { receiver } = hooks
const database = () => openDatabase(database_.sql, queries)

const subscribe = (path: string, type: string) =>
  hooks.subscribe(receiver.url(path), { event_types: [type] })
const waiting = async (hook: Hook) => {
  const { no } = await positionRow(database_.sql, hook)
  const [row] = await database_.sql`
    select count(*)::integer as waiting from hook_retries where no = ${no}`
  return row?.waiting as number
}

const running: RunningWorker[] = []
afterEach(async () => {
  for (const worker of running.splice(0)) await worker.stop()
})
const start = async (added = {}) => {
  const worker = await hooks.startWorker({}, undefined, added)
  running.push(worker)
  return worker
}

/** A worker whose retries wait for as long as a test does not say that they are due. */
const startPatient = () => start({ WEBHOOK_RETRY_DELAYS: '900,900,900,900' })
const makeDue = async (hook: Hook) => {
  const { no } = await positionRow(database_.sql, hook)
  await database_.sql`update hook_retries set due_at = now() where no = ${no}`
}

test('a receiver that is down has a bounded number of retries, others are not affected, and when it is back it gets everything', async () => {
  const type = 'lead.created'
  await startPatient()
  const hook = await subscribe('/down', type)
  const healthy = await subscribe('/ok/healthy', type)
  await receiver.answer('/down', 503)
  const ids = await hooks.emit(800, type)
  await hooks.ended(healthy, 800, 20_000)
  await until(async () => (await waiting(hook)) >= probingFrom)
  const before = await waiting(hook)
  expect(before).toBeLessThan(probingFrom + windowMax)
  ids.push(...(await hooks.emit(10, type)))
  await hooks.ended(healthy, 810)
  // One is tried now and then.
  expect(await waiting(hook)).toBeWithin(before, before + 3)
  // The position waits with the rest.
  const { cursor } = await positionRow(database_.sql, hook)
  const [event] =
    await database_.sql`select count(*)::integer as passed from event_cursors where cursor <= ${String(cursor)}`
  expect(event?.passed).toBeLessThan(before + windowMax)
  await receiver.answer('/down', 200)
  await makeDue(hook)
  const rows = await hooks.ended(hook, 810, 20_000)
  expect(rows.every(({ state }) => state === 'delivered')).toBe(true)
  expect(new Set(await hooks.ids(hook))).toEqual(new Set(ids))
  expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 0 })
}, 60_000)

test('when it is back before a retry is due, what waits behind them is delivered', async () => {
  const type = 'lead.archived'
  await startPatient()
  const hook = await subscribe('/returns', type)
  await receiver.answer('/returns', 503)
  await hooks.emit(700, type)
  // What was sent before it was full has failed as well.
  const isFull = async () => {
    const count = await waiting(hook)
    return count >= probingFrom && count === (await hooks.ids(hook)).length ? count : 0
  }
  const before = await until(isFull, 10_000)
  await receiver.answer('/returns', 200)
  const { no } = await positionRow(database_.sql, hook)
  const delivered = async () => {
    const [row] = await database_.sql`
      select count(*)::integer as delivered from hook_attempts where no = ${no} and outcome = 'd'`
    return row?.delivered as number
  }
  // Noticed by the next one that is tried, or the one after it: one is tried every ten seconds.
  await until(async () => (await delivered()) >= 700 - before - 3, 35_000)
  expect(await waiting(hook)).toBeWithin(before - 1, before + 3)
}, 60_000)

test('events that a receiver never takes do not hold up the others', async () => {
  const type = 'kontakt.merged'
  await startPatient()
  const hook = await subscribe('/poison/12', type)
  const ids = await hooks.emit(1_000, type)
  const good = ids.filter(id => !isPoison(id, 12))
  expect(ids.length - good.length).toBeGreaterThan(probingFrom)
  // Sooner than one could be tried now and then.
  await until(async () => {
    const seen = new Set(await hooks.ids(hook))
    return good.every(id => seen.has(id))
  }, 9_000)
  await until(async () => (await waiting(hook)) === ids.length - good.length)
  expect(await hooks.ids(hook)).toHaveLength(1_000)
}, 30_000)

test('a retry survives its process, and keeps the number of its attempts', async () => {
  const type = 'haushalt.updated'
  const first = await startPatient()
  const hook = await subscribe('/survives', type)
  await receiver.answer('/survives', 503)
  await hooks.emit(3, type)
  await until(async () => (await waiting(hook)) === 3)
  await first.stop()
  running.length = 0
  await receiver.answer('/survives', 200)
  await startPatient()
  await makeDue(hook)
  const rows = await hooks.ended(hook, 3)
  expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual(
    Array(3).fill(['delivered', 2]),
  )
  const attempts = await database_.sql`
    select attempt from hook_attempts where outcome = 'd' and no = ${(await positionRow(database_.sql, hook)).no}`
  expect(attempts.map(({ attempt }) => attempt)).toEqual([2, 2, 2])
})

test('a test event says that it is one, and nothing else does', async () => {
  const type = 'appointment.scheduled'
  await start()
  const hook = await subscribe('/ok/tested', type)
  const { cursor } = await positionRow(database_.sql, hook)
  const sent = (await sendTestEvent(database(), hook.id)) as number
  await hooks.emit(1, type)
  await hooks.ended(hook, 2)
  const requests = await receiver.requests(hook.path)
  const test = requests.find(({ headers }) => headers['webhook-test'] === 'true')
  const event = requests.find(({ headers }) => headers['webhook-test'] === undefined)
  expect(requests).toHaveLength(2)
  const envelope = JSON.parse(test?.body ?? '')
  expect(envelope).toMatchObject({ event_type: type, id: test?.headers['webhook-id'] })
  expect(Object.keys(envelope).sort()).toEqual(Object.keys(JSON.parse(event?.body ?? '')).sort())
  expect(test?.headers.traceparent).toStartWith(`00-${envelope.id.replaceAll('-', '')}-`)
  // It moves no position, and can be sent again.
  const row = await positionRow(database_.sql, hook)
  expect(row.cursor).toBeGreaterThanOrEqual(cursor)
  expect(await redeliver(database(), hook.id, sent)).toBe(true)
  await until(async () => (await receiver.requests(hook.path)).length === 3)
  expect((await receiver.requests(hook.path)).at(-1)?.body).toBe(test?.body ?? '')
})

test('one delivery is sent again and no other, and an attempt of it that fails is retried', async () => {
  const type = 'signal.opened'
  await start()
  const hook = await subscribe('/one', type)
  await receiver.answer('/one', 200)
  const ids = await hooks.emit(3, type)
  const rows = await hooks.ended(hook, 3)
  await receiver.answer('/one', 503)
  expect(await redeliver(database(), hook.id, rows[1]?.cursor ?? 0)).toBe(true)
  await until(async () => (await hooks.ids(hook)).length === 5)
  await receiver.answer('/one', 200)
  await hooks.ended(hook, 3)
  const seen = await hooks.ids(hook)
  expect(seen.slice(0, 3).sort()).toEqual([...ids].sort())
  expect(new Set(seen.slice(3)).size).toBe(1)
  expect(await hooks.state(hook)).toMatchObject({ consecutive_failures: 0 })
})
