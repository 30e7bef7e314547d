// An attempt whose end nobody recorded: the report of an erasure says that its webhook may have received the event,
// whatever became of the delivery since.
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { findHoldings } from '../../src/operations/erasure.ts'
import { useDatabase } from '../support/database.ts'
import { type Hook, useHooks, type WorkerProcess } from '../support/delivery.ts'
import * as factory from '../support/factory.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks

/** A worker in the midst of a POST about the person; the answer never comes. */
async function underWay(name: string, leaseMs: number) {
  const hook = await hooks.subscribe(receiver.url(`/${name}`), { event_types: ['lead.created'] })
  await receiver.hold(`/${name}`)
  const worker = await hooks.spawnWorker({ leaseMs, drainMs: 100, sending: { totalMs: 20_000 } })
  await factory.lead(database.sql, { email: `${name}@example.org`, phone: null })
  await until(async () => (await hooks.ids(hook)).length === 1, 10_000)
  return { hook, worker }
}

async function possibly(name: string, hook: Hook) {
  const found = await findHoldings(openDatabase(database.sql, queries), `${name}@example.org`)
  return found?.recipients.filter(({ subscription_id }) => subscription_id === hook.id)
}

const once = [{ received: 0, possibly: 1, event_types: ['lead.created'] }]

/** Nobody sends to it any more: what another worker takes over is skipped. */
async function pauseAndSkip(hook: Hook) {
  await database.sql`update hook_subscriptions set active = false, paused_at = now() where id = ${hook.id}`
  const next: WorkerProcess = await hooks.spawnWorker()
  await hooks.ended(hook, 1)
  await next.stop()
}

test('cut off by the stop of its process', async () => {
  const { hook, worker } = await underWay('stop', 60_000)
  await worker.stop()
  expect(await hooks.deliveries(hook)).toMatchObject([{ state: 'pending', attempts: 0 }])
  expect(await possibly('stop', hook)).toMatchObject(once)
  await pauseAndSkip(hook)
  expect(await possibly('stop', hook)).toMatchObject(once)
})

test('cut off by a crash, and its delivery skipped since', async () => {
  const { hook, worker } = await underWay('crash', 1_000)
  await worker.kill()
  await pauseAndSkip(hook)
  expect(await possibly('crash', hook)).toMatchObject(once)
})

test('cut off by a crash, and given back by hand', async () => {
  const { hook, worker } = await underWay('again', 60_000)
  await worker.kill()
  const [delivery] = await hooks.deliveries(hook)
  await database.sql`update hook_queue set due_at = now() where id = ${delivery?.id ?? 0}`
  const again = { id: delivery?.id ?? 0 }
  expect(
    await openDatabase(database.sql, queries).rows('updateDeliveryRedelivered', again),
  ).toHaveLength(1)
  expect(await possibly('again', hook)).toMatchObject(once)
})

test('what was not sent yet is not told of', async () => {
  const { hook, worker } = await underWay('rest', 60_000)
  for (let lead = 0; lead < 20; lead += 1)
    await factory.lead(database.sql, { email: 'rest@example.org', phone: null })
  await until(async () => (await hooks.deliveries(hook)).length === 21, 10_000)
  await worker.stop()
  const sent = (await hooks.ids(hook)).length
  expect(sent).toBeLessThan(21)
  expect(await possibly('rest', hook)).toMatchObject([{ received: 0, possibly: sent }])
})
