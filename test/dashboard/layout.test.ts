// Pages as they are seen at the widths of an office screen, and with the focus where it was.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { barriers, type Tab, useBrowser } from '../support/browser/browser.ts'
import { dashboardSettings, enter } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

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

const at = (path: string) => tab.goto(`${api.service.url}${path}`)

test('the table of webhooks fits, and breaks no name inside of a word', async () => {
  for (const label of ['Vertriebssteuerung Süd', 'Zapier: neue Leads in die Tabelle']) {
    const { id } = await factory.hook(api.sql, { label })
    const { no } = await factory.position(api.sql, id)
    const started_at = new Date(Date.now() - 60_000)
    await factory.attempt(api.sql, { no, started_at, duration_ms: 14_321 })
  }
  await factory.hook(api.sql, { label: 'Neu' })
  // The longest state and the longest durations.
  const { id } = await factory.hook(api.sql, { active: false, paused_at: factory.moment })
  const { no } = await factory.position(api.sql, id)
  await factory.attempt(api.sql, { no, started_at: new Date(), duration_ms: 475 })
  for (const width of [1280, 1366]) {
    await tab.setViewportSize({ width, height: 800 })
    await at('/dashboard/webhooks')
    const found = await tab.evaluate(() => {
      const table = document.querySelector('.scroll')
      const word = document.createRange()
      const names = [...document.querySelectorAll('tbody th a')].map(one => one.firstChild as Text)
      const broken = names.flatMap(name =>
        [...name.data.matchAll(/\S+/g)].filter(({ index, 0: { length } }) => {
          word.setStart(name, index)
          word.setEnd(name, index + length)
          return word.getClientRects().length > 1
        }),
      )
      return { cut: (table?.scrollWidth ?? 0) - (table?.clientWidth ?? 0), broken: broken.flat() }
    })
    expect({ width, ...found }).toEqual({ width, cut: 0, broken: [] })
  }
})

test('the problems on the overview fit, and break no word of what happened', async () => {
  const { id } = await factory.hook(api.sql, { label: 'Vertriebssteuerung Süd' })
  const { no } = await factory.position(api.sql, id)
  for (const [index, error_class] of ['dns', 'connect', 'tls', 'timeout', 'blocked'].entries())
    await factory.attempt(api.sql, {
      no,
      cursor: index + 1,
      outcome: 'f',
      status: null,
      error_class,
      started_at: new Date(),
    })
  // The longest of what a status says.
  const last = { cursor: 9, outcome: 'f', status: 503, started_at: new Date() }
  await factory.attempt(api.sql, { no, ...last })
  await tab.setViewportSize({ width: 1280, height: 800 })
  await at('/dashboard')
  const found = await tab.evaluate(() => {
    const word = document.createRange()
    const texts = [...document.querySelectorAll('.halves td:nth-child(2)')].map(
      one => one.firstChild as Text,
    )
    const broken = texts.flatMap(text =>
      [...text.data.matchAll(/\S+/g)].filter(({ index, 0: { length } }) => {
        word.setStart(text, index)
        word.setEnd(text, index + length)
        return word.getClientRects().length > 1
      }),
    )
    const { scrollWidth, clientWidth } = document.querySelector('.halves .scroll') as Element
    return { words: texts.length > 4, broken: broken.flat(), cut: scrollWidth - clientWidth }
  })
  expect(found).toEqual({ words: true, broken: [], cut: 0 })
})

test('a table that is wider than its place says so with a shadow', async () => {
  await factory.hook(api.sql, { label: 'Zapier: neue Leads in die Tabelle' })
  await tab.setViewportSize({ width: 1024, height: 800 })
  await at('/dashboard/webhooks')
  const [cut, shade] = await tab.locator('.scroll').evaluate(({ scrollWidth, clientWidth }) => {
    const place = document.querySelector('.scroll') as Element
    return [scrollWidth - clientWidth, getComputedStyle(place).backgroundImage]
  })
  expect(cut).toBeGreaterThan(0)
  expect(shade).toContain('linear-gradient')
  await tab.setViewportSize({ width: 1366, height: 800 })
})

test('in the catalog webhooks of one type are far enough from one another to be hit', async () => {
  const paused = { active: false, paused_at: factory.moment }
  for (const label of ['CRM', 'Zapier', 'Make']) {
    await factory.hook(api.sql, { label })
    await factory.hook(api.sql, { label, ...paused })
    await factory.hook(api.sql, { label, ...paused })
  }
  await at('/dashboard/events/catalog')
  expect(await barriers(tab)).toEqual([])
})

test('what is wrong with a form has the focus, and so is in sight below a long list', async () => {
  for (let count = 0; count < 12; count += 1) await factory.apiKey(api.sql)
  await at('/dashboard/keys')
  await tab.getByLabel('Bezeichnung').fill('CRM')
  const ticked = tab.locator('main [name=scope]:checked')
  while ((await ticked.count()) > 0) await ticked.first().uncheck()
  await tab.getByRole('button', { name: 'Schlüssel anlegen' }).click()
  const mistake = tab.getByRole('alert')
  await until(() => mistake.evaluate(one => one === document.activeElement))
  const { top } = await mistake.evaluate(one => one.getBoundingClientRect().toJSON())
  expect(top).toBeWithin(0, 800)
  // Where no script moves the focus the address does; else it would keep that when nothing is wrong any more.
  expect(new URL(tab.url()).hash).toBe('')
  const served = await tab.context().request.get(`${api.service.url}/dashboard/keys`)
  expect(await served.text()).toContain('action="/dashboard/keys#mistake"')
})

