// Every page, on a phone and on a desk, by day and by night, full of names that mean harm. SCREENSHOTS_DIR keeps
// what the browser saw.
import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { barriers, type Tab, useBrowser } from '../support/browser.ts'
import { dashboardSettings, password, signIn } from '../support/dashboard.ts'
import * as factory from '../support/factory.ts'
import { useService } from '../support/service.ts'

const api = useService(dashboardSettings)
const browser = useBrowser()

const evil = `<img src=x onerror=alert(1)>"'><script>alert(2)</script>`
const long = 'Donaudampfschifffahrtsgesellschaft'.repeat(6).slice(0, 200)
const excerpt = `<html><body onload=alert(3)>${'x'.repeat(900)}</body></html>`
const recent = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

let paths: string[] = []

beforeAll(async () => {
  const { sql } = api
  await factory.apiKey(sql, {
    label: evil,
    scopes: ['read:leads', 'write:hooks'],
    last_used_at: recent(5),
  })
  await factory.apiKey(sql, { label: long, expires_at: '2030-01-01T00:00:00Z' })
  await factory.apiKey(sql, { label: 'Altes Skript', revoked_at: recent(9_000) })
  await factory.apiKey(sql, { label: 'Probe', expires_at: recent(9_000) })
  const paused = await factory.hook(sql, {
    label: evil,
    target_url: `https://crm.example.com/${'a'.repeat(300)}?q=<script>`,
    event_types: ['lead.created', 'analysis.completed'],
    active: false,
    consecutive_failures: 10,
    failing_since: recent(4_000),
    paused_at: recent(3_900),
    failing_cursor: 1,
    old_secret: 'sealed',
    old_secret_until: '2030-01-01T00:00:00Z',
    old_secret_leads: true,
  })
  const failing = await factory.hook(sql, {
    label: long,
    consecutive_failures: 3,
    failing_since: recent(100),
  })
  const well = await factory.hook(sql, { label: 'Zapier', source: 'zapier' })
  await factory.hook(sql, { label: null })
  const payload = JSON.stringify({ name: evil, notiz: long })
  await factory.event(sql, { cursor: 1, data: payload, object_id: long })
  await factory.event(sql, {
    cursor: 2,
    event_type: 'signal.opened',
    object_id: evil,
    data: payload,
  })
  await sql`update feed set head = 2`
  const ids: unknown[] = []
  for (const [hook, state] of [
    [paused, 'failed'],
    [paused, 'skipped'],
    [failing, 'failed'],
    [well, 'delivered'],
    [well, 'pending'],
  ] as const) {
    const columns = { subscription_id: hook.id, cursor: 2, attempts: 1 }
    const delivery =
      state === 'pending'
        ? await factory.delivery(sql, columns)
        : await factory.outcome(sql, { ...columns, state })
    ids.push(delivery.id)
    const attempt = { delivery_id: delivery.id, started_at: recent(ids.length * 180) }
    if (state === 'failed')
      await factory.attempt(sql, { ...attempt, status: 500, error_class: 'status', excerpt })
    else await factory.attempt(sql, attempt)
  }
  paths = [
    '/dashboard',
    '/dashboard/keys',
    '/dashboard/webhooks',
    `/dashboard/webhooks/${paused.id}`,
    `/dashboard/webhooks/${failing.id}`,
    `/dashboard/webhooks/${well.id}?state=pending&done=missed&count=7`,
    `/dashboard/deliveries/${ids[0]}`,
    '/dashboard/events',
    '/dashboard/events/1',
    '/dashboard/connect',
    '/dashboard/status',
    '/dashboard/erasure',
    '/dashboard/nirgends',
  ]
})

/** Signed in, by the cookie of a session of its own. */
async function enter(tab: Tab, path: string): Promise<void> {
  const { cookie } = await signIn(api)
  const [name = '', value = ''] = cookie.split('=')
  await tab.context().addCookies([{ name, value, domain: base().hostname, path: '/dashboard' }])
  await tab.goto(`${base().origin}${path}`)
}

