// How far it is with what was sent again: a bar while it goes on, and why it does not.
import { expect, test } from 'bun:test'
import { dashboardSettings, mainOf, signIn } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)

test('what is sent again shows no bar while it cannot go on, and says why', async () => {
  const session = await signIn(api)
  const { id } = await factory.hook(api.sql)
  const { no } = await factory.position(api.sql, id, {
    worker: (await factory.worker(api.sql)).id,
  })
  const waitingSince = new Date(Date.now() - 3_600_000)
  for (const cursor of [1, 2])
    await factory.retry(api.sql, { no, cursor, due_at: waitingSince, created_at: waitingSince })
  await factory.attempt(api.sql, { no, cursor: 3, started_at: new Date() })
  await api.sql`insert into hook_redeliveries (no, cursors) values (${no}, '{1,2,3}')`
  const shown = async () => {
    const { text } = await session.get(`/dashboard/webhooks/${id}`)
    return { main: mainOf(text), hasBar: text.includes('<progress') }
  }
  const going = await shown()
  expect(going.main).toContain('Noch einmal gesendet: 1 von 3 sind zugestellt. Angestoßen')
  expect(going.hasBar).toBe(true)
  await api.sql`delete from hook_workers`
  const idle = await shown()
  expect(idle.main).toContain('Das Übrige wartet: Zurzeit wird nichts zugestellt.')
  expect(idle.hasBar).toBe(false)
  await api.sql`update hook_subscriptions set active = false, paused_at = now(), pause_reason = '' where id = ${id}`
  const paused = await shown()
  expect(paused.main).toContain('Das Übrige wartet, solange der Webhook angehalten ist.')
  expect(paused.hasBar).toBe(false)
  await api.sql`delete from hook_retries where cursor = 2`
  expect((await shown()).main).toContain(
    '1 von 3 sind zugestellt. Eine ist verworfen, gelöscht, verfallen oder abbestellt. Das Übrige wartet',
  )
})
