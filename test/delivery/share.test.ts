// Several processes on one database share the work, and nobody gets anything twice.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database.ts'
import { useHooks } from '../support/delivery.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks

// What one process has under way to a subscription that has not answered yet.
const perProcess = 8

test.each([
  [2, 'lead.created'],
  [4, 'lead.archived'],
])(
  '%i processes',
  async (count, type) => {
    const held = await hooks.subscribe(receiver.url(`/held/${type}`), { event_types: [type] })
    const free = await hooks.subscribe(receiver.url(`/ok/${type}`), { event_types: [type] })
    await receiver.hold(held.path)
    const workers = await Promise.all(Array.from({ length: count }, () => hooks.spawnWorker()))
    const ids = await hooks.emit(1_000, type)
    // Each brings its own places, so all of them are at it.
    await until(
      async () => (await receiver.requests(held.path)).length === count * perProcess,
      20_000,
    )
    await receiver.answer(held.path, 200)
    await receiver.release(held.path)
    for (const hook of [held, free]) {
      const rows = await hooks.ended(hook, 1_000, 30_000)
      expect(rows.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(
        true,
      )
      expect((await hooks.ids(hook)).sort()).toEqual([...ids].sort())
      expect(await hooks.attempts(hook)).toHaveLength(1_000)
    }
    expect(await Promise.all(workers.map(worker => worker.stop()))).toEqual(workers.map(() => 0))
  },
  60_000,
)
