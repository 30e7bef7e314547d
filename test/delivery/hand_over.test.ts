// A subscription goes from one live process to another: what has ended and is not recorded yet goes with it.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { isWaitedFor, positionRow, untilShared } from '../support/delivery/positions.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks

test('a retry that arrived while its process stops is recorded first, and not sent again', async () => {
  const { sql } = database
  const hook = await hooks.subscribe(receiver.url('/stops'))
  const idle: Hook[] = []
  for (const path of ['/idle/1', '/idle/2', '/idle/3'])
    idle.push(await hooks.subscribe(receiver.url(path), { event_types: ['lead.created'] }))
  const first = await hooks.startWorker()
  await receiver.answer('/stops', 503)
  await hooks.emit(1)
  await until(async () => (await hooks.attempts(hook)).length === 1)
  await receiver.hold('/stops')
  await until(async () => (await hooks.ids(hook)).length === 2)
  const { worker } = await positionRow(sql, hook)
  const second = await hooks.startWorker()
  await untilShared(sql, [2, 2])
  const workerOf = async (one: Hook) => (await positionRow(sql, one)).worker
  expect(await workerOf(hook)).toBe(worker)
  const unlocked = await sql.begin(async locking => {
    await locking`lock table hook_attempts in share row exclusive mode`
    await receiver.answer('/stops', 200)
    await receiver.release('/stops')
    await until(() => isWaitedFor(sql, 'hook_attempts'))
    const stopping = first.stop()
    // What is idle is given back at once.
    await until(async () => !(await Promise.all(idle.map(workerOf))).includes(worker))
    expect(await workerOf(hook)).toBe(worker)
    return { stopping }
  })
  await unlocked.stopping
  await hooks.emit(1)
  const rows = await hooks.ended(hook, 2)
  expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['delivered', 2],
    ['delivered', 1],
  ])
  expect(await hooks.ids(hook)).toHaveLength(3)
  await second.stop()
}, 30_000)

test('a session that is cut while a stop waits for a response: the other process does not send it again', async () => {
  const { sql } = database
  const type = 'lead.archived'
  await sql`delete from hook_subscriptions`
  const hook = await hooks.subscribe(receiver.url('/cut'), { event_types: [type] })
  await receiver.hold('/cut')
  const first = await hooks.startWorker()
  await untilShared(sql, [1])
  await hooks.emit(1, type)
  await until(async () => (await hooks.ids(hook)).length === 1)
  const { worker } = await positionRow(sql, hook)
  const second = await hooks.startWorker()
  await until(
    async () => (await sql`select from hook_workers where lock_key is not null`).length === 2,
  )
  const [before] = await sql`select lock_key from hook_workers where id = ${worker}`
  const stopping = first.stop()
  await until(async () => (await sql`select from hook_workers where leaving`).length === 1)
  await sql`
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and classid = 20230 and objid::bigint = ${before?.lock_key}`
  // The other process sees the lock of the new session, or takes over.
  await until(async () => {
    const [row] = await sql`
      select from hook_workers where id = ${worker} and lock_key <> ${before?.lock_key}`
    return row || (await positionRow(sql, hook)).worker !== worker
  })
  expect((await positionRow(sql, hook)).worker).toBe(worker)
  await receiver.answer('/cut', 200)
  await receiver.release('/cut')
  await stopping
  await hooks.ended(hook, 1)
  expect(await hooks.ids(hook)).toHaveLength(1)
  await second.stop()
}, 30_000)
