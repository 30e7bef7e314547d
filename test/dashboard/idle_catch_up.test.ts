// What is caught up with stands still while no process delivers, and says so.
import { expect, test } from 'bun:test'
import { dashboardSettings, mainOf, signIn } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)

test('catching up that cannot go on shows no bar and says that it waits, and pages say why next to what needs the owner', async () => {
  const session = await signIn(api)
  const { id } = await factory.hook(api.sql, { label: 'Auswertung' })
  const worker = (await factory.worker(api.sql)).id
  for (let cursor = 1; cursor <= 9; cursor += 1) await factory.event(api.sql, { cursor })
  const { no } = await factory.position(api.sql, id, { cursor: 9, worker })
  await factory.skip(api.sql, { no, from_cursor: 2, to_cursor: 9, events: 9, catching_up: true })
  await factory.hook(api.sql, { active: false, paused_at: factory.moment })
  const text = async (path: string) => (await session.get(path)).text
  const path = `/dashboard/webhooks/${id}`
  const idle =
    'Ereignisse warten, aber der Teil des Dienstes, der sie verarbeitet (der Worker), läuft offenbar nicht.'
  expect(await text(path)).toContain('<progress')
  expect(await text('/dashboard')).not.toContain(idle)
  expect(await text('/dashboard/webhooks')).toContain('liefert Verpasstes nach')
  await api.sql`delete from hook_workers`
  // It waits for as long as pages wait before they say so.
  await api.sql`update hook_skips set created_at = now() - interval '31 seconds'`
  expect(await text('/dashboard/keys')).toContain(idle)
  const page = await text(path)
  expect(page).not.toContain('<progress')
  expect(mainOf(page)).toContain(
    'noch 7 von 9 Ereignissen. Das Übrige wartet: Zurzeit wird nichts zugestellt.',
  )
  expect(await text('/dashboard/webhooks')).toContain('Nachlieferung wartet')
  const overview = mainOf(await text('/dashboard'))
  expect(overview).toContain(idle)
  expect(overview).toContain('Ein Webhook braucht Ihre Aufmerksamkeit.')
})
