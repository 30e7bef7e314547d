// Pages about all webhooks that stay open follow what happens; the page of one webhook has its own test.
import { beforeAll, expect, test } from 'bun:test'
import type { Route } from 'playwright-core'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { getWorkspacePulse } from '../../src/operations/overview.ts'
import { seen, type Tab, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, enter } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService(dashboardSettings)
const browser = useBrowser()
const paths = ['/dashboard', '/dashboard/webhooks', '/dashboard/status']
// A look at all webhooks every two seconds, and the page at most every five.
const followsWithinMs = 15_000
const tabs: Tab[] = []
let hook: factory.Inserted
let no: number

beforeAll(async () => {
  hook = await factory.hook(api.sql, { label: 'CRM' })
  const { id } = await factory.worker(api.sql, { lease_until: new Date(Date.now() + 600_000) })
  no = (await factory.position(api.sql, hook.id, { worker: id })).no
  for (const path of paths) {
    const tab = await browser.open()
    await enter(tab, api, path)
    tabs.push(tab)
  }
})

const every = (holds: (tab: Tab) => Promise<boolean>) =>
  until(async () => (await Promise.all(tabs.map(holds))).every(Boolean), followsWithinMs)

test('open pages say that a webhook was paused and that it goes on: verdict, banner, count and title', async () => {
  await api.sql`update hook_subscriptions set active = false, paused_at = now(), consecutive_failures = 10`
  await every(async tab => (await seen(tab.locator('.page'))).includes('angehalten'))
  await every(async tab => (await tab.title()).startsWith('(1) '))
  for (const tab of tabs) {
    expect(await tab.locator('.side .count').count()).toBe(1)
    expect(await tab.locator('link[rel=icon]').getAttribute('href')).toContain('trouble')
  }
  await api.sql`update hook_subscriptions set active = true, paused_at = null, consecutive_failures = 0`
  await every(async tab => !(await seen(tab.locator('.page'))).includes('angehalten'))
  await every(async tab => !(await tab.title()).startsWith('('))
  expect(tabs.flatMap(({ complaints }) => complaints)).toEqual([])
}, 40_000)

test('what comes again as it was is not replaced under the hand of who reads it', async () => {
  const tab = await browser.open()
  await enter(tab, api, '/dashboard/keys')
  const path = `${api.service.url}/dashboard/webhooks`
  // The page itself, and the first look at it.
  let answers = 0
  tab.on('response', response => {
    answers += Number(response.url() === path)
  })
  await tab.goto(path)
  await tab.locator('#live-all .scroll').evaluate(one => one.setAttribute('id', 'marked'))
  await until(() => answers >= 2)
  await tab.evaluate(() => new Promise(requestAnimationFrame))
  expect(await tab.locator('#marked').count()).toBe(1)
  await tab.context().close()
})

test('a stream that was refused, as while the database is away, is asked for again', async () => {
  const tab = await browser.open()
  await enter(tab, api, '/dashboard/keys')
  let refused = 0
  await tab.route('**/dashboard/watch', route => {
    refused += 1
    return refused === 1 ? route.fulfill({ status: 500 }) : route.continue()
  })
  await tab.goto(`${api.service.url}/dashboard/webhooks`)
  await until(() => refused >= 2, followsWithinMs)
  await api.sql`update hook_subscriptions set active = false, paused_at = now()`
  await until(async () => (await seen(tab.locator('main'))).includes('angehalten'), followsWithinMs)
  await api.sql`update hook_subscriptions set active = true, paused_at = null`
  await tab.context().close()
}, 40_000)

test('a page that cannot be renewed says so: as long as the service fails, and as long as it is gone', async () => {
  for (const fail of [
    (route: Route) => route.fulfill({ status: 500 }),
    (route: Route) => route.abort('connectionrefused'),
  ]) {
    const tab = await browser.open()
    await enter(tab, api, '/dashboard')
    const stale = tab.locator('#stale')
    await tab.route('**/dashboard**', fail)
    // Its stream is open already: seen again, the page opens another.
    await tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await until(async () => (await stale.count()) === 1, followsWithinMs)
    expect(await seen(stale)).toStartWith('Der Dienst antwortet gerade nicht.')
    await tab.unroute('**/dashboard**')
    await until(async () => (await stale.count()) === 0, followsWithinMs)
    await tab.context().close()
  }
}, 80_000)

test('open pages say that nothing is delivered once no worker runs, without any action', async () => {
  await factory.event(api.sql, { cursor: 1, sequenced_at: new Date(Date.now() - 60_000) })
  await api.sql`update hook_workers set lease_until = now() - interval '1 second'`
  await every(async tab =>
    (await seen(tab.locator('.page'))).includes('Es wird nichts zugestellt.'),
  )
}, 40_000)

test('what pages about all webhooks compare differs after each change, and not without one', async () => {
  const database = openDatabase(api.sql, queries)
  let last = await getWorkspacePulse(database)
  const changes = [
    () => factory.retry(api.sql, { no, cursor: 1, attempts: 1, due_at: '2999-01-01' }),
    () => api.sql`update hook_retries set attempts = 2`,
    () => factory.failure(api.sql, { no, cursor: 1 }),
    () => factory.skip(api.sql, { no, events: 2 }),
    () => factory.position(api.sql, hook.id, { cursor: 1 }),
    () => factory.event(api.sql, { cursor: 2 }),
    () => api.sql`update hook_workers set lease_until = now() + interval '1 minute'`,
    () => api.sql`delete from hook_subscriptions`,
  ]
  for (const [index, change] of changes.entries()) {
    expect([index, await getWorkspacePulse(database)]).toEqual([index, last])
    await change()
    const after = await getWorkspacePulse(database)
    expect([index, after]).not.toEqual([index, last])
    last = after
  }
})

test('open pages say that the sign-in has ended, and lead to it', async () => {
  await api.sql`delete from owner_sessions`
  // A change makes them look; without one they learn it from the stream.
  await every(async tab => (await seen(tab.locator('main'))).includes('Ihre Sitzung ist zu Ende'))
  for (const [index, tab] of tabs.entries())
    expect(await tab.locator('#over a').getAttribute('href')).toBe(
      `/dashboard/sign-in?next=${paths[index]}`,
    )
}, 40_000)
