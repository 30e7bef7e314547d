// The database answers nothing for longer than a lease: every process finds its own lease over, and the others' as well.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { positionRow, untilShared } from '../support/delivery/positions.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks
const leaseMs = 2_000

test('after a database that answered nothing every subscription has the process it had, and nothing is sent twice', async () => {
  const { sql } = database
  const all: Hook[] = []
  for (let place = 0; place < 8; place += 1)
    all.push(await hooks.subscribe(receiver.url(`/ok/stalled/${place}`)))
  const workers = await Promise.all([1, 2].map(() => hooks.spawnWorker({ leaseMs })))
  await untilShared(sql, [4, 4], 20_000)
  const ids: string[] = []
  let writing = true
  const writer = (async () => {
    for (; writing; await Bun.sleep(20)) ids.push(...(await hooks.emit(2)))
  })()
  const owners = () => Promise.all(all.map(async hook => (await positionRow(sql, hook)).worker))
  const before = await owners()
  for (const table of ['hook_positions', 'hook_workers', 'event_cursors']) {
    const sent = ids.length
    await until(() => ids.length > sent + 20)
    await sql.begin(async locking => {
      await locking`lock table ${locking(table)} in access exclusive mode`
      await Bun.sleep(leaseMs * 1.4)
    })
    // Each process has looked again.
    const [{ at }] = (await sql`select clock_timestamp() as at`) as unknown as [{ at: string }]
    await until(async () => {
      const rows =
        await sql`select from hook_workers where lease_until > ${at}::timestamptz + interval '1 second'`
      return rows.length === 2
    })
  }
  writing = false
  await writer
  for (const hook of all) await hooks.ended(hook, ids.length, 30_000)
  for (const hook of all) expect((await hooks.ids(hook)).sort()).toEqual([...ids].sort())
  expect(await owners()).toEqual(before)
  expect(await Promise.all(workers.map(worker => worker.stop()))).toEqual([0, 0])
}, 90_000)
