// Workers killed at the worst moments: nothing is lost, and only what a crash cut between the receiver's 200 and
// its record comes twice.
import { expect, test } from 'bun:test'
import { oneConnection, useDatabase } from '../support/database.ts'
import { type Hook, useHooks } from '../support/delivery.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks

// Longer than any attempt here, short enough to wait for.
const times = { leaseMs: 2_000, sending: { connectMs: 1_000, totalMs: 1_000 } }

const statesOf = async (hook: Hook) => (await hooks.deliveries(hook)).map(({ state }) => state)

/** Resolves when somebody waits for a lock of the table. */
const waitedFor = (table: string) =>
  until(async () => {
    const [waiting] = await database.sql`
      select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and relation = ${table}::regclass and not granted`
    return waiting
  }, 10_000)

test('killed before it claims: everything is delivered once by the next', async () => {
  const hook = await hooks.subscribe(receiver.url('/ok/before'), { event_types: ['lead.created'] })
  const blocker = oneConnection(database.url)
  const first = await hooks.spawnWorker(times)
  let ids: string[] = []
  await blocker.begin(async transaction => {
    await transaction`lock table hook_queue in access exclusive mode`
    ids = await hooks.emit(20, 'lead.created')
    await waitedFor('hook_queue')
    await first.kill()
  })
  await blocker.end()
  const next = await hooks.spawnWorker(times)
  await hooks.ended(hook, 20)
  expect((await hooks.ids(hook)).sort()).toEqual(ids.sort())
  await next.stop()
})

test('killed after it claimed, before an answer: delivered when the claim lapses', async () => {
  const hook = await hooks.subscribe(receiver.url('/claimed'), { event_types: ['lead.archived'] })
  await receiver.hold('/claimed')
  const first = await hooks.spawnWorker(times)
  const ids = await hooks.emit(8, 'lead.archived')
  await until(async () => (await hooks.ids(hook)).length === 8, 10_000)
  await first.kill()
  await receiver.answer('/claimed', 200)
  await receiver.release('/claimed')
  expect(await statesOf(hook)).toEqual(Array.from(ids, () => 'pending'))
  const next = await hooks.spawnWorker(times)
  const rows = await hooks.ended(hook, 8)
  expect(rows.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true)
  // The first ones were never answered, so the receiver sees each id a second time: never a third.
  expect((await hooks.ids(hook)).sort()).toEqual([...ids, ...ids].sort())
  await next.stop()
})

test('killed after the 200, before it is recorded: delivered again, once', async () => {
  const hook = await hooks.subscribe(receiver.url('/ok/unrecorded'), {
    event_types: ['kontakt.merged'],
  })
  const blocker = oneConnection(database.url)
  const first = await hooks.spawnWorker(times)
  let ids: string[] = []
  // Whoever records waits for this lock; claiming does not.
  await blocker.begin(async transaction => {
    await transaction`lock table hook_other_attempts in exclusive mode`
    ids = await hooks.emit(5, 'kontakt.merged')
    await until(async () => (await hooks.ids(hook)).length === 5, 10_000)
    await waitedFor('hook_other_attempts')
    await first.kill()
  })
  await blocker.end()
  // The statement may have been on its way; then it was recorded after all, and nothing comes twice.
  const recorded = (await statesOf(hook)).filter(state => state === 'delivered').length
  const next = await hooks.spawnWorker(times)
  await hooks.ended(hook, 5)
  expect(await statesOf(hook)).toEqual(Array.from(ids, () => 'delivered'))
  const seen = await hooks.ids(hook)
  expect(new Set(seen)).toEqual(new Set(ids))
  expect(seen.length).toBeLessThanOrEqual(10 - recorded)
  await next.stop()
})

test('killed during a pause: the count goes on where it was', async () => {
  const hook = await hooks.subscribe(receiver.url('/status/404/pausing'), {
    event_types: ['advisory_doc.sent'],
  })
  const first = await hooks.spawnWorker(times)
  await hooks.emit(9, 'advisory_doc.sent')
  await hooks.ended(hook, 9)
  const blocker = oneConnection(database.url)
  await blocker.begin(async transaction => {
    await transaction`select 1 from hook_subscriptions where id = ${hook.id} for update`
    await hooks.emit(3, 'advisory_doc.sent')
    await until(async () => (await hooks.ids(hook)).length === 12, 10_000)
    await first.kill()
  })
  await blocker.end()
  const next = await hooks.spawnWorker(times)
  await hooks.ended(hook, 12)
  expect(await hooks.state(hook)).toMatchObject({ active: false, consecutive_failures: 10 })
  const states = Map.groupBy(await statesOf(hook), state => state)
  expect([states.get('failed')?.length, states.get('skipped')?.length]).toEqual([10, 2])
  await next.stop()
})

test('told to stop, it lets attempts end and gives the rest back', async () => {
  const hook = await hooks.subscribe(receiver.url('/stopping'), {
    event_types: ['lead.stage_changed'],
  })
  await receiver.hold('/stopping')
  const patient = { drainMs: 300, sending: { totalMs: 10_000 } }
  const first = await hooks.spawnWorker({ leaseMs: 60_000, ...patient })
  const ids = await hooks.emit(5, 'lead.stage_changed')
  await until(async () => (await hooks.ids(hook)).length === 5, 10_000)
  expect(await first.stop()).toBe(0)
  // Given back, not left to the lease of a minute.
  const [{ taken } = {}] = await database.sql`
    select (select count(claim) from hook_queue where subscription_id = ${hook.id})::integer
      + (select count(*) from hook_leases where subscription_id = ${hook.id})::integer as taken`
  expect(taken).toBe(0)
  await receiver.release('/stopping')
  await receiver.answer('/stopping', 200)
  const next = await hooks.spawnWorker(times)
  const rows = await hooks.ended(hook, 5)
  expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual(
    Array.from(ids, () => ['delivered', 1]),
  )
  await next.stop()
})

test('two workers, one of them killed again and again: nothing is lost', async () => {
  const type = 'signal.status_changed'
  const targets = ['/ok/a', '/ok/b', '/flaky/1']
  const all = await Promise.all(
    targets.map(path => hooks.subscribe(receiver.url(path), { event_types: [type] })),
  )
  const workers = [await hooks.spawnWorker(times), await hooks.spawnWorker(times)]
  const committed: string[] = []
  let kills = 0
  let writing = true
  const killing = (async () => {
    while (writing) {
      await workers.shift()?.kill()
      workers.push(await hooks.spawnWorker(times))
      kills += 1
    }
  })()
  while (kills < 4) committed.push(...(await hooks.emit(5, type)))
  writing = false
  await killing
  for (const hook of all) {
    const rows = await hooks.ended(hook, committed.length, 30_000)
    expect(rows.every(({ state }) => state === 'delivered')).toBe(true)
    const seen = await hooks.ids(hook)
    expect(new Set(seen)).toEqual(new Set(committed))
    // An attempt that no crash cut is recorded; the others are what a crash can double.
    const recorded = (await hooks.attempts(hook)).length
    expect(seen.length).toBeLessThanOrEqual(recorded + kills * 64)
    expect(rows.every(({ attempts }) => attempts <= 5)).toBe(true)
  }
  await Promise.all(workers.map(worker => worker.kill()))
}, 60_000)
