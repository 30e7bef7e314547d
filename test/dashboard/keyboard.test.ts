// The keyboard: what ? shows, and what other keys do while it is shown.
import { expect, test } from 'bun:test'
import { barriers, seen, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, password } from '../support/browser/dashboard.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
const browser = useBrowser()

test('? shows the keys there are, Escape closes, and keys go on to work', async () => {
  const tab = await browser.open()
  await tab.goto(`${api.service.url}/dashboard/events`)
  await tab.getByLabel('Passwort').fill(password)
  await tab.keyboard.press('Enter')
  await tab.waitForSelector('.side')
  const help = tab.getByRole('dialog', { name: 'Tastatur' })
  expect(await help.count()).toBe(0)
  await tab.keyboard.press('?')
  expect(await seen(help)).toMatch(/g w\s+Webhooks[\s\S]*\?\s+Diese Hilfe/)
  expect(await barriers(tab)).toEqual([])
  await tab.keyboard.press('g')
  await tab.keyboard.press('w')
  expect(new URL(tab.url()).pathname).toBe('/dashboard/events')
  await tab.keyboard.press('Escape')
  expect(await help.count()).toBe(0)
  // Typed into a field it is a character.
  await tab.keyboard.press('/')
  await tab.keyboard.type('?')
  expect([await help.count(), await tab.getByRole('searchbox').inputValue()]).toEqual([0, '?'])
  await tab.getByRole('searchbox').blur()
  await tab.getByRole('button', { name: 'Tastatur ?' }).click()
  await help.getByRole('button', { name: 'Schließen' }).click()
  expect(await help.count()).toBe(0)
  await tab.keyboard.press('g')
  await tab.keyboard.press('w')
  await tab.waitForURL(/\/dashboard\/webhooks$/)
  for (const [key, path] of [
    ['c', '/connect'],
    ['n', '/notices'],
    ['p', '/erasure'],
    ['w', '/webhooks'],
  ] as const) {
    await tab.keyboard.press('g')
    await tab.keyboard.press(key)
    await tab.waitForURL(`**/dashboard${path}`)
  }
  // Switched off they stay off on every page, and the button still leads to the switch.
  await tab.getByRole('button', { name: 'Tastatur ?' }).click()
  await help.getByRole('checkbox', { name: 'Tastenkürzel verwenden' }).uncheck()
  await tab.keyboard.press('Escape')
  await tab.reload()
  await tab.keyboard.press('?')
  await tab.keyboard.press('g')
  await tab.keyboard.press('e')
  expect([await help.count(), new URL(tab.url()).pathname]).toEqual([0, '/dashboard/webhooks'])
  await tab.getByRole('button', { name: 'Tastatur ?' }).click()
  await help.getByRole('checkbox', { name: 'Tastenkürzel verwenden' }).check()
  await tab.keyboard.press('Escape')
  await tab.keyboard.press('g')
  await tab.keyboard.press('e')
  await tab.waitForURL(/\/dashboard\/events$/)
  expect(tab.complaints).toEqual([])
  await tab.context().close()
})
