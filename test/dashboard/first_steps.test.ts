// What the overview says of the first steps, and of the one that is left once all works.
import { expect, test } from 'bun:test'
import { dashboardSettings, mainOf, signIn } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService({
  ...dashboardSettings,
  SMTP_URL: 'smtp://127.0.0.1:1',
  NOTICE_FROM: 'workspace@example.com',
})

test('that no notices are set up is said until they are, also after the other first steps', async () => {
  const session = await signIn(api)
  const overview = async () => mainOf((await session.get('/dashboard')).text)
  const hint = 'Wenn etwas nicht ankommt, bekommen Sie bisher keine Nachricht.'
  const before = await overview()
  expect(before).toContain('Die ersten Schritte')
  expect(before).not.toContain(hint)
  await factory.apiKey(api.sql)
  const { id } = await factory.hook(api.sql, { created_at: new Date() })
  const { no } = await factory.position(api.sql, id)
  expect(await overview()).toContain('Die ersten Schritte')
  await factory.attempt(api.sql, { no, started_at: new Date() })
  const unset = await overview()
  expect(unset).not.toContain('Die ersten Schritte')
  expect(unset).toContain(`${hint} Benachrichtigung einrichten`)
  const saved = { mail_to: 'owner@example.com' }
  expect((await session.submit('/dashboard/notices', saved)).status).toBe(303)
  expect(await overview()).not.toContain(hint) // After a quiet month nothing tells of deliveries but the age of the webhook.
  await api.sql`delete from hook_attempts`
  expect(await overview()).toContain('Die ersten Schritte')
  await api.sql`update hook_subscriptions set created_at = now() - interval '32 days'`
  expect(await overview()).not.toContain('Die ersten Schritte')
})
