// Every process loses the database for longer than it is patient, and one comes back before the other.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { openTcpProxy } from '../support/database/tcp_proxy.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { positionRow, untilShared } from '../support/delivery/positions.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks
// Far longer than the database is away, which is longer than a process remembers that it lost its session.
const leaseMs = 60_000
const awayMs = 6_000
const laterMs = 1_500

test('the process that comes back first takes nothing from the other, and nothing is sent twice', async () => {
  const { sql, url } = database
  const all: Hook[] = []
  for (let place = 0; place < 8; place += 1)
    all.push(await hooks.subscribe(receiver.url(`/ok/cut/${place}`)))
  const proxies = await Promise.all([openTcpProxy(url), openTcpProxy(url)])
  const workers = await Promise.all(proxies.map(proxy => hooks.spawnWorker({ leaseMs }, proxy.url)))
  try {
    await untilShared(sql, [4, 4], 20_000)
    const owners = async () => {
      const positions = await Promise.all(all.map(hook => positionRow(sql, hook)))
      return positions.map(({ worker, fence }) => ({ worker, fence }))
    }
    const before = await owners()
    const ids = await hooks.emit(20)
    for (const hook of all) await hooks.ended(hook, 20)
    for (const proxy of proxies) proxy.away()
    ids.push(...(await hooks.emit(20)))
    await Bun.sleep(awayMs)
    await proxies[0].back()
    await Bun.sleep(laterMs)
    await proxies[1].back()
    for (const hook of all) await hooks.ended(hook, ids.length, 30_000)
    for (const hook of all) expect((await hooks.ids(hook)).sort()).toEqual([...ids].sort())
    expect(await owners()).toEqual(before)
    expect(await Promise.all(workers.map(worker => worker.stop()))).toEqual([0, 0])
  } finally {
    for (const proxy of proxies) proxy.close()
  }
}, 60_000)
