// Forms about webhooks in a real browser: what the page shows is what may be typed, nothing is thrown away at one click, and
// what was typed is not lost.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { seen, type Tab, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, password } from '../support/browser/dashboard.ts'
import { emptyFeed } from '../support/database/empty_feed.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
const browser = useBrowser()
let tab: Tab

async function signIn(page: Tab) {
  await page.goto(`${api.service.url}/dashboard/sign-in`)
  await page.getByLabel('Passwort').fill(password)
  await page.getByRole('button', { name: 'Anmelden' }).click()
  await page.waitForSelector('.side')
}

beforeAll(async () => {
  tab = await browser.open()
  await signIn(tab)
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
  expect(await seen(tab.locator('[data-done]'))).toBe('3 Ereignisse sind verworfen.')
})
