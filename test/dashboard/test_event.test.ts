// A test event from the page of a webhook, to a receiver that takes longer than any other request may.
import { beforeAll, expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { dashboardSettings, mainOf, signIn } from '../support/browser/dashboard.ts'
import type { TestDatabase } from '../support/database/database.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const place = {} as TestDatabase
const hooks = useHooks(place)
const api = useService({ ...dashboardSettings, ...hooks.settings, STATEMENT_TIMEOUT_MS: '1000' })
beforeAll(() => void Object.assign(place, { sql: api.sql, url: api.url }))

test('the page waits for the answer of a slow receiver', async () => {
  const { id, path } = await hooks.subscribe(hooks.receiver.url('/ok/slow'))
  await hooks.receiver.hold(path)
  const session = await signIn(api)
  const pressed = session.submit(`/dashboard/webhooks/${id}/test`, { type: 'signal.opened' })
  await until(async () => (await hooks.receiver.requests(path)).length === 1)
  await pause(2_500)
  await hooks.receiver.release(path)
  expect(mainOf((await pressed).text)).toContain('Das Testereignis ist angekommen.')
})
