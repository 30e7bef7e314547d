// What a subscriber and the owner see of deliveries: order and bounds, pauses, changes, what goes while it waits. Against a
// real receiver; each test has an event type of its own.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks
hooks.useWorker({ sending: { totalMs: 10_000 } })

const change = (id: string, columns: string) =>
  database.sql.unsafe(`update hook_subscriptions set ${columns} where id = '${id}'`)

const waiting = async ({ id }: Hook) =>
  (
    await database.sql`
      select cursor, attempts, due_at is null as failed from hook_outstanding where subscription_id = ${id} order by cursor`
  ).map(({ attempts, failed }) => [attempts, failed])

const subscribed = (path: string, type: string, columns = {}) =>
  hooks.subscribe(receiver.url(path), { event_types: [type], ...columns })

/** Ids of the events that arrived, without those that came again. */
const arrived = async (hook: Hook) => [...new Set(await hooks.ids(hook))]

const untilArrived = async (hook: Hook, count: number) =>
  await until(async () => {
    const ids = await hooks.ids(hook)
    return ids.length >= count ? ids : undefined
  }, 20_000)

/** Resolves when the worker has read the subscriptions anew: a later one of them receives. */
async function known(type: string) {
  const later = await subscribed(`/ok/later/${type}`, 'signal.status_changed')
  await hooks.emit(1, 'signal.status_changed')
  await hooks.ended(later, 1)
}

test('each attempt is kept with what came of it', async () => {
  const type = 'signal.outcome_recorded'
  const hook = await subscribed('/answers/503,reset,redirect/kept', type)
  await hooks.emit(1, type)
  const [row] = await hooks.ended(hook, 1)
  expect(row).toMatchObject({ state: 'failed', attempts: 3 })
  expect(await hooks.attempts(hook)).toMatchObject([
    { status: 503, error_class: 'status', excerpt: 'status 503' },
    { status: null, error_class: 'connect', excerpt: null },
    { status: 302, error_class: 'status', excerpt: 'status 302' },
  ])
  expect(await receiver.requests('/ok/redirected')).toEqual([])
})

test('the owner pauses: what is in flight ends, nothing more starts; then the rest follows, each once', async () => {
  const type = 'analysis.completed'
  const hook = await subscribed('/ok/owner', type)
  await receiver.hold('/ok/owner')
  const ids = await hooks.emit(30, type)
  await untilArrived(hook, 8)
  await change(hook.id, 'active = false')
  await known(type)
  await receiver.release('/ok/owner')
  await until(async () => (await hooks.attempts(hook)).length === 8)
  await hooks.emit(1, 'signal.opened')
  expect(await hooks.ids(hook)).toHaveLength(8)
  await change(hook.id, 'active = true')
  await hooks.ended(hook, 30)
  expect((await hooks.ids(hook)).toSorted()).toEqual(ids.toSorted())
}, 30_000)

test('a changed address is used from the next attempt on, and nothing is lost or comes twice', async () => {
  const type = 'din.check_completed'
  const hook = await subscribed('/ok/before', type)
  await receiver.hold('/ok/before')
  const ids = await hooks.emit(30, type)
  await untilArrived(hook, 8)
  await change(hook.id, `target_url = '${receiver.url('/ok/after')}'`)
  await known(type)
  await receiver.release('/ok/before')
  await hooks.ended(hook, 30)
  const [before, after] = [await hooks.ids(hook), await hooks.ids({ ...hook, path: '/ok/after' })]
  expect(before).toHaveLength(8)
  expect([...before, ...after].toSorted()).toEqual(ids.toSorted())
}, 30_000)

test('added types count from the position on; a waiting retry of a type that was taken away goes unsent', async () => {
  const hook = await subscribed('/ok/types', 'haushalt.updated')
  await receiver.answer('/ok/types', 503)
  await hooks.emit(1, 'haushalt.updated')
  await until(async () => (await waiting(hook)).length === 1)
  await change(hook.id, "event_types = '{kontakt.merged}'")
  await receiver.heal('/ok/types')
  await until(async () => (await waiting(hook)).length === 0)
  const before = (await hooks.attempts(hook)).length
  const [id] = await hooks.emit(1, 'kontakt.merged')
  await until(async () => (await hooks.ids(hook)).includes(id ?? ''))
  await until(async () => (await hooks.attempts(hook)).length > before)
  expect(await hooks.ids(hook)).toHaveLength(before + 1)
}, 30_000)

test('what waits for its next attempt and is erased goes without an attempt', async () => {
  const type = 'appointment.scheduled'
  const hook = await subscribed('/ok/erased', type)
  await receiver.answer('/ok/erased', 503)
  const [id] = await hooks.emit(1, type)
  await until(async () => (await waiting(hook)).length === 1)
  await database.sql`delete from events where id = ${id ?? ''}`
  await database.sql`select pg_notify('events_erased', '')`
  await until(async () => (await waiting(hook)).length === 0)
  const made = await hooks.attempts(hook)
  await receiver.heal('/ok/erased')
  const [next] = await hooks.emit(1, type)
  await until(async () => (await hooks.ids(hook)).includes(next ?? ''))
  await until(async () => (await hooks.attempts(hook)).length > made.length)
  expect(await hooks.ids(hook)).toHaveLength(made.length + 1)
}, 30_000)

test('replayed while requests are in flight: everything after the cursor arrives again', async () => {
  const type = 'appointment.updated'
  const hook = await subscribed('/ok/replayed', type)
  const ids = await hooks.emit(20, type)
  await hooks.ended(hook, 20)
  const { cursor } = await until(async () => {
    const state = await hooks.state(hook)
    const last = (await hooks.deliveries(hook)).at(-1)?.cursor
    return Number(state.cursor) >= Number(last) ? { cursor: Number(last) } : undefined
  })
  await receiver.hold('/ok/replayed')
  const more = await hooks.emit(8, type)
  await untilArrived(hook, 28)
  await database.sql`select * from replay_hook(${hook.id}::text::uuid, ${String(cursor - 10)}::bigint)`
  await receiver.release('/ok/replayed')
  const seen = await until(async () => {
    const all = await hooks.ids(hook)
    const counts = new Map(ids.slice(10).map(id => [id, all.filter(one => one === id).length]))
    return [...counts.values()].every(count => count >= 2) ? all : undefined
  }, 20_000)
  expect(new Set(seen)).toEqual(new Set([...ids, ...more]))
  for (const id of ids.slice(0, 10)) expect(seen.filter(one => one === id)).toHaveLength(1)
}, 40_000)

test('sent with its cursor, and deleted while it waits: nothing more is sent', async () => {
  const type = 'advisory_doc.sent'
  const hook = await subscribed('/ok/deleted', type)
  await receiver.answer('/ok/deleted', 503)
  await hooks.emit(1, type)
  await until(async () => (await waiting(hook)).length === 1)
  const [request] = await receiver.requests('/ok/deleted')
  const [row] = await hooks.deliveries(hook)
  expect(request?.headers['x-service-cursor']).toBe(String(row?.cursor))
  await change(hook.id, 'deleted_at = now(), active = false, target_url = null, secret = null')
  const made = (await hooks.attempts(hook)).length
  expect(await waiting(hook)).toEqual([])
  const other = await subscribed('/ok/deleted/other', type)
  await hooks.emit(3, type)
  await hooks.ended(other, 3)
  expect((await hooks.attempts(hook)).length).toBeLessThanOrEqual(made + 1)
  expect(await arrived(hook)).toHaveLength(1)
}, 30_000)