test('event types are ticked one after the other, and shown with the button', async () => {
  await at('/dashboard/events')
  await tab.getByText('Nach Ereignis filtern').click()
  for (const name of ['Neuer Lead', 'Lead archiviert']) {
    const box = tab.getByRole('checkbox', { name, exact: true })
    await box.focus()
    await tab.keyboard.press('Space')
    expect(await box.evaluate(one => one === document.activeElement)).toBe(true)
  }
  expect(tab.url()).not.toContain('type=')
  await tab.getByRole('button', { name: 'Anzeigen' }).click()
  await tab.waitForURL(/type=lead\.created&type=lead\.archived/)
})

test('what is pressed is as large as a finger where one points', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const phone = await browser.open({
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 844 },
  })
  await enter(phone, api)
  for (const path of [
    '',
    '/keys',
    '/webhooks',
    `/webhooks/${id}`,
    '/events',
    '/erasure',
    '/notices',
  ]) {
    await phone.goto(`${api.service.url}/dashboard${path}`)
    const small = await phone.evaluate(() =>
      [...document.querySelectorAll('button, .button, select, summary, .tabs a, label.tick')]
        .filter(one => !one.closest('.json') && (one as HTMLElement).checkVisibility())
        .filter(one => one.getBoundingClientRect().height < 43.5)
        .map(one => one.outerHTML.slice(0, 120)),
    )
    expect([path, small]).toEqual([path, []])
  }
  await phone.context().close()
})

test('the names of the areas fit on the narrowest phone, also that of the open one', async () => {
  const phone = await browser.open({ viewport: { width: 320, height: 568 } })
  await enter(phone, api)
  for (const path of ['', '/webhooks', '/events', '/keys']) {
    await phone.goto(`${api.service.url}/dashboard${path}`)
    const cut = await phone.evaluate(() =>
      [...document.querySelectorAll('.side .main a')]
        .filter(one => one.scrollWidth > one.clientWidth)
        .map(one => one.textContent),
    )
    expect([path, cut]).toEqual([path, []])
  }
  await phone.context().close()
})

test('on a phone several webhooks that need the owner leave the page in sight', async () => {
  const paused = { active: false, paused_at: factory.moment, consecutive_failures: 10 }
  for (const label of ['Vertriebssteuerung Süd', 'Zapier: neue Leads in die Tabelle', 'CRM'])
    await factory.hook(api.sql, { label, ...paused })
  await tab.setViewportSize({ width: 360, height: 640 })
  await at('/dashboard/keys')
  const banner = tab.locator('.banner')
  expect(await banner.getByRole('link').count()).toBeGreaterThanOrEqual(3)
  expect((await banner.boundingBox())?.height).toBeLessThan(640 / 5)
})

test('a closed filter has no more room below its summary than above', async () => {
  const { id } = await factory.hook(api.sql, { label: 'Rand' })
  await at(`/dashboard/webhooks/${id}`)
  const [above = 0, below = 0] = await tab.evaluate(() => {
    const card = document.querySelector('details.card') as HTMLElement
    const outer = card.getBoundingClientRect()
    const inner = (card.querySelector('summary') as HTMLElement).getBoundingClientRect()
    return [inner.top - outer.top, outer.bottom - inner.bottom]
  })
  expect(Math.abs(above - below)).toBeLessThan(2)
})

test('the link of a notice on the overview stands in its line', async () => {
  await factory.apiKey(api.sql)
  const { id } = await factory.hook(api.sql)
  const { no } = await factory.position(api.sql, id)
  await factory.attempt(api.sql, { no, started_at: new Date() })
  await tab.setViewportSize({ width: 1280, height: 800 })
  await at('/dashboard')
  const text = tab.locator('p', { hasText: 'bekommen Sie bisher keine Nachricht' })
  expect((await text.boundingBox())?.height).toBeLessThan(30)
})

test('nothing is cut off on a small phone with text of twice the size', async () => {
  await tab.setViewportSize({ width: 320, height: 700 })
  for (const path of [
    '',
    '/webhooks',
    '/webhooks/new',
    '/events',
    '/keys',
    '/notices',
    '/status',
  ]) {
    await at(`/dashboard${path}`)
    const over = await tab.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
      return document.documentElement.scrollWidth - innerWidth
    })
    expect({ path, over }).toEqual({ path, over: 0 })
  }
})

test('what is printed is dark on white, whatever the theme', async () => {
  await at('/dashboard/theme/dark')
  await at('/dashboard/status')
  await tab.emulateMedia({ media: 'print', colorScheme: 'dark' })
  const color = await tab.evaluate(() => getComputedStyle(document.body).color)
  await tab.emulateMedia({ media: null, colorScheme: null })
  await at('/dashboard/theme/auto')
  expect(color).toBe('rgb(26, 31, 39)')
})
