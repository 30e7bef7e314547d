// The owner looks for deliveries, sees how many there are, and sends them again: with and without scripts.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { RunningWorker } from '../../src/worker/start.ts'
import { seen, type Tab, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, enter, type Session, signIn } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService({ ...dashboardSettings, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })
const hooks = useHooks(api)
const { receiver } = hooks
const browser = useBrowser()
let worker: RunningWorker
let tab: Tab
let hook: Hook
let session: Session

const path = () => `/dashboard/webhooks/${hook.id}`
const text = () => seen(tab.locator('#live-deliveries'))
const rows = () => tab.locator('#live-deliveries tbody tr').count()

/** Two deliveries arrived, three failed with 401. */
beforeAll(async () => {
  worker = await hooks.startWorker()
  tab = await browser.open()
  await enter(tab, api)
  session = await signIn(api)
  hook = await hooks.subscribe(receiver.url('/crm'), {
    label: 'CRM',
    event_types: ['lead.created', 'signal.opened'],
  })
  await receiver.answer('/crm', 200)
  await hooks.emit(2)
  await hooks.ended(hook, 2)
  await receiver.answer('/crm', 401)
  await api.sql`insert into leads (name, email) values ('Anna Weber', 'anna.weber@example.org')`
  await hooks.emit(2)
  await hooks.ended(hook, 5)
})
afterAll(async () => {
  await tab.context().close()
  await worker.stop()
})

test('a filter shows what matches and how many there are in each state', async () => {
  await tab.goto(`${api.service.url}${path()}`)
  await tab.getByText('Filtern und suchen').click()
  await tab.getByLabel('Antwort').selectOption({ label: 'Antwort 401' })
  await tab.getByRole('button', { name: 'Anzeigen' }).click()
  expect(await text()).toMatch(
    /alle \(3\)\s+fehlgeschlagen \(3\)\s+wartet\s+verpasst\s+zugestellt\n/,
  )
  expect(await rows()).toBe(3)
  // What was left empty is not in the address.
  expect(new URL(tab.url()).search).toBe('?reason=401')
  await tab.getByRole('checkbox', { name: 'Neuer Lead' }).check()
  await tab.getByRole('button', { name: 'Anzeigen' }).click()
  expect(await text()).toMatch(/alle \(1\)/)
  expect(await text()).toContain('Anna Weber')
})

test('a search finds a person by address, and an event by its id', async () => {
  const search = async (searched: string) => {
    await tab.goto(`${api.service.url}${path()}?time=24h`)
    await tab.getByRole('searchbox').fill(searched)
    await tab.keyboard.press('Enter')
    await tab.waitForURL(/[?&]q=/)
  }
  await search('Anna.Weber@example.org')
  expect([await rows(), (await text()).includes('Anna Weber')]).toEqual([1, true])
  const id = (await hooks.ids(hook))[0] ?? ''
  await search(id)
  expect(await rows()).toBe(1)
  await search('niemand@example.org')
  expect(await text()).toContain('Keine Zustellungen, auf die das zutrifft.')
})

test('a time is typed in the zone of the viewer and means that moment', async () => {
  await tab.goto(`${api.service.url}${path()}?from=2026-03-01T11:30&to=2030-01-01T00:00`)
  expect(await tab.getByLabel('Von').inputValue()).toBe('2026-03-01T12:30')
  expect(await seen(tab.getByLabel('Von').locator('..'))).not.toContain('UTC')
  expect(await rows()).toBe(5)
  await tab.getByLabel('Von').fill('2029-07-01T12:30')
  await tab.getByRole('button', { name: 'Anzeigen' }).click()
  await tab.waitForURL(/from=2029/)
  const query = new URL(tab.url()).searchParams
  expect([query.get('from'), query.get('to')]).toEqual(['2029-07-01T10:30', '2030-01-01T00:00'])
  expect(await rows()).toBe(0)
})

test('what is shown is sent again with its progress, and nothing else is', async () => {
  await receiver.answer('/crm', 200)
  const before = (await receiver.requests('/crm')).length
  await tab.goto(`${api.service.url}${path()}?reason=4xx`)
  await tab.getByRole('link', { name: /^fehlgeschlagen/ }).click()
  await tab.getByRole('button', { name: 'Diese 3 Zustellungen noch einmal senden' }).click()
  expect(await seen(tab.locator('[data-done]'))).toBe('3 Zustellungen werden noch einmal gesendet.')
  // The filter is still there, and the page follows what comes of it.
  expect(new URL(tab.url()).searchParams.get('reason')).toBe('4xx')
  await until(async () => (await text()).includes('Noch einmal gesendet: 3 von 3 sind zugestellt.'))
  expect((await receiver.requests('/crm')).length).toBe(before + 3)
  expect(tab.complaints).toEqual([])
})

test('what arrived before is sent again only after a second look', async () => {
  await tab.goto(`${api.service.url}${path()}?reason=2xx&state=delivered`)
  const button = tab.getByRole('button', { name: 'Diese 5 Zustellungen noch einmal senden' })
  expect(await button.isVisible()).toBe(false)
  await tab.getByText('Alle diese noch einmal senden').click()
  expect(await text()).toContain('bekommt der Empfänger dann ein zweites Mal')
  expect(await button.isVisible()).toBe(true)
})

test('without a filter nothing is sent, nor to one that is paused or gone', async () => {
  const before = (await receiver.requests('/crm')).length
  const submit = async (id: string, fields: Record<string, string>) => {
    const answer = await session.submit(`/dashboard/webhooks/${id}/redeliver`, fields)
    return answer.headers.getSetCookie().join()
  }
  expect(await submit(hook.id, { state: 'all' })).toContain('found_again.0')
  const { id } = await factory.hook(api.sql, { active: false, paused_at: factory.moment })
  expect(await submit(id, { time: '24h' })).toContain('refused_paused')
  expect(await submit(crypto.randomUUID(), { time: '24h' })).toContain('refused_gone')
  expect((await receiver.requests('/crm')).length).toBe(before)
})

test('nonsense in the address counts as no filter, and is no error', async () => {
  for (const query of [
    'state=lost&reason=99&time=1y&from=gestern&to=2026-13-40T99:99&type=lead.lost&before=x',
    `q=%00%0d&reason=${encodeURIComponent("4__'")}`,
    `q=${'a'.repeat(5_000)}`,
    'q=%ED%A0%80',
    'before=9999999999999999&time=24h',
    'before=-9999999999999999&time=24h',
    'from=0001-01-01T00:00&to=9999-12-31T23:59',
  ])
    expect([query, (await session.get(`${path()}?${query}`)).status]).toEqual([query, 200])
  const { text: page } = await session.get(`${path()}?state=lost&reason=99&time=1y`)
  expect(page).not.toContain('Filter aufheben')
})

test('the time that the numbers cover stays chosen in every tab, and when the filter is cleared', async () => {
  const { text: page } = await session.get(`${path()}?span=30d&reason=2xx`)
  const shown = (part: RegExp) => [...page.matchAll(part)].map(([, query = '']) => query)
  const tabs = shown(/\?([^"]*)#deliveries"[^>]*>(?:alle|fehlgeschlagen|zugestellt)/g)
  expect(tabs).toHaveLength(3)
  expect(tabs.filter(query => !query.includes('span=30d'))).toEqual([])
  expect(shown(/\?([^"]*)">Als Tabelle/g)[0]).toContain('span=30d')
  expect(page).toContain(`<a href="${path()}?span=30d#deliveries">Filter aufheben</a>`)
})
