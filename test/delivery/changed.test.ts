// The owner changes a subscription while what came of a delivery is being recorded.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks
hooks.useWorker()

const subscribe = (path: string, type: string) =>
  hooks.subscribe(receiver.url(path), { event_types: [type] })

/** Sends an event that is answered only when the change is about to commit, and what came of it waits to be recorded. */
async function changeMeanwhile(hook: Hook, type: string, status: number, change: string) {
  const before = (await hooks.ids(hook)).length
  await receiver.answer(hook.path, status)
  await receiver.hold(hook.path)
  const [id] = await hooks.emit(1, type)
  await until(async () => (await hooks.ids(hook)).length === before + 1)
  await database.sql.begin(async transaction => {
    await transaction.unsafe(change)
    await receiver.release(hook.path)
    await until(async () => {
      const rows = await database.sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%record_attempts%'`
      return rows.length > 0
    })
  })
  return id as string
}

/** Adds this type. */
const retype = ({ id }: Hook, type: string) =>
  `update hook_subscriptions set event_types = event_types || '${type}'::text where id = '${id}'`

/** Nine that failed for good, each at once. */
async function failNine(hook: Hook, type: string) {
  await receiver.answer(hook.path, 404)
  await hooks.emit(9, type)
  await until(async () => (await hooks.state(hook)).consecutive_failures === 9)
}

/** Resolves when an event of the type that was added has come: what waited before it was sent before it. */
async function addedComes(hook: Hook, type: string) {
  await receiver.answer(hook.path, 200)
  const [id] = await hooks.emit(1, type)
  await until(async () => (await hooks.ids(hook)).includes(id as string))
}

const timesOf = async (hook: Hook, id: string) =>
  (await hooks.ids(hook)).filter(one => one === id).length

test('other types: a success ends the run of failures', async () => {
  const type = 'signal.opened'
  const hook = await subscribe('/resets', type)
  await failNine(hook, type)
  await changeMeanwhile(hook, type, 200, retype(hook, 'lead.created'))
  await until(async () => (await hooks.state(hook)).consecutive_failures === 0)
  await receiver.answer(hook.path, 404)
  await hooks.emit(1, type)
  await hooks.ended(hook, 11)
  await until(async () => (await hooks.state(hook)).consecutive_failures !== 0)
  expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 1 })
})

test('other types: the tenth failure pauses, and is sent once', async () => {
  const type = 'signal.status_changed'
  const hook = await subscribe('/tenth', type)
  await failNine(hook, type)
  const id = await changeMeanwhile(hook, type, 404, retype(hook, 'lead.archived'))
  await until(async () => (await hooks.state(hook)).active === false)
  expect(await hooks.state(hook)).toMatchObject({ consecutive_failures: 10 })
  expect(await timesOf(hook, id)).toBe(1)
})

test('other types: what failed for good is not sent again', async () => {
  const type = 'haushalt.updated'
  const hook = await subscribe('/final', type)
  const id = await changeMeanwhile(hook, type, 404, retype(hook, 'appointment.scheduled'))
  await addedComes(hook, 'appointment.scheduled')
  const [failed] = await hooks.ended(hook, 2)
  expect(failed).toMatchObject({ state: 'failed', attempts: 1 })
  expect(await timesOf(hook, id)).toBe(1)
})

test('other types: what is tried again has five attempts', async () => {
  const type = 'kontakt.merged'
  const hook = await subscribe('/tries', type)
  const id = await changeMeanwhile(hook, type, 503, retype(hook, 'advisory_doc.sent'))
  await hooks.ended(hook, 1)
  await addedComes(hook, 'advisory_doc.sent')
  expect(await timesOf(hook, id)).toBe(5)
})

test('switched on again: its count begins at 0', async () => {
  const type = 'lead.stage_changed'
  const hook = await subscribe('/anew', type)
  await failNine(hook, type)
  const pause = `update hook_subscriptions set active = false, paused_at = now() where id = '${hook.id}'`
  await changeMeanwhile(hook, type, 404, `${pause}; select reactivate_hook('${hook.id}', false)`)
  await until(async () => (await hooks.attempts(hook)).length === 10)
  expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 0 })
  await hooks.emit(1, type)
  await until(async () => (await hooks.attempts(hook)).length === 11)
  expect(await hooks.state(hook)).toMatchObject({ active: true, consecutive_failures: 1 })
})
