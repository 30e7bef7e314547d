// A webhook from its beginning to its end, in a real browser, with a receiver that answers: made, tested, changed, paused,
// left paused, deleted.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { RunningWorker } from '../../src/worker/start.ts'
import { seen, type Tab, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, enter } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService({ ...dashboardSettings, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })
const hooks = useHooks(api)
const { receiver } = hooks
const browser = useBrowser()
let worker: RunningWorker
let tab: Tab

beforeAll(async () => {
  worker = await hooks.startWorker()
  tab = await browser.open()
  await enter(tab, api)
})
afterAll(async () => {
  await tab.context().close()
  await worker.stop()
})

const text = () => seen(tab.locator('main'))
const press = (name: string) => tab.getByRole('button', { name, exact: true }).click()
const at = (path: string) => tab.goto(`${api.service.url}${path}`)
const requests = (path: string) => receiver.requests(path)
const types = async (path: string) =>
  (await requests(path)).map(({ body }) => JSON.parse(body).event_type)

const archive = (name: string) =>
  api.sql`update leads set archived_at = now(), archive_reason_code = 'not_reachable' where name = ${name}`

test('from the first steps to the first delivery without a command', async () => {
  expect(await text()).toContain('Die ersten Schritte')
  await tab.getByRole('link', { name: 'Anwendung einrichten' }).click()
  await tab.getByRole('link', { name: /^Zapier/ }).click()
  await tab.getByRole('link', { name: /legen Sie damit den Webhook an/ }).click()
  expect(await tab.getByLabel('Name').inputValue()).toBe('Zapier')
  await tab.getByLabel('Adresse').fill('https://192.168.7.7/hook')
  await tab.getByRole('checkbox', { name: /^Neuer Lead/ }).check()
  await press('Anlegen')
  expect(await seen(tab.getByRole('alert'))).toContain('privates oder gesperrtes Netz')
  tab.complaints.length = 0
  expect(await tab.getByRole('checkbox', { name: /^Neuer Lead/ }).isChecked()).toBe(true)
  await tab.getByLabel('Adresse').fill(receiver.url('/ok/zapier'))
  await press('Anlegen')
  expect(await seen(tab.locator('h1'))).toBe('„Zapier“ ist angelegt')
  expect(await seen(tab.locator('.copyable code'))).toMatch(/^whsec_/)
  await tab.getByRole('link', { name: 'Ich habe es kopiert' }).click()
  await tab.locator('#test button').click()
  // Without reloading.
  await until(async () => (await text()).includes('1. Versuch: Antwort 200'))
  expect((await requests('/ok/zapier')).length).toBe(1)
  await api.sql`insert into leads (name, email) values ('Anna Weber', 'anna.weber@example.org')`
  await until(async () => (await requests('/ok/zapier')).length === 2)
  await at('/dashboard/events')
  await until(async () => (await text()).includes('Anna Weber'))
  await tab.locator('tbody a').first().click()
  await until(async () => {
    await tab.reload()
    return /Zapier\s+zugestellt/.test(await text())
  })
  await at('/dashboard')
  expect(await text()).toContain('Alles läuft.')
  expect(await text()).toMatch(/Erfolgreich zugestellt\s+100\s?%/)
})

test('changed, it gets what it lists from then on, at its new address', async () => {
  await at('/dashboard/webhooks')
  await tab.getByRole('link', { name: 'Zapier' }).click()
  await tab.getByRole('link', { name: 'Ändern' }).click()
  await tab.getByLabel('Name').fill('Zapier neu')
  await tab.getByLabel('Adresse').fill(receiver.url('/ok/moved'))
  await tab.getByRole('checkbox', { name: /^Neuer Lead/ }).uncheck()
  await tab.getByRole('checkbox', { name: /^Lead archiviert/ }).check()
  await press('Speichern')
  expect(await seen(tab.locator('[data-done]'))).toContain('Die Änderung ist gespeichert')
  expect(await seen(tab.locator('h1'))).toBe('Zapier neu')
  await api.sql`insert into leads (name, email, archived_at) select 'Lead ' || n, 'lead' || n || '@example.org', null from generate_series(1, 3) as n`
  await archive('Lead 1')
  await until(async () => (await types('/ok/moved')).includes('lead.archived'))
  // By now the worker knows: what it is not to get does not come in between.
  const before = (await types('/ok/moved')).length
  await api.sql`insert into leads (name, email) values ('Bert Klein', 'bert.klein@example.org')`
  await archive('Lead 2')
  await until(async () => (await types('/ok/moved')).length > before)
  expect((await types('/ok/moved')).slice(before)).toEqual(['lead.archived'])
  expect((await requests('/ok/zapier')).length).toBe(2)
})

