// What the owner reads of webhooks that rest, and of those that are back: nothing alarms, and nothing is said to be on its way
// that is not.
import { beforeEach, expect, test } from 'bun:test'
import {
  cookieFrom,
  dashboardSettings,
  mainOf,
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

const main = async (path: string) => mainOf((await session.get(path)).text)

async function subscribe(label: string, columns: factory.Columns = {}) {
  const { id } = await factory.hook(api.sql, { label, ...columns })
  const { no } = await factory.position(api.sql, id)
  return { id, no, path: `/dashboard/webhooks/${id}` }
}

const paused = { active: false, paused_at: factory.moment }
const broken = { ...paused, consecutive_failures: 10, failing_since: factory.moment }

async function events(count: number) {
  for (let cursor = 1; cursor <= count; cursor += 1) await factory.event(api.sql, { cursor })
}

test('while webhooks rest the overview says so, and not that everything is delivered', async () => {
  const crm = await subscribe('CRM')
  const byHand = await subscribe('Süd')
  const byFailures = await subscribe('Nord', broken)
  await events(3)
  await factory.position(api.sql, crm.id, { cursor: 3, worker: (await factory.worker(api.sql)).id })
  for (const { path } of [byHand, byFailures])
    expect((await session.submit(`${path}/pause`)).status).toBe(303)
  const { text } = await session.get('/dashboard')
  expect(mainOf(text)).toContain(
    'Keine Störung. 2 Webhooks haben Sie angehalten; dorthin wird nichts gesendet.',
  )
  expect(mainOf(text)).not.toContain('Alles läuft')
  expect(text).not.toContain('class="banner')
  await api.sql`update hook_positions set cursor = 3, claimed_to = 3`
  await api.sql`update hook_subscriptions set active = true, pause_reason = null, paused_at = null, failing_since = null, consecutive_failures = 0`
  expect(await main('/dashboard')).toContain('Alles läuft.')
})

test('what failed for good is not said to be tried again once its webhook is back', async () => {
  const { id, no, path } = await subscribe('CRM', broken)
  await events(2)
  for (const cursor of [1, 2]) {
    await factory.attempt(api.sql, { no, cursor, outcome: 'f', status: 422 })
    await factory.failure(api.sql, { no, cursor })
  }
  await factory.position(api.sql, id, { cursor: 2 })
  expect((await session.submit(`${path}/reactivate`)).status).toBe(303)
  const page = await main(path)
  expect(page).toMatch(
    /Warum Antwort 422\. .* 2 fehlgeschlagene Zustellungen sind noch nicht nachgeholt\./,
  )
  expect(page).not.toMatch(/wird wiederholt|weitere folgen von selbst/i)
  expect(await main('/dashboard/webhooks')).not.toContain('wird wiederholt')
})

test('nothing is said to be on its way to a webhook that missed nothing', async () => {
  const reactivated = async (path: string) => {
    const answer = await session.submit(`${path}/reactivate-deliver`)
    const cookie = `${session.cookie}; ${cookieFrom(answer)}`
    return mainOf((await session.get(path, { cookie })).text)
  }
  const none = await subscribe('Nord', broken)
  const said = await reactivated(none.path)
  expect(said).toContain('Der Webhook ist wieder eingeschaltet.')
  expect(said).not.toContain('nachgeliefert')
  const some = await subscribe('Süd', broken)
  await events(1)
  expect(await reactivated(some.path)).toContain('Was er nicht bekommen hat, wird nachgeliefert.')
})

test('what paused webhooks lack is the same number everywhere', async () => {
  const nord = await subscribe('Nord', { ...paused, pause_reason: '' })
  const sued = await subscribe('Süd', broken)
  await events(10)
  for (const cursor of [1, 2, 3]) {
    await factory.attempt(api.sql, { no: sued.no, cursor, outcome: 'f', status: 500 })
    await factory.failure(api.sql, { no: sued.no, cursor })
  }
  for (const { id } of [nord, sued]) await factory.position(api.sql, id, { cursor: 3 })
  await factory.retry(api.sql, { no: sued.no, cursor: 3 })
  // Paused while they caught up: two of four events are left of the range.
  for (const { no } of [nord, sued]) {
    const range = { from_cursor: 1, to_cursor: 3, claimed_to: 1, events: 4, catching_up: true }
    await factory.skip(api.sql, { no, ...range })
  }
  const list = await main('/dashboard/webhooks')
  expect(list).toMatch(/Süd \S+ nach Fehlern angehalten – – – 13 /)
  expect(list).toMatch(/Nord \S+ von Ihnen angehalten – – – 9 /)
  expect(await main(nord.path)).toContain('9 Ereignisse sind noch nicht zugestellt.')
  expect(await main(sued.path)).toContain('13 Ereignisse sind noch nicht zugestellt.')
  // Nothing is on its way while it is paused.
  expect(await main(sued.path)).not.toContain('Verpasstes wird nachgeliefert')
  expect(await main('/dashboard')).toContain(
    'Noch nicht zugestellt 13 13 kommen nur an, wenn Sie sie nachliefern, von Ihnen angehaltene Webhooks nicht mitgezählt',
  )
})

test('a form of an old tab neither pauses what was switched on, nor forgets the reason of a pause', async () => {
  const { id, path } = await subscribe('CRM', broken)
  const { text } = await session.get(path)
  const [, rest = ''] = /action="[^"]*\/pause">(.*?)<\/form>/s.exec(text) ?? []
  expect(rest).toContain('<input type="hidden" name="rest" value="yes">')
  const row = async () => {
    const [found] =
      await api.sql`select active, pause_reason from hook_subscriptions where id = ${id}`
    return { ...found }
  }
  const said = async (answer: Awaited<ReturnType<Session['submit']>>) =>
    mainOf((await session.get(path, { cookie: `${session.cookie}; ${cookieFrom(answer)}` })).text)
  await session.submit(`${path}/reactivate`)
  expect(await said(await session.submit(`${path}/pause`, { rest: 'yes' }))).toContain(
    'Das ging nicht: Der Webhook ist inzwischen wieder eingeschaltet.',
  )
  expect(await row()).toEqual({ active: true, pause_reason: null })
  await session.submit(`${path}/pause`, { reason: 'CRM wird umgestellt' })
  await session.submit(`${path}/pause`, { reason: '' })
  expect(await row()).toEqual({ active: false, pause_reason: 'CRM wird umgestellt' })
})
