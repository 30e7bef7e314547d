// One process leads; another takes over when it is killed, hangs or stops. With real processes and a real receiver.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks

const fence = async () => (await database.sql`select fence from leader`)[0]?.fence as number

/** Resolves with the milliseconds until an event that is committed now has arrived. */
async function arrival(hook: Hook): Promise<number> {
  const since = performance.now()
  const [id = ''] = await hooks.emit(1)
  await until(async () => (await hooks.ids(hook)).includes(id), 20_000)
  return performance.now() - since
}

/** Two processes; the first one leads and has delivered. */
async function two(path: string) {
  await database.sql`
    update hook_subscriptions set deleted_at = now(), active = false, target_url = null, secret = null
    where deleted_at is null`
  const hook = await hooks.subscribe(receiver.url(path))
  const first = await hooks.spawnWorker()
  await arrival(hook)
  const second = await hooks.spawnWorker()
  return { hook, first, second, led: await fence() }
}

test('killed under load: the other delivers within six seconds, nothing is lost, doubled at most what was under way', async () => {
  const { hook, first, second, led } = await two('/ok/killed')
  const before = (await hooks.ids(hook)).length
  const ids = await hooks.emit(2_000)
  await until(async () => (await hooks.ids(hook)).length > before + 200)
  await first.kill()
  const since = performance.now()
  await until(async () => (await fence()) > led, 20_000)
  const took = performance.now() - since
  const arrived = await until(async () => {
    const all = await hooks.ids(hook)
    return ids.every(id => all.includes(id)) ? all : undefined
  }, 30_000)
  expect(took).toBeLessThan(6_000)
  // Eight in flight, and what ended within the last batch.
  expect(arrived.length - before - ids.length).toBeLessThan(600)
  await second.stop()
}, 60_000)

test('a leader that hangs is replaced within seven seconds; resumed, it changes nothing', async () => {
  const { hook, first, second, led } = await two('/ok/hangs')
  await receiver.hold('/ok/hangs')
  await hooks.emit(4)
  const held = (await hooks.ids(hook)).length
  await until(async () => (await hooks.ids(hook)).length === held + 4 || held === 5)
  first.freeze()
  const since = performance.now()
  await until(async () => (await fence()) > led, 20_000)
  expect(performance.now() - since).toBeLessThan(7_000)
  await receiver.release('/ok/hangs')
  await arrival(hook)
  const state = await hooks.state(hook)
  first.resume()
  await arrival(hook)
  await arrival(hook)
  expect(await fence()).toBe(led + 1)
  expect(Number((await hooks.state(hook)).cursor)).toBeGreaterThanOrEqual(Number(state.cursor))
  await Promise.all([first.stop(), second.stop()])
}, 60_000)

test('a stop hands over at once, and nothing is doubled', async () => {
  const { hook, first, second, led } = await two('/ok/stops')
  const before = await hooks.ids(hook)
  const ids = await hooks.emit(500)
  await until(async () => (await hooks.ids(hook)).length > before.length + 50)
  const since = performance.now()
  await first.stop()
  await until(async () => (await fence()) > led)
  expect(performance.now() - since).toBeLessThan(4_000)
  await hooks.ended(hook, before.length + ids.length, 20_000)
  expect((await hooks.ids(hook)).toSorted()).toEqual([...before, ...ids].toSorted())
  await second.stop()
}, 60_000)

test('a clock that was set far ahead does not keep a lease for ever', async () => {
  await database.sql`update leader set worker = gen_random_uuid(), lease_until = now() + interval '1 day'`
  const hook = await hooks.subscribe(receiver.url('/ok/clock'))
  const worker = await hooks.spawnWorker()
  expect(await arrival(hook)).toBeLessThan(4_000)
  await worker.stop()
}, 30_000)
