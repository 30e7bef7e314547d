// Test events on the page of a webhook: those that failed are dismissed, the newest is named on top.
import { beforeEach, expect, test } from 'bun:test'
import {
  dashboardSettings,
  mainOf,
  press as pressIn,
  readMain,
  type Session,
  signIn,
} from '../support/browser/dashboard.ts'
import { emptyFeed } from '../support/database/empty_feed.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
let session: Session

beforeEach(async () => {
  await emptyFeed(api.sql)
  session = await signIn(api)
})

const main = (path: string) => readMain(session, path)
const press = (path: string, fields: Record<string, string> = {}) => pressIn(session, path, fields)

async function subscribe() {
  const { id } = await factory.hook(api.sql, { label: 'Zapier' })
  const { no } = await factory.position(api.sql, id)
  return { no, path: `/dashboard/webhooks/${id}` }
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

async function tested(no: number, minutes: number, outcome: 'd' | 'f') {
  const created_at = minutesAgo(minutes)
  // Newer ones are further below 0.
  const { cursor } = await factory.testEvent(api.sql, { no, cursor: minutes - 60, created_at })
  const status = outcome === 'd' ? 200 : 404
  await factory.attempt(api.sql, { no, cursor, outcome, status, started_at: created_at })
  if (outcome === 'f') await factory.failure(api.sql, { no, cursor })
  return cursor
}

test('test events that failed are dismissed where they are listed, and no failure goes along', async () => {
  const { no, path } = await subscribe()
  await tested(no, 5, 'f')
  const failed = `${path}?state=failed`
  const button = 'Fehlgeschlagene Testereignisse verwerfen'
  expect(await main(failed)).toContain(button)
  expect(await main(`${path}?state=all`)).not.toContain(button)
  // One that fails while the page is open.
  await factory.event(api.sql, { cursor: 1 })
  await factory.attempt(api.sql, { no, cursor: 1, outcome: 'f', status: 404 })
  await factory.failure(api.sql, { no, cursor: 1 })
  const asked = { shown: '0', tests: 'yes' }
  expect(await press(`${path}/dismiss`, asked)).toContain('Inzwischen ist es ein Ereignis')
  // It is dismissed with the button that names it.
  expect(await main(failed)).not.toContain(button)
  await api.sql`delete from hook_failures where cursor = 1`
  const after = await press(`${path}/dismiss`, asked)
  expect(after).toContain('Die fehlgeschlagenen Testereignisse sind verworfen.')
  expect(await api.sql`select from hook_failures where no = ${no}`).toHaveLength(0)
  // Nothing was lost that the log of actions should tell of.
  expect(await api.sql`select from owner_actions where action = 'hook_dismissed'`).toHaveLength(0)
  expect(await main(failed)).not.toContain(button)
})

test('the newest test event is named where the page begins, whatever the lists show', async () => {
  const { no, path } = await subscribe()
  expect(await main(path)).not.toContain('Letztes Testereignis')
  await tested(no, 50, 'd')
  expect(await main(path)).toContain('Letztes Testereignis zugestellt vor 50 Min.')
  const cursor = await tested(no, 4, 'f')
  const { text } = await session.get(path)
  expect(mainOf(text)).toContain('Letztes Testereignis fehlgeschlagen vor 4 Min.')
  expect(text).toContain(`<a href="${path}/deliveries/${cursor}">Test ansehen</a>`)
})
