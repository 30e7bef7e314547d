// An attempt whose end was never recorded: the report of an erasure says that its webhook may have received the event,
// whatever became of the delivery since.
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { silentWindowMax, windowMax } from '../../src/delivery/limits.ts'
import { findHoldings } from '../../src/operations/erasure.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks

const lead = (name: string) =>
  factory.lead(database.sql, { email: `${name}@example.org`, phone: null })

/** A worker that is sending an event about the person; the answer never comes. */
async function underWay(name: string) {
  const hook = await hooks.subscribe(receiver.url(`/${name}`), { event_types: ['lead.created'] })
  await receiver.hold(`/${name}`)
  const worker = await hooks.spawnWorker({ drainMs: 100, sending: { totalMs: 20_000 } })
  await lead(name)
  await until(async () => (await hooks.ids(hook)).length === 1, 10_000)
  return { hook, worker }
}

async function possibly(name: string, hook: Hook) {
  const found = await findHoldings(openDatabase(database.sql, queries), `${name}@example.org`)
  return found?.recipients.filter(({ subscription_id }) => subscription_id === hook.id)
}

const once = [{ received: 0, possibly: 1, event_types: ['lead.created'] }]

const pause = (hook: Hook) =>
  database.sql`update hook_subscriptions set active = false, paused_at = now() where id = ${hook.id}`

/** It receives again, but not what it missed. */
const goOnWithout = (hook: Hook) => database.sql`select reactivate_hook(${hook.id}, false)`

test('an event that the stop of its process cut off is reported as possibly received', async () => {
  const { hook, worker } = await underWay('stop')
  await worker.stop()
  expect(await hooks.deliveries(hook)).toMatchObject([{ state: 'pending', attempts: 0 }])
  expect(await possibly('stop', hook)).toMatchObject(once)
  await pause(hook)
  expect(await possibly('stop', hook)).toMatchObject(once)
})

test('an event that a crash cut off is reported as possibly received, though its delivery was skipped since', async () => {
  const { hook, worker } = await underWay('crash')
  await worker.kill()
  expect(await possibly('crash', hook)).toMatchObject(once)
  await pause(hook)
  await goOnWithout(hook)
  expect(await hooks.deliveries(hook)).toMatchObject([{ state: 'skipped' }])
  expect(await possibly('crash', hook)).toMatchObject(once)
})

test('what came after the process had stopped is not reported', async () => {
  const { hook, worker } = await underWay('rest')
  for (let sent = 1; sent < windowMax + 20; sent += 1) await lead('rest')
  await until(async () => (await hooks.ids(hook)).length >= silentWindowMax, 10_000)
  await worker.stop()
  const sent = new Set(await hooks.ids(hook)).size
  for (let late = 0; late < 3; late += 1) await lead('rest')
  // It gives them their cursors.
  const next = await hooks.spawnWorker({ drainMs: 100, sending: { totalMs: 20_000 } })
  await until(async () => (await hooks.deliveries(hook)).length === windowMax + 23, 10_000)
  await next.stop()
  expect(sent).toBeWithin(silentWindowMax, windowMax + 1)
  // Those that waited for a connection may have been sent, for all that the database knows.
  const [report] = (await possibly('rest', hook)) ?? []
  expect(report).toMatchObject({ received: 0 })
  expect(report?.possibly).toBeWithin(sent, windowMax + 1)
})
