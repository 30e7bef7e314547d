// What the owner reads before and after a button is pressed: what it does, and what is left.
import { beforeEach, expect, test } from 'bun:test'
import {
  dashboardSettings,
  press as pressIn,
  readMain,
  type Session,
  signIn,
} from '../support/browser/dashboard.ts'
import { emptyFeed } from '../support/database/empty_feed.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000)
let session: Session

beforeEach(async () => {
  await emptyFeed(api.sql)
  session = await signIn(api)
})

const main = (path: string) => readMain(session, path)
const press = (path: string, fields: Record<string, string> = {}) => pressIn(session, path, fields)

/** One to which failures paused, with a retry of the first event and two more that wait. */
async function paused(columns: factory.Columns = {}) {
  const hook = { label: 'CRM', active: false, paused_at: ago(50), ...columns }
  const { id } = await factory.hook(api.sql, hook)
  const { no } = await factory.position(api.sql, id, { cursor: 1 })
  for (const cursor of [1, 2, 3]) await factory.event(api.sql, { cursor })
  await factory.attempt(api.sql, { no, cursor: 1, outcome: 'r', status: 500, started_at: ago(60) })
  await factory.retry(api.sql, { no, cursor: 1, attempts: 1, due_at: ago(9) })
  return { id, no, path: `/dashboard/webhooks/${id}` }
}

test('switching a webhook on without delivering says before and after what becomes of what waits', async () => {
  const { path } = await paused()
  expect(await main(path)).toContain(
    '„Nur wieder einschalten“ liefert nichts nach. 2 wartende Ereignisse gelten dann als verpasst. Eine Wiederholung gilt dann als fehlgeschlagen. Nachliefern oder verwerfen können Sie es danach auf dieser Seite.',
  )
  expect(await main(`${path}?state=pending`)).toContain(
    '2 weitere Ereignisse warten. Gesendet werden sie, wenn Sie beim Einschalten nachliefern.',
  )
  const after = await press(`${path}/reactivate`)
  expect(after).toContain(
    'Der Webhook ist wieder eingeschaltet. 3 Ereignisse hat er nicht bekommen; Sie können sie nachliefern oder verwerfen.',
  )
  expect(after).toContain('Fehlgeschlagen 1 Verpasst 2')
})

test('of a paused webhook no row names a next attempt', async () => {
  const { id, no, path } = await paused()
  await factory.retry(api.sql, { no, cursor: 2, attempts: 1, due_at: '2999-01-01' })
  const rows = async () => (await main(`${path}?state=pending`)).split('Nächster Versuch')[1] ?? ''
  const held = 'nicht, solange der Webhook angehalten ist'
  expect((await rows()).split(held)).toHaveLength(3)
  expect(await rows()).not.toMatch(/so bald wie möglich|2999/)
  await api.sql`update hook_subscriptions set active = true, paused_at = null where id = ${id}`
  expect(await rows()).toMatch(/2999.*so bald wie möglich/)
})

test('a webhook that its owner paused names the reason and the last error as what they are', async () => {
  const { path } = await paused({ pause_reason: 'CRM wird umgestellt' })
  const page = await main(path)
  expect(page).toMatch(/Grund CRM wird umgestellt Letzter Fehler Antwort 500\./)
  expect(page).not.toContain('Warum Antwort')
  await api.sql`update hook_subscriptions set pause_reason = ''`
  expect(await main(path)).not.toContain('Grund CRM')
  await api.sql`update hook_subscriptions set pause_reason = null`
  expect(await main(path)).toMatch(/Warum Antwort 500\./)
})

test('the log tells whether a webhook was resumed with what it missed, and the moment of each action', async () => {
  await api.sql`truncate owner_actions`
  const { path } = await paused()
  await press(`${path}/reactivate-deliver`)
  await api.sql`update hook_subscriptions set active = false, paused_at = now()`
  await press(`${path}/reactivate`)
  await api.sql`update owner_actions set at = '2026-03-01 12:34:56Z'`
  const moment = /So\., 1\. März 2026, 12:34:56 UTC/.source
  expect(await main('/dashboard/status')).toMatch(
    new RegExp(
      `${moment}.* Webhook wieder eingeschaltet, ohne nachzuliefern .*${moment}.* Webhook wieder eingeschaltet und nachgeliefert`,
    ),
  )
})

test('the log keeps the name of a webhook that was deleted', async () => {
  await api.sql`truncate owner_actions`
  const { path } = await paused({ label: 'Bestandssystem' })
  await press(`${path}/reactivate`)
  await press(`${path}/delete`, { name: 'Bestandssystem' })
  expect(await main('/dashboard/status')).toMatch(
    /Webhook gelöscht Bestandssystem .* Webhook wieder eingeschaltet, ohne nachzuliefern Bestandssystem /,
  )
})

test('where nothing waits for a paused webhook there is nothing to say about it', async () => {
  const { id } = await factory.hook(api.sql, { active: false, paused_at: ago(50) })
  expect(await main(`/dashboard/webhooks/${id}`)).not.toContain('liefert nichts nach')
  const after = await press(`/dashboard/webhooks/${id}/reactivate`)
  expect(after).toMatch(/Der Webhook ist wieder eingeschaltet\. Status/)
})