test('paused with a reason nothing is sent and nothing alarms; switched on again it catches up', async () => {
  await tab.getByText('Anhalten', { exact: true }).click()
  await tab.getByLabel('Grund').fill('CRM wird umgestellt')
  await press('Webhook anhalten')
  const notice = tab.locator('#live-hook .notice')
  expect(await seen(notice)).toContain('CRM wird umgestellt')
  expect(await text()).toContain('sobald der Webhook eingeschaltet ist')
  expect(await tab.title()).not.toMatch(/^\(/)
  await at('/dashboard')
  expect(await tab.locator('.banner').count()).toBe(0)
  expect(await text()).toMatch(
    /Keine Störung\.\s+Einen Webhook haben Sie angehalten; dorthin wird nichts gesendet\./,
  )
  await archive('Lead 3')
  await at('/dashboard/webhooks')
  expect(await text()).toContain('von Ihnen angehalten')
  await tab.getByRole('link', { name: 'Zapier neu' }).click()
  await until(async () => (await text()).includes('Ein Ereignis ist noch nicht zugestellt.'))
  // The open page follows, though the position stands still.
  await archive('Bert Klein')
  await until(async () => (await text()).includes('2 Ereignisse sind noch nicht zugestellt.'))
  const sent = (await requests('/ok/moved')).length
  await press('Wieder einschalten und alles nachliefern')
  await until(async () => (await requests('/ok/moved')).length === sent + 2)
  const [row] = await api.sql`select pause_reason from hook_subscriptions`
  expect(row?.pause_reason).toBe(null)
})

test('an open page offers no test event once its webhook is paused, and does again', async () => {
  const offered = () => tab.locator('a[href="#test"], #test button').count()
  expect(await offered()).toBe(2)
  await api.sql`update hook_subscriptions set active = false, paused_at = now(), consecutive_failures = 10`
  await until(async () => (await offered()) === 0)
  await api.sql`update hook_subscriptions set active = true, paused_at = null, consecutive_failures = 0`
  await until(async () => (await offered()) === 2)
  // What was typed and not sent stays.
  await tab.getByText('Anhalten', { exact: true }).click()
  await tab.getByLabel('Grund').fill('Umzug')
  await tab.locator('h1').click()
  await api.sql`update hook_subscriptions set consecutive_failures = 3`
  await until(async () => (await text()).includes('Die letzten 3 Zustellungen'))
  expect(await tab.getByLabel('Grund').inputValue()).toBe('Umzug')
  await api.sql`update hook_subscriptions set consecutive_failures = 0`
})

test('one that is gone for good is left paused, and then deleted by its name', async () => {
  const { id } = await factory.hook(api.sql, {
    label: 'Altes CRM',
    active: false,
    paused_at: factory.moment,
    failing_since: factory.moment,
    consecutive_failures: 10,
  })
  await at('/dashboard/keys')
  expect(await seen(tab.locator('.banner'))).toContain('Der Webhook „Altes CRM“ ist angehalten.')
  expect(await tab.title()).toStartWith('(1) API-Schlüssel')
  expect(await tab.locator('link[rel=icon]').getAttribute('href')).toContain('trouble')
  await tab.getByRole('link', { name: 'Ansehen und beheben' }).click()
  expect(await tab.locator('.banner').count()).toBe(0)
  await press('Weiter angehalten lassen')
  await at('/dashboard/keys')
  expect(await tab.locator('.banner').count()).toBe(0)
  await at(`/dashboard/webhooks/${id}/delete`)
  await tab.getByLabel('Geben Sie zur Sicherheit').fill('Zapier neu')
  await press('Endgültig löschen')
  expect(await seen(tab.getByRole('alert'))).toContain('Der Name stimmt nicht überein.')
  tab.complaints.length = 0
  await tab.getByLabel('Geben Sie zur Sicherheit').fill('Altes CRM')
  await press('Endgültig löschen')
  expect(await seen(tab.locator('[data-done]'))).toBe('Der Webhook ist gelöscht.')
  expect(await api.sql`select id from hook_subscriptions where id = ${id}`).toHaveLength(0)
  expect(tab.complaints).toEqual([])
})

test('what was done is in the log of System, without secrets', async () => {
  await at('/dashboard/status')
  const said = await text()
  for (const action of [
    'Webhook angelegt',
    'Webhook geändert',
    'Webhook angehalten',
    'Webhook gelöscht',
  ])
    expect(said).toContain(action)
  expect(said).toContain('Zapier neu')
  expect(said).toContain('127.0.0.1')
})
