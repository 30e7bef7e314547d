// Forms about webhooks in a real browser: what the page shows is what may be typed, nothing is thrown away at one click, and
// what was typed is not lost.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { seen, type Tab, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, enter, password } from '../support/browser/dashboard.ts'
import { emptyFeed } from '../support/database/empty_feed.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
const browser = useBrowser()
let tab: Tab

beforeAll(async () => {
  tab = await browser.open()
  await enter(tab, api)
})
afterAll(async () => {
  await tab.context().close()
})
beforeEach(async () => {
  await emptyFeed(api.sql)
})

const at = (path: string, page = tab) => page.goto(`${api.service.url}${path}`)
const text = (page = tab) => seen(page.locator('main'))
const press = (name: string, page = tab) => page.getByRole('button', { name, exact: true }).click()

test('a webhook is deleted by typing its name as the page shows it', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM  Nord\u00a0und   Süd' })
  await at(`/dashboard/webhooks/${id}/delete`)
  const [, shown = ''] = /den Namen ein: (.*)/.exec(await text()) ?? []
  // A keyboard has one kind of space.
  const typed = shown.replaceAll('\u00a0', ' ')
  expect(typed).toBe('CRM Nord und Süd')
  await tab.getByLabel('Geben Sie zur Sicherheit').fill(typed)
  await press('Endgültig löschen')
  expect(await seen(tab.locator('[data-done]'))).toBe('Der Webhook ist gelöscht.')
})

test('of a long name the first words are typed, in capitals or not', async () => {
  const label =
    'Maklerverwaltung Filiale Nord: Weiterleitung neuer Leads an das CRM der Niederlassung'
  const { id } = await factory.hook(api.sql, { label })
  await at(`/dashboard/webhooks/${id}/delete`)
  expect(await text()).toContain('den Anfang des Namens ein: Maklerverwaltung Filiale Nord:\n')
  const field = tab.getByLabel('Geben Sie zur Sicherheit')
  await field.fill('Maklerverwaltung')
  await press('Endgültig löschen')
  expect(await seen(tab.getByRole('alert'))).toContain('Es wurde nichts gelöscht')
  await field.fill('maklerverwaltung Filiale nord:')
  await press('Endgültig löschen')
  expect(await seen(tab.locator('[data-done]'))).toBe('Der Webhook ist gelöscht.')
})

test('what was missed is dismissed after a question that says how much it is', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const { no } = await factory.position(api.sql, id, { cursor: 3 })
  await factory.skip(api.sql, { no, to_cursor: 3, events: 3 })
  await at(`/dashboard/webhooks/${id}`)
  const sure = tab.getByRole('button', { name: 'Ja, verwerfen' })
  expect(await sure.isVisible()).toBe(false)
  await tab.getByText('Verwerfen', { exact: true }).click()
  expect(await text()).toContain('3 Ereignisse verwerfen?')
  await sure.click()
  expect(await seen(tab.locator('[data-done]'))).toBe(
    '3 Ereignisse sind verworfen. Hier bleibt das nur in den Diagrammen.',
  )
})

test('what was typed is there again after a sign-in in another tab', async () => {
  await at('/dashboard/webhooks/new')
  await tab.getByLabel('Adresse').fill('https://crm.example/hook')
  await tab.getByRole('checkbox', { name: /^Neuer Lead/ }).check()
  const other = (await tab.context().newPage()) as Tab
  await at('/dashboard', other)
  await other.locator('.side').getByRole('button', { name: 'Abmelden' }).click()
  await other.getByLabel('Passwort').fill(password)
  await press('Anmelden', other)
  await other.waitForSelector('.side')
  await other.close()
  await press('Anlegen')
  expect(await text()).toContain('Das Formular war zu alt')
  tab.complaints.length = 0
  await tab.getByRole('link', { name: 'Zurück zur Seite' }).click()
  expect(await tab.getByLabel('Adresse').inputValue()).toBe('https://crm.example/hook')
  expect(await tab.getByRole('checkbox', { name: /^Neuer Lead/ }).isChecked()).toBe(true)
  await press('Anlegen')
  expect(await seen(tab.locator('h1'))).toContain('ist angelegt')
  expect(tab.complaints).toEqual([])
  await tab.getByRole('link', { name: 'Ich habe es kopiert' }).click()
  // What arrived is kept no longer.
  await at('/dashboard/webhooks/new')
  expect(await tab.getByLabel('Adresse').inputValue()).toBe('')
})

test('an old form keeps what was typed, and does not undo what another tab changed', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM', event_types: ['lead.created'] })
  const edit = `/dashboard/webhooks/${id}/edit`
  await at(edit)
  const other = (await tab.context().newPage()) as Tab
  await at(edit, other)
  await other.getByRole('checkbox', { name: /^Lead archiviert/ }).check()
  await other.getByLabel('Name').fill('CRM Süd')
  await press('Speichern', other)
  await other.waitForSelector('[data-done]')
  await other.close()
  await tab.getByLabel('Adresse').fill('https://crm.example/neu')
  await press('Speichern')
  expect(await seen(tab.getByRole('alert'))).toContain('Es wurde nichts gespeichert')
  tab.complaints.length = 0
  const added = tab.getByRole('checkbox', { name: /^Lead archiviert/ })
  const typed = await Promise.all(
    ['Name', 'Adresse'].map(name => tab.getByLabel(name).inputValue()),
  )
  expect([await added.isChecked(), ...typed]).toEqual([true, 'CRM Süd', 'https://crm.example/neu'])
  await press('Speichern')
  await tab.waitForSelector('[data-done]')
  const [hook] =
    await api.sql`select label, target_url, 'lead.archived' = any (event_types) as has_added from hook_subscriptions where id = ${id}`
  expect({ ...hook }).toEqual({
    label: 'CRM Süd',
    target_url: 'https://crm.example/neu',
    has_added: true,
  })
})
