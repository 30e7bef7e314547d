// Several processes on one database share the subscriptions: each has one worker at a time, and gets everything once.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { untilShared } from '../support/delivery/positions.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks

/** Fences of the attempts to a subscription in the order in which those began, without repetitions. */
async function workers({ id }: Hook): Promise<number[]> {
  const rows = await database.sql`
    select hook_attempts.fence from hook_attempts join hook_positions on hook_positions.no = hook_attempts.no
    where subscription_id = ${id} order by started_at`
  return rows.map(row => row.fence).filter((fence, place, all) => fence !== all[place - 1])
}

test('they come and go, and what each has is a fair share; nothing is lost or comes twice', async () => {
  const { sql } = database
  const all: Hook[] = []
  for (let place = 0; place < 12; place += 1)
    all.push(await hooks.subscribe(receiver.url(`/ok/share/${place}`)))
  const ids: string[] = []
  let writing = true
  const writer = (async () => {
    for (; writing; await Bun.sleep(60)) ids.push(...(await hooks.emit(1)))
  })()
  const start = () => hooks.spawnWorker()
  const first = await start()
  await untilShared(sql, [12])
  const second = await start()
  await untilShared(sql, [6, 6])
  const third = await start()
  await untilShared(sql, [4, 4, 4])
  expect(await second.stop()).toBe(0)
  await untilShared(sql, [6, 6])
  const others = await Promise.all([start(), start(), start()])
  await untilShared(sql, [2, 2, 2, 3, 3])
  expect(await first.stop()).toBe(0)
  await untilShared(sql, [3, 3, 3, 3])
  writing = false
  await writer
  for (const hook of all) {
    const rows = await hooks.ended(hook, ids.length, 30_000)
    expect(rows.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true)
    expect((await hooks.ids(hook)).sort()).toEqual([...ids].sort())
    // Once a successor had begun, its predecessor sent nothing more.
    const fences = await workers(hook)
    expect(fences).toEqual(fences.toSorted((one, other) => one - other))
  }
  expect(await Promise.all([third, ...others].map(worker => worker.stop()))).toEqual([0, 0, 0, 0])
  await untilShared(sql, [])
}, 60_000)

test('of four that start at once one alone sends to a receiver that does not answer; nothing is lost or comes twice', async () => {
  const type = 'lead.archived'
  const held = await hooks.subscribe(receiver.url('/held'), { event_types: [type] })
  const free = await Promise.all(
    [1, 2, 3].map(place =>
      hooks.subscribe(receiver.url(`/ok/free/${place}`), { event_types: [type] }),
    ),
  )
  await receiver.hold(held.path)
  const ids = await hooks.emit(100, type)
  const workers = await Promise.all([1, 2, 3, 4].map(() => hooks.spawnWorker()))
  await until(async () => (await hooks.ids(held)).length > 0, 20_000)
  for (const hook of free) await hooks.ended(hook, 100, 30_000)
  // One process has it: one window at most, and less where processors are scarce.
  const sent = await hooks.ids(held)
  expect(sent.length).toBeWithin(1, 65)
  expect(new Set(sent).size).toBe(sent.length)
  await receiver.answer(held.path, 200)
  await receiver.release(held.path)
  for (const hook of [held, ...free]) {
    const rows = await hooks.ended(hook, 100, 30_000)
    expect(rows.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true)
    expect((await hooks.ids(hook)).sort()).toEqual([...ids].sort())
  }
  expect(await Promise.all(workers.map(worker => worker.stop()))).toEqual([0, 0, 0, 0])
}, 60_000)
