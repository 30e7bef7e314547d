// The dashboard bears the workspace's name, for the owner alone.
import { expect, test } from 'bun:test'
import { readConfig } from '../../src/config/settings.ts'
import { useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, enter, signIn, visitor } from '../support/browser/dashboard.ts'
import { useService } from '../support/http/service.ts'

const name = '<b>Versicherungsmakler Größenwahn & Überlingen GmbH</b>'
const api = useService({ ...dashboardSettings, WORKSPACE_NAME: name })
const browser = useBrowser()

test('it stands in the side bar and in the title, as text; a visitor does not see it', async () => {
  const { text } = await (await signIn(api, 'de')).get('/dashboard/keys')
  const escaped = '&lt;b&gt;Versicherungsmakler Größenwahn &amp; Überlingen GmbH&lt;/b&gt;'
  expect(text).toContain(`<title>API-Schlüssel · ${escaped}</title>`)
  expect(text).toContain(`<span>${escaped}</span></a>`)
  expect(text).not.toContain('<b>Versicherungsmakler')
  const before = await visitor(api).get('/dashboard/sign-in')
  expect([before.status, before.text.includes('Größenwahn')]).toEqual([200, false])
})

test('a long one pushes nothing aside', async () => {
  for (const width of [390, 1440]) {
    const tab = await browser.open({ viewport: { width, height: 900 } })
    await enter(tab, api)
    const box = await tab.locator('.brand').boundingBox()
    expect(box?.height).toBeLessThan(60)
    expect(box?.width).toBeLessThan(Math.min(width, 400))
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    expect(tab.complaints).toEqual([])
    await tab.context().close()
  }
})

test.each([' ', 'x'.repeat(61), 'two\nlines'])('%p is no name', value => {
  expect(() => readConfig({ WORKSPACE_NAME: value })).toThrow('1 to 60 characters')
})

test.each([
  ['', 'Workspace Data API'],
  [' Büro ', 'Büro'],
])('%p is read as %p', (value, name) => {
  expect(readConfig({ WORKSPACE_NAME: value }).WORKSPACE_NAME).toBe(name)
})