const base = () => new URL(api.service.url)

const looks = [
  { name: 'phone', viewport: { width: 360, height: 740 } },
  { name: 'desk', viewport: { width: 1280, height: 800 } },
].flatMap(size => (['light', 'dark'] as const).map(colorScheme => ({ ...size, colorScheme })))

// axe takes a second for a page: each size and each theme once, not each of the four together.
const isExamined = ({ name, colorScheme }: (typeof looks)[number]) =>
  (name === 'phone') === (colorScheme === 'dark')

const keep = async (tab: Tab, name: string) => {
  const dir = process.env.SCREENSHOTS_DIR
  if (dir) await tab.screenshot({ path: join(dir, `${name}.png`), fullPage: true })
}

describe.each(looks)('$name, $colorScheme', look => {
  const { name, viewport, colorScheme } = look
  const found = async (tab: Tab) => (isExamined(look) ? await barriers(tab) : [])
  test('no page keeps anybody out, runs what it was given, or is wider than the screen', async () => {
    const tab = await browser.open({ viewport, colorScheme })
    let dialogs = 0
    tab.on('dialog', dialog => {
      dialogs += 1
      void dialog.dismiss()
    })
    await tab.goto(`${base().origin}/dashboard/sign-in`)
    expect(await found(tab)).toEqual([])
    await keep(tab, `${name}-${colorScheme}-sign-in`)
    await enter(tab, '/dashboard')
    for (const path of paths) {
      const response = await tab.goto(`${base().origin}${path}`)
      expect([path, response?.status()]).toEqual([path, path.endsWith('nirgends') ? 404 : 200])
      for (const summary of await tab.locator('summary').all()) await summary.click()
      expect([path, ...(await found(tab))]).toEqual([path])
      const widest = await tab.evaluate(() => document.documentElement.scrollWidth)
      expect([path, widest]).toEqual([path, viewport.width])
      expect(await tab.locator('main img, main script').count()).toBe(0)
      await keep(
        tab,
        `${name}-${colorScheme}-${path.replace(/\W+/g, '-').slice(10, 40) || 'overview'}`,
      )
    }
    expect(dialogs).toBe(0)
    // Of the page that is missing browsers make a line.
    expect(tab.complaints.filter(said => !said.includes('404'))).toEqual([])
    await tab.context().close()
  }, 120_000)
})

test('without scripts every page says the same, with times in UTC', async () => {
  const tab = await browser.open({ javaScriptEnabled: false })
  await enter(tab, '/dashboard')
  for (const path of paths) {
    await tab.goto(`${base().origin}${path}`)
    expect(await tab.locator('h1').count()).toBe(1)
    expect(await tab.locator('[data-copy]:visible').count()).toBe(0)
  }
  await tab.goto(`${base().origin}${paths[3]}`)
  expect(await tab.locator('time').first().textContent()).toEndWith('UTC')
  await tab.context().close()
})

test('the keyboard is enough: skip to the content, sign in, reach every link', async () => {
  const tab = await browser.open()
  await tab.goto(`${base().origin}/dashboard`)
  await tab.waitForFunction(() => document.activeElement?.matches('[type=password]'))
  await tab.keyboard.type(password)
  await tab.keyboard.press('Enter')
  await tab.waitForURL(/\/dashboard$/)
  await tab.keyboard.press('Tab')
  expect(await tab.evaluate(() => document.activeElement?.textContent)).toBe('Zum Inhalt')
  await tab.keyboard.press('Enter')
  expect(await tab.evaluate(() => document.activeElement?.id)).toBe('content')
  await tab.context().close()
})

test('both languages have every page', async () => {
  for (const language of ['de', 'en'] as const) {
    const session = await signIn(api, language)
    for (const path of paths) {
      const { text } = await session.get(path)
      expect([path, text.includes(`<html lang="${language}">`)]).toEqual([path, true])
      expect(text).not.toMatch(/undefined|\[object|=>/)
    }
  }
})
